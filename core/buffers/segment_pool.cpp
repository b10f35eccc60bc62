// Renting and giving back. A free block's first bytes are the link to the next free one; nothing
// stands before or after a block, so its class follows from the size of the span alone.
#include <clrkit/core/buffers/pages.h>
#include <clrkit/core/buffers/poison.h>
#include <clrkit/core/buffers/segment_pool.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <mutex>
#include <new>
#include <utility>

namespace clrkit {
namespace {

struct FreeBlock {
    FreeBlock* next;
};

struct Slab {
    Slab* next;
};

// Classes by stride, red zone included: 32 to 256 in steps of 32, 512 to 256 KiB in powers of two, and
// one of 2 MiB: from 512 KiB on, `Pages` uses huge pages, and to touch a part of one costs as much as
// to touch it all.
constexpr std::size_t small_step = 32;
constexpr std::size_t small_classes = 8;
constexpr std::size_t huge = std::size_t{2} << 20U;
constexpr std::size_t huge_class = 18;
constexpr std::size_t class_count = huge_class + 1;
constexpr std::size_t mapped_class = 15;  // 64 KiB: from here on a block is a mapping of its own
constexpr std::size_t slab_size = std::size_t{256} << 10U;
constexpr std::size_t slab_head = 64;

/// Of a size that is not 0.
constexpr std::size_t class_of(std::size_t size) {
    if (size <= small_step * small_classes) return (size - 1) / small_step;
    if (size > std::size_t{256} << 10U) return huge_class;
    return static_cast<std::size_t>(std::bit_width(size - 1)) - 1;
}

constexpr std::size_t stride_of(std::size_t index) {
    if (index < small_classes) return (index + 1) * small_step;
    return index == huge_class ? huge : std::size_t{2} << index;
}

static_assert(class_of(1) == 0 && class_of(32) == 0 && class_of(33) == 1 && class_of(256) == 7);
static_assert(class_of(257) == 8 && class_of(512) == 8 && class_of(513) == 9);
static_assert(stride_of(8) == 512 && stride_of(mapped_class) == std::size_t{64} << 10U);
static_assert(class_of(stride_of(17)) == 17 && class_of(stride_of(17) + 1) == huge_class);

MutableByteSpan usable(void* block, std::size_t stride) {
    return {static_cast<std::uint8_t*>(block), stride - red_zone};
}

void push(FreeBlock*& first, std::uint8_t* block, std::size_t stride) {
    first = new (block) FreeBlock{first};
    poison(block, stride - red_zone);
}

FreeBlock* pop(FreeBlock*& first, std::size_t stride) {
    FreeBlock* block = first;
    unpoison(block, stride - red_zone);
    first = block->next;
    return block;
}

std::uint8_t* map(std::size_t size) {
    std::uint8_t* block = Pages(size).release().data();
    if (block != nullptr) poison(block + size - red_zone, red_zone);
    return block;
}

void unmap(void* block, std::size_t size) {
    unpoison(block, size);
    const Pages ended = Pages::adopt({static_cast<std::uint8_t*>(block), size});
}

/// What a thread keeps for itself: free blocks of the shared pool. All zero until the thread gives
/// something back, and again when it ends; `room` is how many more a class may take.
struct ThreadCache {
    static constexpr std::size_t classes = huge_class;

    std::array<FreeBlock*, classes> first;
    std::array<std::uint8_t, classes> room;
    bool opened;

    [[gnu::noinline]] void open();
    void close();
};

// No destructor and no dynamic initialization: what runs when the thread ends is registered apart, when
// the cache is opened. "initial-exec": a load where position-independent code would otherwise call a
// function; the 176 bytes fit what the loader sets aside for libraries that come later.
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadCache cache{};

constexpr std::uint8_t cached_blocks(std::size_t index) {
    constexpr std::size_t most_bytes = std::size_t{32} << 10U;
    return static_cast<std::uint8_t>(
        std::clamp(most_bytes / stride_of(index), std::size_t{1}, std::size_t{8}));
}

}  // namespace

struct SegmentPool::State {
    mutable std::mutex mutex;
    std::array<FreeBlock*, class_count> free{};
    std::uint8_t* cut = nullptr;  // of the newest slab: what is not cut yet
    std::size_t uncut = 0;
    Slab* slabs = nullptr;
    std::size_t bound = default_bound;
    std::size_t kept = 0;
    std::uint64_t rented = 0;
    std::uint64_t fail_after = never;
    std::size_t own_size = 0;  // of the mapping that this lies in

    constexpr State() = default;

