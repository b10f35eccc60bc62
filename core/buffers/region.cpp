// Handing out memory in order.
#include <clrkit/core/buffers/poison.h>
#include <clrkit/core/buffers/region.h>

namespace clrkit {

bool Region::reserve(std::size_t capacity) {
    if (used_ != 0) unpoison(pages_.data(), used_);
    used_ = 0;
    if (pages_.size() >= capacity) return true;
    pages_ = Pages();  // first, so that the old one need not be there beside the new one
    pages_ = Pages(capacity);
    return pages_.data() != nullptr;
}

MutableByteSpan Region::take(std::size_t size, std::size_t alignment) {
    const std::size_t start = (used_ + alignment - 1) / alignment * alignment;
    if (start > pages_.size() || pages_.size() - start < red_zone ||
        pages_.size() - start - red_zone < size) {
        return {};
    }
    used_ = start + size + red_zone;
    poison(pages_.data() + start + size, red_zone);
    return {pages_.data() + start, size};
}

}  // namespace clrkit
