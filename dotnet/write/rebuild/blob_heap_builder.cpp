// Length prefixes, look-up, rolling back.
#include <clrkit/core/bytes/compressed.h>
#include <clrkit/core/bytes/reader.h>
#include <clrkit/dotnet/write/rebuild/blob_heap_builder.h>

#include <cstring>

namespace clrkit::rebuild {
namespace {

constexpr std::size_t padding = 4;

}  // namespace

bool BlobHeapBuilder::begin(Region& region, std::size_t capacity, std::size_t entries) {
    room_ = region.take(capacity + padding);
    if (room_.data() == nullptr || !contents_.begin(region, entries)) return false;
    room_[0] = 0;  // the empty entry
    used_ = 1;
    entries_ = 0;
    return true;
}

ByteSpan BlobHeapBuilder::content(std::uint32_t offset) const {
    ByteReader reader(ByteSpan(room_).subspan(offset));
    const std::uint32_t size = reader.compressed();
    return reader.bytes(size);
}

WriteBuffer BlobHeapBuilder::start(std::size_t expected) {
    prefix_ = compressed_size(expected);
    const std::size_t left = room_.size() - padding - used_;
    return WriteBuffer(left > prefix_ ? room_.subspan(used_ + prefix_, left - prefix_)
                                      : MutableByteSpan{});
}

std::optional<std::uint32_t> BlobHeapBuilder::commit(const WriteBuffer& entry) {
    const std::uint64_t size = entry.bytes_written();
    if (size == 0) return 0;
    const std::uint32_t prefix = compressed_size(size);
    const std::size_t left = room_.size() - padding - used_;
    if (size > largest_compressed || left < prefix || left - prefix < size) return std::nullopt;
    const MutableByteSpan place = room_.subspan(used_ + prefix, static_cast<std::size_t>(size));
    if (entry.spilled()) {
        if (!entry.copy_to(place)) return std::nullopt;
    } else if (prefix != prefix_) {
        std::memmove(place.data(), entry.contiguous().data(), place.size());
    }
    return find_or_keep(place, prefix, true);
}

std::optional<std::uint32_t> BlobHeapBuilder::add(ByteSpan content) {
    if (content.empty()) return 0;
    return find_or_keep(content, compressed_size(content.size()), false);
}

std::optional<std::uint32_t> BlobHeapBuilder::find_or_keep(ByteSpan content, std::uint32_t prefix,
                                                           bool in_place) {
    const auto at = [this](std::uint32_t offset) { return this->content(offset); };
    if (const std::uint32_t* known = contents_.find(content, at)) return *known;
    const std::size_t left = room_.size() - padding - used_;
    if (left < prefix || left - prefix < content.size() || used_ > UINT32_MAX) return std::nullopt;
    const auto offset = static_cast<std::uint32_t>(used_);
    write_compressed(room_.data() + used_, static_cast<std::uint32_t>(content.size()));
    if (!in_place) std::memcpy(room_.data() + used_ + prefix, content.data(), content.size());
    contents_.insert(offset);
    used_ += prefix + content.size();
    ++entries_;
    return offset;
}

ByteSpan BlobHeapBuilder::finish() {
    while (used_ % 4 != 0) room_[used_++] = 0;
    return room_.first(used_);
}

}  // namespace clrkit::rebuild
