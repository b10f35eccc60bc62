// Working memory: address space reserved once, handed out in order, reset and used again. Pages are
// fetched from the system when first touched, two megabytes at a time, so a large reservation costs
// nothing. Not thread-safe: a job has its own.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/buffers/pages.h>
#include <clrkit/core/bytes/span.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace clrkit {

class Region {
public:
    Region() = default;

    /// Makes room for `capacity` bytes in all and takes back what was handed out. Keeps the
    /// reservation where it is large enough. False when the system refuses.
    CLRKIT_API bool reserve(std::size_t capacity);

    /// `size` bytes at a multiple of `alignment`, contents undefined; null data when the region is
    /// full. Under the address sanitizer a red zone follows.
    CLRKIT_API MutableByteSpan take(std::size_t size, std::size_t alignment = 16);

    /// An array of `count` undefined elements; empty when the region is full.
    template <class T>
    std::span<T> take_array(std::size_t count) {
        static_assert(std::is_trivially_copyable_v<T>);
        if (count > SIZE_MAX / sizeof(T)) return {};
        const MutableByteSpan bytes = take(count * sizeof(T));
        return {reinterpret_cast<T*>(bytes.data()), bytes.data() == nullptr ? 0 : count};
    }
    /// The same, zeroed.
    template <class T>
    std::span<T> take_zeroed(std::size_t count) {
        const std::span<T> array = take_array<T>(count);
        if (!array.empty()) std::memset(array.data(), 0, array.size_bytes());
        return array;
    }

    /// Bytes handed out since the last `reserve`.
    std::size_t used() const { return used_; }
    std::size_t left() const { return pages_.size() - used_; }

private:
    Pages pages_;
    std::size_t used_ = 0;
};

}  // namespace clrkit
