// Compressed unsigned integers, written (ECMA-335 II.23.2). `ByteReader::compressed` reads them.
#pragma once

#include <cstdint>

namespace clrkit {

inline constexpr std::uint32_t largest_compressed = 0x1FFFFFFF;

/// Bytes of the shortest form of `value`.
constexpr std::uint32_t compressed_size(std::uint64_t value) {
    if (value < 0x80) return 1;
    return value < 0x4000 ? 2 : 4;
}

/// Writes the shortest form of `value`, at most `largest_compressed`, to `to`, which has room for
/// four bytes. Returns how many were written.
inline std::uint32_t write_compressed(std::uint8_t* to, std::uint32_t value) {
    if (value < 0x80) {
        to[0] = static_cast<std::uint8_t>(value);
        return 1;
    }
    if (value < 0x4000) {
        to[0] = static_cast<std::uint8_t>(0x80U | value >> 8U);
        to[1] = static_cast<std::uint8_t>(value);
        return 2;
    }
    to[0] = static_cast<std::uint8_t>(0xC0U | value >> 24U);
    to[1] = static_cast<std::uint8_t>(value >> 16U);
    to[2] = static_cast<std::uint8_t>(value >> 8U);
    to[3] = static_cast<std::uint8_t>(value);
    return 4;
}

}  // namespace clrkit
