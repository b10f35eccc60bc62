// Counts heap allocations beside time: Google Benchmark runs a few more iterations under this
// manager and reports allocs_per_iter and max_bytes_used in its JSON output.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <benchmark/benchmark.h>
#include <malloc.h>

namespace {

std::atomic<std::int64_t> allocations{0};
std::atomic<std::int64_t> live_bytes{0};
std::atomic<std::int64_t> peak_bytes{0};

void* counted(void* block) {
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    allocations.fetch_add(1, std::memory_order_relaxed);
    const auto size = static_cast<std::int64_t>(malloc_usable_size(block));
    const std::int64_t live = live_bytes.fetch_add(size, std::memory_order_relaxed) + size;
    std::int64_t peak = peak_bytes.load(std::memory_order_relaxed);
    while (live > peak && !peak_bytes.compare_exchange_weak(peak, live)) {
    }
    return block;
}

void release(void* block) noexcept {
    if (block != nullptr) {
        live_bytes.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(block)),
                             std::memory_order_relaxed);
    }
    std::free(block);
}

// No `override`: which of the two Stop exist depends on the version of Google Benchmark.
// NOLINTBEGIN(modernize-use-override)
class HeapCounter : public benchmark::MemoryManager {
public:
    void Start() {
        start_ = allocations.load();
        live_at_start_ = live_bytes.load();
        peak_bytes.store(live_at_start_);
    }

    void Stop(Result& result) {
        result.num_allocs = allocations.load() - start_;
        result.max_bytes_used = peak_bytes.load() - live_at_start_;
    }

    void Stop(Result* result) { Stop(*result); }

private:
    std::int64_t start_ = 0;
    std::int64_t live_at_start_ = 0;
};
// NOLINTEND(modernize-use-override)

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size)); }

void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto align = static_cast<std::size_t>(alignment);
    return counted(std::aligned_alloc(align, (size + align - 1) / align * align));
}

void operator delete(void* block) noexcept { release(block); }

void operator delete(void* block, std::size_t) noexcept { release(block); }

void operator delete(void* block, std::align_val_t) noexcept { release(block); }

void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 1;
    }
    HeapCounter counter;
    benchmark::RegisterMemoryManager(&counter);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::RegisterMemoryManager(nullptr);
    benchmark::Shutdown();
    return 0;
}
