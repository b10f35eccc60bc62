// Handing out memory in order.
#include <clrkit/core/buffers/region.h>

#if defined(__SANITIZE_ADDRESS__)
#define CLRKIT_RED_ZONES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CLRKIT_RED_ZONES 1
#endif
#endif

#ifdef CLRKIT_RED_ZONES
#include <sanitizer/asan_interface.h>
#endif

namespace clrkit {
namespace {

#ifdef CLRKIT_RED_ZONES
constexpr std::size_t red_zone = 32;
void poison(std::uint8_t* at) { __asan_poison_memory_region(at, red_zone); }
void unpoison(std::uint8_t* at, std::size_t size) { __asan_unpoison_memory_region(at, size); }
#else
constexpr std::size_t red_zone = 0;
void poison(std::uint8_t*) {}
void unpoison(std::uint8_t*, std::size_t) {}
#endif

}  // namespace

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
    poison(pages_.data() + start + size);
    return {pages_.data() + start, size};
}

}  // namespace clrkit
