// A map from offsets of an input range (a heap, an image) to numbers: one bit per offset, a rank per
// word, and a dense array in the order of the offsets. Marking comes first, then sealing, then
// look-ups. Smaller and faster than a hash table for everything keyed by an offset, and walked in
// order.
#pragma once

#include <clrkit/core/buffers/region.h>

#include <bit>
#include <cstdint>
#include <span>

namespace clrkit {

/// The number of set bits, without a call: std::popcount is one where the processor is not known to
/// have the instruction.
constexpr std::uint32_t count_bits(std::uint64_t bits) {
    bits -= bits >> 1U & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2U & 0x3333333333333333);
    bits = (bits + (bits >> 4U)) & 0x0F0F0F0F0F0F0F0F;
    return static_cast<std::uint32_t>(bits * 0x0101010101010101 >> 56U);
}

class OffsetMap {
public:
    /// A map for offsets below `range`, with memory from `region`. False when the region is full.
    bool begin(Region& region, std::uint64_t range) {
        range_ = range;
        words_ = region.take_zeroed<std::uint64_t>(static_cast<std::size_t>(range / 64 + 1));
        ranks_ = region.take_array<std::uint32_t>(words_.size());
        return !words_.empty() && !ranks_.empty();
    }
    /// Enters an offset, which must be below the range.
    void mark(std::uint64_t offset) {
        words_[static_cast<std::size_t>(offset / 64)] |= std::uint64_t{1} << offset % 64;
    }
    bool contains(std::uint64_t offset) const {
        return offset < range_ &&
               (words_[static_cast<std::size_t>(offset / 64)] >> offset % 64 & 1U) != 0;
    }
    /// Ends marking: numbers the offsets from 0 in ascending order and gives each a value, `free` at
    /// first. False when the region is full.
    bool seal(Region& region) {
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            ranks_[i] = rank;
            rank += count_bits(words_[i]);
        }
        values_ = region.take_array<std::uint32_t>(rank);
        for (std::uint32_t& value : values_) value = free;
        return rank == 0 || !values_.empty();
    }
    /// How many offsets were marked.
    std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }
    /// The number of a marked offset.
    std::uint32_t index(std::uint64_t offset) const {
        const auto word = static_cast<std::size_t>(offset / 64);
        const std::uint64_t below = words_[word] & ((std::uint64_t{1} << offset % 64) - 1);
        return ranks_[word] + count_bits(below);
    }
    /// The value of a marked offset.
    std::uint32_t& operator[](std::uint64_t offset) { return values_[index(offset)]; }
    std::uint32_t operator[](std::uint64_t offset) const { return values_[index(offset)]; }
    std::span<std::uint32_t> values() { return values_; }

    /// Calls `visit(offset)` for every marked offset, ascending.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t word = 0; word < words_.size(); ++word) {
            for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1) {
                visit(static_cast<std::uint64_t>(word) * 64 +
                      static_cast<std::uint64_t>(std::countr_zero(bits)));
            }
        }
    }

    static constexpr std::uint32_t free = 0xFFFFFFFF;

private:
    std::uint64_t range_ = 0;
    std::span<std::uint64_t> words_;
    std::span<std::uint32_t> ranks_;
    std::span<std::uint32_t> values_;
};

}  // namespace clrkit
