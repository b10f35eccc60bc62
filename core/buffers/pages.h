// Anonymous memory straight from the system, zeroed. Large ranges are 2 MiB aligned and ask for huge
// pages: a page fault costs more than most of what is then done with the page.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace clrkit {

class Pages {
public:
    /// At least `size` bytes; `data()` is null when the system refuses, or when `size` is 0.
    CLRKIT_API explicit Pages(std::size_t size);
    Pages() = default;
    CLRKIT_API Pages(Pages&& other) noexcept;
    CLRKIT_API Pages& operator=(Pages&& other) noexcept;
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    CLRKIT_API ~Pages();

    /// The bytes without their owner: for memory whose owner is a list that lies inside of it. Ends
    /// with `adopt` of all of them.
    MutableByteSpan release() { return {std::exchange(data_, nullptr), std::exchange(size_, 0)}; }
    static Pages adopt(MutableByteSpan released) {
        Pages pages;
        pages.data_ = released.data();
        pages.size_ = released.size();
        return pages;
    }

    std::uint8_t* data() const { return data_; }
    /// Bytes mapped: the size asked for, rounded up to whole pages.
    std::size_t size() const { return size_; }
    MutableByteSpan first(std::size_t count) const { return {data_, count}; }

private:
    std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace clrkit
