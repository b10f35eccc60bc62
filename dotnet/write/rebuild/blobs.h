// Fresh #Blob and #GUID heaps: every referenced entry once.
#pragma once

#include <clrkit/dotnet/write/rebuild/strings.h>

namespace clrkit::rebuild {

/// True where blobs hold offsets of other blobs, as names of documents and imports do: some writers put
/// the debug tables into the image itself. The heap then stays byte for byte.
bool blobs_are_pinned(const Metadata& metadata);

/// Entries in the order of first use in table order, equal contents once, each with the shortest
/// form of its length. `budget` bounds the bytes: entries of the input may overlap. Errors:
/// `heap_index_outside` for a cell that points past the heap or at an entry that runs out of it,
/// `output_budget`, `out_of_memory`.
Result<NewHeap> build_blobs(const Metadata& metadata, std::uint64_t budget, Region& region);

/// The GUIDs that columns refer to, likewise; `offsets` maps indexes. Error: `heap_index_outside`.
Result<NewHeap> build_guids(const Metadata& metadata, Region& region);

}  // namespace clrkit::rebuild
