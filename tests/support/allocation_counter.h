// Counts heap allocations, so that a test or a benchmark can say how many a piece of work makes. To
// link allocation_counter.cpp is to count: it replaces every `operator new`, or under the address
// sanitizer listens to its allocator, which counts malloc too.
#pragma once

#include <cstdint>

namespace clrkit::test {

/// What this thread has allocated since it started; only differences mean anything.
struct Allocations {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  // as asked for
    friend bool operator==(const Allocations&, const Allocations&) = default;
};
Allocations allocations_so_far();
/// The same of all threads together.
Allocations all_allocations_so_far();

/// What `work` allocates on this thread.
template <class Work>
Allocations allocations_in(Work work) {
    const Allocations before = allocations_so_far();
    work();
    const Allocations after = allocations_so_far();
    return {after.count - before.count, after.bytes - before.bytes};
}

/// What `work` allocates on this and all other threads.
template <class Work>
Allocations all_allocations_in(Work work) {
    const Allocations before = all_allocations_so_far();
    work();
    const Allocations after = all_allocations_so_far();
    return {after.count - before.count, after.bytes - before.bytes};
}

}  // namespace clrkit::test
