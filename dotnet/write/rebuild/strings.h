// A fresh #Strings heap: every referenced name once, and none that another one ends with.
#pragma once

#include <clrkit/core/buffers/offset_map.h>
#include <clrkit/core/buffers/region.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/metadata/metadata.h>

#include <cstdint>

namespace clrkit::rebuild {

/// A heap as it will be written, and where each old entry is in it.
struct NewHeap {
    ByteSpan bytes;     // padded to four bytes
    OffsetMap offsets;  // old offset -> new offset; 0 is not entered: it stays 0
    std::uint32_t entries = 0;

    std::uint32_t map(std::uint32_t old) const { return old == 0 ? 0 : offsets[old]; }
};

/// Builds the heap with memory from `region`. The order is that of first use in table order, so it
/// depends on names and rows alone. Errors: `heap_index_outside` for a cell that points past the
/// heap, `output_budget`, `out_of_memory`.
Result<NewHeap> build_strings(const Metadata& metadata, Region& region);

}  // namespace clrkit::rebuild
