// A long range of bytes with a few small changes: a list of spans to write, without a copy.
#pragma once

#include <clrkit/core/bytes/endian.h>
#include <clrkit/core/bytes/span.h>

#include <array>
#include <cstdint>
#include <vector>

namespace clrkit {

class PatchedBytes {
public:
    explicit PatchedBytes(ByteSpan base) : base_(base) {}

    /// Replaces the bytes of an integer at `offset`, which must lie inside the base.
    template <class T>
    void put(std::uint64_t offset, T value) {
        static_assert(sizeof(T) <= sizeof(Patch::bytes));
        Patch patch{offset, sizeof(T), {}, false};
        store_le(patch.bytes.data(), value);
        patches_.push_back(patch);
    }
    /// Replaces a range by zeros.
    void zero(std::uint64_t offset, std::uint64_t size) {
        if (size != 0) patches_.push_back({offset, size, {}, true});
    }
    /// Cuts the end off.
    void truncate(std::uint64_t size) { base_ = slice_clamped(base_, 0, size); }

    std::uint64_t size() const { return base_.size(); }
    /// The spans in order. They point into the base and into this object. Where patches overlap,
    /// the one that begins first wins.
    std::vector<ByteSpan> parts();

private:
    struct Patch {
        std::uint64_t offset;
        std::uint64_t size;
        std::array<std::uint8_t, 8> bytes;
        bool zeros;
    };

    ByteSpan base_;
    std::vector<Patch> patches_;
};

}  // namespace clrkit
