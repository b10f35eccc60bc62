// The shape of an array (ECMA-335 II.23.2.13) and the signed integers in it (II.23.2). A view: the
// blob owns the bytes.
#pragma once

#include <clrkit/core/bytes/compressed.h>
#include <clrkit/core/bytes/reader.h>
#include <clrkit/core/bytes/span.h>

#include <cstdint>
#include <optional>

namespace clrkit {

/// Reads a compressed signed integer: the sign is the lowest bit, and where it goes depends on how
/// many bytes the number takes.
inline std::int32_t read_compressed_signed(ByteReader& reader) {
    const std::size_t start = reader.position();
    const std::uint32_t rotated = reader.compressed();
    const std::size_t size = reader.position() - start;
    unsigned bits = 29;
    if (size <= 2) bits = size == 1 ? 7 : 14;
    std::uint32_t value = rotated >> 1U;
    if ((rotated & 1U) != 0) value |= ~std::uint32_t{0} << (bits - 1);
    return static_cast<std::int32_t>(value);
}

inline constexpr std::int32_t least_compressed_signed = -(1 << 28);
inline constexpr std::int32_t largest_compressed_signed = (1 << 28) - 1;

/// Writes the shortest form of `value`, which is in the range above, to `to`, which has room for four
/// bytes. Returns how many were written.
inline std::uint32_t write_compressed_signed(std::uint8_t* to, std::int32_t value) {
    const auto bits = static_cast<std::uint32_t>(value);
    const std::uint32_t sign = value < 0 ? 1U : 0U;
    const auto rotated = [&](unsigned width) {
        return (bits << 1U & ((std::uint32_t{1} << width) - 1)) | sign;
    };
    if (value >= -0x40 && value < 0x40) {
        to[0] = static_cast<std::uint8_t>(rotated(7));
        return 1;
    }
    if (value >= -0x2000 && value < 0x2000) {
        // The number of bytes says where the sign is: a small rotated number keeps its two.
        to[0] = static_cast<std::uint8_t>(0x80U | rotated(14) >> 8U);
        to[1] = static_cast<std::uint8_t>(rotated(14));
        return 2;
    }
    to[0] = static_cast<std::uint8_t>(0xC0U | rotated(29) >> 24U);
    to[1] = static_cast<std::uint8_t>(rotated(29) >> 16U);
    to[2] = static_cast<std::uint8_t>(rotated(29) >> 8U);
    to[3] = static_cast<std::uint8_t>(rotated(29));
    return 4;
}

/// Rank, sizes and lower bounds of an array, read from bytes that a walk has checked.
class ArrayShape {
public:
    /// What is known of one dimension.
    struct Dimension {
        std::optional<std::uint32_t> size;
        std::optional<std::int32_t> lower_bound;
    };
    /// Gives the dimensions one after the other.
    class Dimensions {
    public:
        Dimension next() {
            Dimension dimension;
            if (sizes_left_ != 0) {
                --sizes_left_;
                dimension.size = sizes_.compressed();
            }
            if (bounds_left_ != 0) {
                --bounds_left_;
                dimension.lower_bound = read_compressed_signed(bounds_);
            }
            return dimension;
        }

    private:
        friend class ArrayShape;
        Dimensions(const ByteReader& sizes, std::uint32_t size_count, const ByteReader& bounds,
                   std::uint32_t bound_count)
            : sizes_(sizes), bounds_(bounds), sizes_left_(size_count), bounds_left_(bound_count) {}

        ByteReader sizes_;
        ByteReader bounds_;
        std::uint32_t sizes_left_;
        std::uint32_t bounds_left_;
    };

    explicit ArrayShape(ByteSpan bytes) : bytes_(bytes), sizes_(bytes), bounds_(bytes) {
        rank_ = sizes_.compressed();
        size_count_ = sizes_.compressed();
        bounds_ = sizes_;
        for (std::uint32_t i = 0; i < size_count_ && bounds_.ok(); ++i) (void)bounds_.compressed();
        bound_count_ = bounds_.compressed();
    }

    /// Any number: 0 and beyond what a runtime loads, in a hostile file.
    std::uint32_t rank() const { return rank_; }
    /// How many of the first dimensions have a size; at most `rank()`.
    std::uint32_t size_count() const { return size_count_; }
    /// How many of the first dimensions have a lower bound; at most `rank()`.
    std::uint32_t lower_bound_count() const { return bound_count_; }
    Dimensions dimensions() const { return {sizes_, size_count_, bounds_, bound_count_}; }
    /// As they stand in the blob, also where a number is longer than needed.
    ByteSpan bytes() const { return bytes_; }

private:
    ByteSpan bytes_;
    ByteReader sizes_;
    ByteReader bounds_;
    std::uint32_t rank_ = 0;
    std::uint32_t size_count_ = 0;
    std::uint32_t bound_count_ = 0;
};

}  // namespace clrkit
