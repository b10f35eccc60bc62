// Finds equal contents among entries of a growing heap: open addressing over their offsets.
#pragma once

#include <clrkit/core/buffers/region.h>
#include <clrkit/core/bytes/hash.h>
#include <clrkit/core/bytes/span.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace clrkit::rebuild {

class ContentTable {
public:
    /// For at most `entries` different contents. False when the region is full.
    bool begin(Region& region, std::size_t entries) {
        slots_ = region.take_zeroed<Slot>(std::bit_ceil(entries * 2 + 2));
        return !slots_.empty();
    }
    /// The id of the content equal to `content`, or null; then `insert` enters it. `at(id)` gives an
    /// entry's content back.
    template <class At>
    const std::uint32_t* find(ByteSpan content, At at) {
        const std::uint64_t hash = hash_bytes(content);
        const std::size_t mask = slots_.size() - 1;
        tag_ = static_cast<std::uint32_t>(hash >> 32U) | 1U;  // never 0: that is a free slot
        for (slot_ = hash & mask; slots_[slot_].tag != 0; slot_ = (slot_ + 1) & mask) {
            if (slots_[slot_].tag != tag_) continue;
            const ByteSpan other = at(slots_[slot_].id);
            if (other.size() == content.size() &&
                std::memcmp(other.data(), content.data(), content.size()) == 0) {
                return &slots_[slot_].id;
            }
        }
        return nullptr;
    }
    /// Enters what `find` just did not find.
    void insert(std::uint32_t id) { slots_[slot_] = {tag_, id}; }

private:
    struct Slot {
        std::uint32_t tag;
        std::uint32_t id;
    };
    std::span<Slot> slots_;
    std::size_t slot_ = 0;
    std::uint32_t tag_ = 0;
};

}  // namespace clrkit::rebuild
