// Byte ranges and the only ways to cut them. Sizes are compared, never pointers, and every offset
// read from a file is 64 bits wide, so `offset + size` cannot wrap.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace clrkit {

/// Bytes somebody else owns.
using ByteSpan = std::span<const std::uint8_t>;
/// Bytes somebody else owns and lets us change.
using MutableByteSpan = std::span<std::uint8_t>;

/// True when `size` bytes at `offset` lie inside `total` bytes.
constexpr bool fits(std::uint64_t total, std::uint64_t offset, std::uint64_t size) {
    return size <= total && offset <= total - size;
}

/// `size` bytes at `offset`, or nothing when they do not lie inside `bytes` whole.
inline std::optional<ByteSpan> slice(ByteSpan bytes, std::uint64_t offset, std::uint64_t size) {
    if (!fits(bytes.size(), offset, size)) return std::nullopt;
    return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

/// As much of `size` bytes at `offset` as exists; empty when `offset` is past the end.
inline ByteSpan slice_clamped(ByteSpan bytes, std::uint64_t offset, std::uint64_t size) {
    if (offset >= bytes.size()) return {};
    const std::uint64_t left = bytes.size() - offset;
    return bytes.subspan(static_cast<std::size_t>(offset),
                         static_cast<std::size_t>(size < left ? size : left));
}

/// The bytes from `offset` on; empty when `offset` is past the end.
inline ByteSpan tail(ByteSpan bytes, std::uint64_t offset) {
    return slice_clamped(bytes, offset, bytes.size());
}

/// True when every byte is zero.
inline bool all_zero(ByteSpan bytes) {
    const std::uint8_t* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; at += 8, left -= 8) {
        std::uint64_t word;
        std::memcpy(&word, at, sizeof word);
        if (word != 0) return false;
    }
    for (; left != 0; ++at, --left) {
        if (*at != 0) return false;
    }
    return true;
}

}  // namespace clrkit
