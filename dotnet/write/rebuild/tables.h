// The table stream, written anew: the rows as they are, with the offsets of new heaps and the
// addresses of a new layout.
#pragma once

#include <clrkit/core/buffers/region.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/metadata/metadata.h>
#include <clrkit/dotnet/write/rebuild/blobs.h>

#include <cstdint>

namespace clrkit::rebuild {

/// The stream with its header and row counts written and its rows still to be filled.
struct NewTables {
    MutableByteSpan bytes;  // padded to four bytes
    Tables layout;          // of `bytes`
};

/// Takes room for the stream: how wide columns are depends on the sizes of the new heaps. Errors:
/// `out_of_memory`, `table_too_large`.
Result<NewTables> lay_out_tables(const Metadata& metadata, const NewHeap& strings,
                                 const NewHeap& guids, const NewBlobs& blobs, Region& region);

/// Where things of an image have moved to.
struct Addresses {
    const void* context;
    std::uint32_t (*body)(const void* context, std::uint32_t rva);
    std::uint32_t (*data)(const void* context, std::uint32_t rva);
};

/// Fills the rows.
void fill_tables(const Metadata& metadata, const NewHeap& strings, const NewHeap& guids,
                 const NewBlobs& blobs, const Addresses& addresses, NewTables& tables);

}  // namespace clrkit::rebuild
