// Putting a rebuilt image together: the metadata block, the layout, the addresses.
#pragma once

#include <clrkit/core/buffers/region.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/module/coverage.h>
#include <clrkit/dotnet/module/state.h>
#include <clrkit/dotnet/write/rebuild/blobs.h>
#include <clrkit/dotnet/write/rebuild/bodies.h>
#include <clrkit/dotnet/write/rebuild/tables.h>
#include <clrkit/dotnet/write/stale_signature.h>

namespace clrkit::rebuild {

/// The new parts of an image.
struct Parts {
    NewHeap strings, guids;
    NewBlobs blobs;
    NewBodies bodies;
    NewTables tables;
};

/// Lays the image out and writes it into memory from `region`, which also receives the tables' rows.
/// With `strip`, ReadyToRun code is left out and the headers are those of an IL-only image.
/// Errors: `unsupported`, `output_budget`, `out_of_memory`.
Result<ByteSpan> write_image(const ModuleState& state, const Coverage& coverage, Parts& parts,
                             const SignatureDecision& signature, const Limits& limits, bool strip,
                             Region& region);

}  // namespace clrkit::rebuild
