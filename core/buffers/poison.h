// Red zones: bytes that nobody may touch, where the address sanitizer looks on; nothing elsewhere.
#pragma once

#include <cstddef>

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

#ifdef CLRKIT_RED_ZONES
inline constexpr std::size_t red_zone = 32;
inline void poison(const void* at, std::size_t size) { __asan_poison_memory_region(at, size); }
inline void unpoison(const void* at, std::size_t size) { __asan_unpoison_memory_region(at, size); }
#else
inline constexpr std::size_t red_zone = 0;
inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
#endif

}  // namespace clrkit
