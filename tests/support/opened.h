// A file opened in memory for a test: what came of it, what was reported, and everything walked.
#pragma once

#include "support/image_builder.h"

#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/metadata/container.h>
#include <clrkit/dotnet/metadata/metadata.h>
#include <clrkit/dotnet/model/module.h>

#include <memory>
#include <optional>
#include <string_view>

namespace clrkit::test {

/// Owns an exact copy of the bytes, so that a read past their end is one past an allocation.
struct Opened {
    std::unique_ptr<std::uint8_t[]> storage;
    ByteSpan bytes;
    Diagnostics diagnostics;
    std::optional<Module> module;  // nothing for bare metadata
    Container container;           // the module's
    Metadata metadata;             // likewise
    /// What refused the file, if anything.
    std::optional<Error> error;

    bool reported(ErrorCode code) const { return diagnostics.count(code) != 0; }
    /// Offset of the first fault with that code; `no_offset` when there is none.
    std::uint64_t reported_at(ErrorCode code) const;
    /// Bytes at an RVA of the image.
    ByteSpan at(std::uint32_t rva) const { return container.image.from(rva); }
};

Opened open(const Bytes& bytes, Eyes eyes = Eyes::clr);
Opened open(const ImageSpec& spec, Eyes eyes = Eyes::clr);
/// Opens bare metadata.
Opened open(const MetadataSpec& spec, Eyes eyes = Eyes::clr);

/// CHECKs that all of `minimal()` is there: names, signature, literal, code.
void check_minimal(const Opened& opened);
/// REQUIREs that the file opened, then `check_minimal`.
void require_minimal(const Opened& opened);
/// CHECKs that an unedited save gives the same bytes, and so does writing every part anew where the
/// image is closed.
void check_kept(const Opened& opened);
/// REQUIREs that the file opened, then `check_kept`.
void require_opened(const Opened& opened);
/// All of `minimal()` is there and is kept, the odd bytes too: `require_minimal`, `check_kept`.
void require_kept(const Opened& opened);
/// CHECKs that the file was refused with a code and a place.
void check_refused(const Opened& opened, Stage stage, ErrorCode code, std::uint64_t offset);

/// Walks what opened and CHECKs that it is kept; of what was refused, that the error says at which
/// stage and why.
void check_survives(const Opened& opened);

/// Looks at every byte that the views of an opened file give access to. Returns a sum over them, so
/// that no read is dropped.
std::uint64_t walk(const Opened& opened);

}  // namespace clrkit::test
