// Memory that many short-lived buffers share: rented, given back, rented again, without the heap. Small
// blocks are cut from slabs one after another, with nothing around them; larger ones have sizes of
// powers of two. Every thread keeps a few free blocks of its own, so that the common case takes no
// lock.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>

#include <cstddef>
#include <cstdint>

namespace clrkit {

class SegmentPool {
public:
    /// The pool of the process. It is never destroyed.
    static SegmentPool& shared() { return shared_; }

    /// A pool on its own, without caches by thread, so that what it does can be counted. It keeps at
    /// most `bound` bytes (and the slabs of blocks below 512 bytes); past that, every block is a
    /// mapping of its own that goes back to the system. All that it rented must have come back
    /// before it is destroyed.
    CLRKIT_API explicit SegmentPool(std::size_t bound = default_bound);
    SegmentPool(const SegmentPool&) = delete;
    SegmentPool& operator=(const SegmentPool&) = delete;
    CLRKIT_API ~SegmentPool();

    /// At least `size` bytes at a multiple of 32, contents undefined; null data when memory is
    /// refused. Safe from any thread. Under the address sanitizer a red zone follows.
    CLRKIT_API MutableByteSpan rent(std::size_t size);
    /// Takes back a whole span that `rent` of this pool returned, from any thread; an empty one is
    /// ignored.
    CLRKIT_API void give_back(MutableByteSpan rented);

    /// Lets that many more rents succeed and none after them, until it is called again: for tests of
    /// what happens when memory is refused. Not for the shared pool.
    CLRKIT_API void fail_after(std::uint64_t rents);
    static constexpr std::uint64_t never = UINT64_MAX;

    /// How many blocks are out. Those that threads keep for themselves count as well.
    CLRKIT_API std::uint64_t rented() const;
    /// Bytes the pool holds from the system for the next rents: slabs, and free blocks that are
    /// mappings of their own.
    CLRKIT_API std::size_t kept() const;

    /// What the shared pool keeps at most. Threads keep less than a megabyte each on top of it.
    static constexpr std::size_t default_bound = std::size_t{32} << 20U;

    struct State;  // in the source file

private:
    constexpr explicit SegmentPool(State& state) : state_(&state) {}

    State* state_;  // null when the system refused the memory for it
    CLRKIT_API static SegmentPool shared_;
};

}  // namespace clrkit
