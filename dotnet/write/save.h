// Writing a module: byte for byte when nothing was edited; otherwise what was edited, and what an
// edit makes stale (checksum, certificate, strong name); or every part anew from its parsed form.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/buffers/pages.h>
#include <clrkit/core/error.h>
#include <clrkit/core/io/output_file.h>
#include <clrkit/core/limits.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/dotnet/module/coverage.h>
#include <clrkit/dotnet/module/state.h>
#include <clrkit/dotnet/write/stale_signature.h>

#include <cstdint>
#include <string>
#include <vector>

namespace clrkit {

enum class Emit : std::uint8_t {
    /// Copy what was not edited.
    edited,
    /// Write headers, directories, stream headers, rows, heaps, bodies and data from their parsed
    /// form. Possible for closed images only; error `not_closed` names the first range that is not
    /// accounted for.
    all,
};

struct SaveOptions {
    Emit emit = Emit::edited;
    StaleSignature stale_signature = StaleSignature::refuse;
    /// To tell a valid signature from one that was invalid already; without it every signature
    /// counts as valid.
    const Crypto* crypto = nullptr;
    OutputOptions output;
    Limits limits;
};

/// A range of the output that differs from the input, and why.
struct Change {
    enum class Reason : std::uint8_t { edit, checksum, signature, signature_flag, certificate };
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    Reason reason = Reason::edit;
};

struct SaveReport {
    std::vector<Change> changes;
    /// The certificate no longer held and was removed.
    bool certificate_removed = false;
    /// A strong name that was invalid already stays as it is.
    bool invalid_signature_kept = false;
    std::uint64_t bytes_written = 0;
};

struct SavedImage {
    Pages memory;
    ByteSpan bytes;  // in `memory`
    SaveReport report;
};

CLRKIT_API Result<SaveReport> save(const ModuleState& state, const std::string& path,
                                   const SaveOptions& options);
CLRKIT_API Result<SavedImage> save_to_memory(const ModuleState& state, const SaveOptions& options);

}  // namespace clrkit
