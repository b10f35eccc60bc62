// Rebuild: a fresh, compact image with new heaps and a new layout. A Writer owns the memory that this
// takes and is meant to be used again, one per thread: after the first image it asks the system for
// next to nothing.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/buffers/region.h>
#include <clrkit/core/error.h>
#include <clrkit/core/io/output_file.h>
#include <clrkit/core/limits.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/dotnet/cil/assembler.h>
#include <clrkit/dotnet/module/coverage.h>
#include <clrkit/dotnet/module/state.h>
#include <clrkit/dotnet/write/rebuild/blobs.h>
#include <clrkit/dotnet/write/rebuild/bodies.h>
#include <clrkit/dotnet/write/stale_signature.h>

#include <cstdint>
#include <string>

namespace clrkit {

struct RebuildOptions {
    /// Rebuild an IL-only image although some of its bytes belong to nothing known; they are dropped.
    bool trust_layout = false;
    /// Drop ReadyToRun code and everything that only it refers to.
    bool strip_ready_to_run = false;
    /// Decode and encode every method body, and the arguments of attributes, marshalling descriptors
    /// and permission sets as well, which hold no tokens and are else copied.
    bool reassemble = false;
    /// With `reassemble`, the forms of instructions, headers and clauses. Other ones than now move
    /// offsets in the code: an image that embeds its PDB is refused then, and a PDB beside it no
    /// longer fits.
    cil::Forms forms = cil::Forms::keep;
    /// With `reassemble`, knows enums of other assemblies that attributes have values of. Without it
    /// such attributes are copied as they are.
    EnumResolver enums;
    StaleSignature stale_signature = StaleSignature::refuse;
    /// See SaveOptions::crypto.
    const Crypto* crypto = nullptr;
    /// Where it is said which blobs could not be decoded; may be null. Used on one thread at a time.
    Diagnostics* diagnostics = nullptr;
    OutputOptions output;
    Limits limits;
};

/// A part of the file before and after, in bytes, and its entries after.
struct SizeChange {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    std::uint32_t entries = 0;
};

/// What a rebuild did.
struct RebuildReport {
    SizeChange file, strings, blobs, guids, literals, tables, bodies;
    /// Bodies that no method refers to, dropped.
    std::uint32_t discarded_runs = 0;
    std::uint64_t discarded_bytes = 0;
    /// Bytes of unknown purpose, dropped because the layout was trusted or native code stripped.
    std::uint64_t unaccounted_bytes_dropped = 0;
    /// Why #US was kept byte for byte, and the method that is the reason, if one is.
    rebuild::LiteralPin literal_pin = rebuild::LiteralPin::none;
    std::uint32_t literal_pin_method = 0;
    /// #Blob was kept byte for byte: debug tables in the image hold offsets into it.
    bool blobs_pinned = false;
    /// Signatures that were decoded and encoded anew, and those copied as they are.
    rebuild::BlobCounts signatures;
    /// The same of what a reassembly decodes beside them.
    rebuild::BlobCounts attributes, marshalling, permission_sets, constants;
    /// And method bodies: `changed` are those in other forms than before.
    rebuild::BlobCounts decoded_bodies;
    /// Offsets in the code have moved, and the image names a PDB that holds the old ones.
    bool symbols_stale = false;
    bool certificate_removed = false;
    bool ready_to_run_stripped = false;
    bool invalid_signature_kept = false;
};

/// An image in a Writer's memory: good until the Writer is used again.
struct RebuiltImage {
    ByteSpan bytes;
    RebuildReport report;
};

class Writer {
public:
    /// Rebuilds a module, which is not changed. Errors: `not_closed` with the first range that pins
    /// the image, `signature_would_go_stale`, `heap_index_outside`, `unsupported` (among others for
    /// other forms of code in an image that embeds its PDB), `output_budget`, `out_of_memory`.
    CLRKIT_API Result<RebuiltImage> rebuild(const ModuleState& state,
                                            const RebuildOptions& options = {});
    /// The same into a file. A failure leaves the target as it was.
    CLRKIT_API Result<RebuildReport> rebuild_to(const std::string& path, const ModuleState& state,
                                                const RebuildOptions& options = {});

private:
    Region names_;   // strings, GUIDs, blobs
    Region code_;    // bodies and literals
    Region output_;  // tables, metadata, the image
    rebuild::BodyTools tools_;
};

}  // namespace clrkit
