#include "support/allocation_counter.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define CLRKIT_COUNT_BY_HOOKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CLRKIT_COUNT_BY_HOOKS 1
#endif
#endif

namespace {

constinit thread_local clrkit::test::Allocations counted;
constinit std::atomic<std::uint64_t> all_counts{0};
constinit std::atomic<std::uint64_t> all_bytes{0};

void count(std::size_t bytes) {
    ++counted.count;
    counted.bytes += bytes;
    all_counts.fetch_add(1, std::memory_order_relaxed);
    all_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace

namespace clrkit::test {

Allocations allocations_so_far() { return counted; }
Allocations all_allocations_so_far() { return {all_counts.load(), all_bytes.load()}; }

}  // namespace clrkit::test

#ifdef CLRKIT_COUNT_BY_HOOKS

// Replaced operators would hide from the sanitizer which `delete` belongs to which `new`.
#include <sanitizer/allocator_interface.h>

namespace {

const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void* block, std::size_t bytes) {
        if (block != nullptr) count(bytes);
    },
    [](const volatile void*) {});

}  // namespace

#else

// All forms are replaced, not only the ones that the others call by default: whether they do depends
// on the library they come from.
// NOLINTBEGIN(cppcoreguidelines-no-malloc)
namespace {

void* allocate(std::size_t bytes) noexcept {
    count(bytes);
    return std::malloc(bytes != 0 ? bytes : 1);
}

void* allocate(std::size_t bytes, std::align_val_t alignment) noexcept {
    count(bytes);
    const auto unit = static_cast<std::size_t>(alignment);
    return std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
}

void* or_throw(void* block) {
    if (block == nullptr) throw std::bad_alloc();
    return block;
}

}  // namespace

void* operator new(std::size_t n) { return or_throw(allocate(n)); }
void* operator new[](std::size_t n) { return or_throw(allocate(n)); }
void* operator new(std::size_t n, std::align_val_t a) { return or_throw(allocate(n, a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return or_throw(allocate(n, a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return allocate(n, a);
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return allocate(n, a);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
// NOLINTEND(cppcoreguidelines-no-malloc)

#endif