    MutableByteSpan rent(std::size_t size);
    void give_back(MutableByteSpan block);
    void release_all();

private:
    MutableByteSpan take(std::size_t size);
    MutableByteSpan take_class(std::size_t index);
    std::uint8_t* cut_block(std::size_t index);
};

MutableByteSpan SegmentPool::State::rent(std::size_t size) {
    const std::scoped_lock lock(mutex);
    if (fail_after == 0) return {};
    const MutableByteSpan taken = take(size);
    if (taken.data() == nullptr) return {};
    ++rented;
    if (fail_after != never) --fail_after;
    return taken;
}

MutableByteSpan SegmentPool::State::take(std::size_t size) {
    if (size > SIZE_MAX / 4) return {};
    const std::size_t whole = size + red_zone;
    if (whole <= huge) return take_class(class_of(whole));
    const std::size_t rounded = (whole + huge - 1) / huge * huge;
    std::uint8_t* mapped = map(rounded);
    return mapped == nullptr ? MutableByteSpan{} : usable(mapped, rounded);
}

MutableByteSpan SegmentPool::State::take_class(std::size_t index) {
    if (index < mapped_class) {
        if (free[index] != nullptr)
            return usable(pop(free[index], stride_of(index)), stride_of(index));
        if (std::uint8_t* block = cut_block(index)) return usable(block, stride_of(index));
        if (index < small_classes) return {};
        index = mapped_class;  // the slabs are at the bound
    }
    const std::size_t stride = stride_of(index);
    if (free[index] != nullptr) {
        kept -= stride;
        return usable(pop(free[index], stride), stride);
    }
    std::uint8_t* mapped = map(stride);
    return mapped == nullptr ? MutableByteSpan{} : usable(mapped, stride);
}

std::uint8_t* SegmentPool::State::cut_block(std::size_t index) {
    const std::size_t stride = stride_of(index);
    if (uncut < stride) {
        if (index >= small_classes && (kept > bound || bound - kept < slab_size)) return nullptr;
        std::uint8_t* slab = Pages(slab_size).release().data();
        if (slab == nullptr) return nullptr;
        slabs = new (slab) Slab{slabs};
        kept += slab_size;
        cut = slab + slab_head;
        uncut = slab_size - slab_head;
        poison(cut, uncut);
    }
    uncut -= stride;
    std::uint8_t* block = std::exchange(cut, cut + stride);
    unpoison(block, stride - red_zone);
    return block;
}

void SegmentPool::State::give_back(MutableByteSpan block) {
    const std::size_t whole = block.size() + red_zone;
    const std::scoped_lock lock(mutex);
    assert(rented != 0);
    --rented;
    const bool mapped = whole >= stride_of(mapped_class);
    if (mapped && (whole > huge || kept > bound || bound - kept < whole)) {
        unmap(block.data(), whole);
        return;
    }
    if (mapped) kept += whole;
    push(free[class_of(whole)], block.data(), whole);
}

void SegmentPool::State::release_all() {
    assert(rented == 0);
    for (std::size_t index = mapped_class; index < class_count; ++index) {
        const std::size_t stride = stride_of(index);
        while (free[index] != nullptr) unmap(pop(free[index], stride), stride);
    }
    while (slabs != nullptr) unmap(std::exchange(slabs, slabs->next), slab_size);
}

namespace {

constinit SegmentPool::State shared_state;

void ThreadCache::open() {
    struct AtThreadEnd {
        ~AtThreadEnd() { cache.close(); }
    };
    static thread_local const AtThreadEnd at_thread_end;
    (void)&at_thread_end;
    opened = true;
    for (std::size_t index = 0; index < classes; ++index) room[index] = cached_blocks(index);
}

void ThreadCache::close() {
    for (std::size_t index = 0; index < classes; ++index) {
        const std::size_t stride = stride_of(index);
        while (first[index] != nullptr) {
            shared_state.give_back(usable(pop(first[index], stride), stride));
        }
        room[index] = 0;  // what other destructors of this thread still give back
    }
}

}  // namespace

constinit SegmentPool SegmentPool::shared_(shared_state);

SegmentPool::SegmentPool(std::size_t bound) : state_(nullptr) {
    const MutableByteSpan memory = Pages(sizeof(State)).release();
    if (memory.data() == nullptr) return;
    state_ = new (memory.data()) State;
    state_->own_size = memory.size();
    state_->bound = bound;
}

SegmentPool::~SegmentPool() {
    if (this == &shared_ || state_ == nullptr) return;
    state_->release_all();
    const std::size_t size = state_->own_size;
    state_->~State();
    unmap(state_, size);
}

MutableByteSpan SegmentPool::rent(std::size_t size) {
    if (size == 0) size = 1;
    if (this == &shared_ && size <= stride_of(ThreadCache::classes - 1) - red_zone) {
        ThreadCache& mine = cache;
        const std::size_t index = class_of(size + red_zone);
        if (mine.first[index] != nullptr) {
            ++mine.room[index];
            const std::size_t stride = stride_of(index);
            return usable(pop(mine.first[index], stride), stride);
        }
    }
    return state_ == nullptr ? MutableByteSpan{} : state_->rent(size);
}

void SegmentPool::give_back(MutableByteSpan rented) {
    if (rented.data() == nullptr) return;
    const std::size_t stride = rented.size() + red_zone;
    if (this == &shared_ && stride <= stride_of(ThreadCache::classes - 1)) {
        ThreadCache& mine = cache;
        const std::size_t index = class_of(stride);
        if (!mine.opened) mine.open();
        if (mine.room[index] != 0) {
            --mine.room[index];
            push(mine.first[index], rented.data(), stride);
            return;
        }
    }
    state_->give_back(rented);
}

void SegmentPool::fail_after(std::uint64_t rents) {
    assert(this != &shared_);
    if (state_ == nullptr) return;
    const std::scoped_lock lock(state_->mutex);
    state_->fail_after = rents;
}

std::uint64_t SegmentPool::rented() const {
    if (state_ == nullptr) return 0;
    const std::scoped_lock lock(state_->mutex);
    return state_->rented;
}

std::size_t SegmentPool::kept() const {
    if (state_ == nullptr) return 0;
    const std::scoped_lock lock(state_->mutex);
    return state_->kept;
}

}  // namespace clrkit
