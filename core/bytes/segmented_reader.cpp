// What crosses from one span into the next.
#include <clrkit/core/bytes/segmented_reader.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace clrkit {

/// Stands at the begin of a rented block, in front of what was gathered there.
struct SegmentedReader::Gathered {
    Gathered* next;
    std::size_t block_size;
};

/// Copies bytes that `has` said are there.
void SegmentedReader::gather(std::uint8_t* to, std::size_t count) {
    while (count != 0) {
        while (at_ == end_) enter_next();
        const std::size_t part = std::min(room(), count);
        std::memcpy(to, at_, part);
        at_ += part;
        to += part;
        count -= part;
    }
}

std::uint64_t SegmentedReader::read_split(std::size_t size) {
    if (!has(size)) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        while (at_ == end_) enter_next();
        value |= std::uint64_t{*at_++} << 8 * i;
    }
    return value;
}

ByteSpan SegmentedReader::bytes_split(std::uint64_t count, MutableByteSpan scratch) {
    if (!has(count)) return {};
    while (at_ == end_) enter_next();
    const auto size = static_cast<std::size_t>(count);
    if (room() < size) {
        std::uint8_t* to = size <= scratch.size() ? scratch.data() : rent(size);
        if (to == nullptr) return {};
        gather(to, size);
        return {to, size};
    }
    const ByteSpan taken(at_, size);
    at_ += size;
    return taken;
}

std::uint8_t* SegmentedReader::rent(std::size_t size) {
    const MutableByteSpan block =
        size > SIZE_MAX / 2 ? MutableByteSpan{} : pool_->rent(sizeof(Gathered) + size);
    if (block.data() == nullptr) {
        refused_ = true;
        fail();
        return nullptr;
    }
    gathered_ = new (block.data()) Gathered{gathered_, block.size()};
    return block.data() + sizeof(Gathered);
}

void SegmentedReader::skip_split(std::uint64_t count) {
    if (!has(count)) return;
    while (count > room()) {
        count -= room();
        enter_next();
    }
    at_ += count;
}

std::uint32_t SegmentedReader::compressed_rest(std::uint8_t first) {
    if ((first & 0xC0U) == 0x80U) return (first & 0x3FU) << 8U | u8();
    std::uint32_t value = first & 0x1FU;
    for (int i = 0; i < 3; ++i) value = value << 8U | u8();
    return ok() ? value : 0;
}

void SegmentedReader::give_back_all() {
    while (gathered_ != nullptr) {
        Gathered* block = gathered_;
        gathered_ = block->next;
        pool_->give_back({reinterpret_cast<std::uint8_t*>(block), block->block_size});
    }
}

}  // namespace clrkit
