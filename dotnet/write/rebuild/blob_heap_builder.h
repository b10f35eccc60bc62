// A #Blob heap that grows. An entry is written straight into the tail, and kept there only if there
// is none like it yet: nothing is copied when it fits, nothing is allocated for it.
#pragma once

#include <clrkit/core/buffers/region.h>
#include <clrkit/core/buffers/write_buffer.h>
#include <clrkit/dotnet/write/rebuild/content_table.h>

#include <cstdint>
#include <optional>

namespace clrkit::rebuild {

class BlobHeapBuilder {
public:
    /// Room for `capacity` bytes and `entries` different entries, from `region`. False when the
    /// region is full.
    bool begin(Region& region, std::size_t capacity, std::size_t entries);

    /// A buffer on the heap's tail, for an entry of about `expected` bytes. One at a time; `commit`
    /// or forget it.
    WriteBuffer start(std::size_t expected);
    /// Enters what was written: the offset of the entry, of an equal one where there is one, 0 for an
    /// empty one. Nothing when the heap is full.
    std::optional<std::uint32_t> commit(const WriteBuffer& entry);
    /// Enters bytes that stand somewhere else.
    std::optional<std::uint32_t> add(ByteSpan content);

    std::uint32_t entries() const { return entries_; }
    /// The heap, padded to four bytes.
    ByteSpan finish();

private:
    ByteSpan content(std::uint32_t offset) const;
    std::optional<std::uint32_t> find_or_keep(ByteSpan content, std::uint32_t prefix,
                                              bool in_place);

    MutableByteSpan room_;
    ContentTable contents_;
    std::size_t used_ = 0;
    std::uint32_t prefix_ = 1;  // what `start` left free in front of the entry
    std::uint32_t entries_ = 0;
};

}  // namespace clrkit::rebuild
