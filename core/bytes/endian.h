// Little-endian integers as they stand in a file: legal at any alignment, on any host. On-disk
// structures are built of these, so that a pointer into the file can be read in place.
#pragma once

#include <clrkit/core/bytes/span.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace clrkit {

/// Reads a little-endian integer at `at`; the caller has checked that it lies inside its range.
template <class T>
T load_le(const std::uint8_t* at) {
    static_assert(std::is_unsigned_v<T>);
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
    return value;
}

/// Writes a little-endian integer at `at`; the caller has checked that it lies inside its range.
template <class T>
void store_le(std::uint8_t* at, T value) {
    static_assert(std::is_unsigned_v<T>);
    if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
    std::memcpy(at, &value, sizeof value);
}

/// A little-endian field of an on-disk structure.
template <class T>
class Le {
public:
    Le() = default;
    Le(T value) { store_le(bytes_, value); }  // NOLINT(google-explicit-constructor): it is a field
    operator T() const { return load_le<T>(bytes_); }  // NOLINT(google-explicit-constructor)
    Le& operator=(T value) {
        store_le(bytes_, value);
        return *this;
    }

private:
    std::uint8_t bytes_[sizeof(T)];
};

using le16 = Le<std::uint16_t>;
using le32 = Le<std::uint32_t>;
using le64 = Le<std::uint64_t>;
static_assert(alignof(le64) == 1 && sizeof(le64) == 8 && std::is_trivially_copyable_v<le64>);

/// The on-disk structure at `offset`, in place, or null when it does not lie inside `bytes` whole.
template <class T>
const T* view_at(ByteSpan bytes, std::uint64_t offset) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) == 1);
    if (!fits(bytes.size(), offset, sizeof(T))) return nullptr;
    return reinterpret_cast<const T*>(bytes.data() + offset);
}

}  // namespace clrkit
