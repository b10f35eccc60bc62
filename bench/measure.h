// What every case reports beside time, per iteration: heap allocations, their bytes, page faults.
#pragma once

#include "support/allocation_counter.h"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>

namespace clrkit::bench {

/// Minor page faults of this process so far: the ones that cost a fresh page, not a disk access.
inline std::int64_t page_faults() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/// Declared in front of the measured loop; its destructor sets the counters.
class Costs {
public:
    explicit Costs(benchmark::State& state) : state_(state) {}
    Costs(const Costs&) = delete;
    Costs& operator=(const Costs&) = delete;
    ~Costs() {
        const test::Allocations now = test::all_allocations_so_far();
        report("allocs", now.count - allocations_.count);
        report("heap_B", now.bytes - allocations_.bytes);
        report("faults", static_cast<std::uint64_t>(page_faults() - faults_));
    }

private:
    void report(const char* name, std::uint64_t total) {
        state_.counters[name] =
            benchmark::Counter(static_cast<double>(total), benchmark::Counter::kAvgIterations);
    }

    benchmark::State& state_;
    test::Allocations allocations_ = test::all_allocations_so_far();
    std::int64_t faults_ = page_faults();
};

}  // namespace clrkit::bench
