// The pool by what it hands out. Pools on their own, so that the counts are exact; the shared one for
// the caches of the threads.
#include "support/allocation_counter.h"
#include "support/catch.h"

#include <clrkit/core/buffers/poison.h>
#include <clrkit/core/buffers/segment_pool.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <vector>

using namespace clrkit;
using test::Allocations;
using test::allocations_in;

namespace {

constexpr std::array<std::size_t, 16> sizes{
    0, 1, 24, 32, 200, 256, 257, 512, 4000, 4096, 4097, 40'000, 65536, 70000, 300000, 5 << 20};

void fill(MutableByteSpan block, std::uint8_t value) {
    std::memset(block.data(), value, block.size());
}

bool holds_only(ByteSpan block, std::uint8_t value) {
    return std::all_of(block.begin(), block.end(),
                       [=](std::uint8_t byte) { return byte == value; });
}

/// Rents blocks of every size, fills each with a number of its own, and gives them back; false when
/// a block was not whole or somebody else wrote to it.
bool rent_fill_check(SegmentPool& pool, unsigned rounds, std::uint8_t mark) {
    bool whole = true;
    for (unsigned round = 0; round < rounds; ++round) {
        std::array<MutableByteSpan, 12> blocks;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            blocks[i] = pool.rent(sizes[i]);
            whole = whole && blocks[i].data() != nullptr && blocks[i].size() >= sizes[i];
            fill(blocks[i], static_cast<std::uint8_t>(mark + i));
        }
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            whole = whole && holds_only(blocks[i], static_cast<std::uint8_t>(mark + i));
            pool.give_back(blocks[i]);
        }
    }
    return whole;
}

}  // namespace

TEST_CASE("Blocks of every size are large enough, aligned, and do not overlap") {
    SegmentPool pool;
    std::vector<MutableByteSpan> blocks;
    for (int round = 0; round < 3; ++round) {
        for (const std::size_t size : sizes) {
            blocks.push_back(pool.rent(size));
            REQUIRE(blocks.back().data() != nullptr);
            CHECK(blocks.back().size() >= size);
            CHECK(reinterpret_cast<std::uintptr_t>(blocks.back().data()) % 32 == 0);
            fill(blocks.back(), static_cast<std::uint8_t>(blocks.size()));
        }
    }
    CHECK(pool.rented() == blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        CHECK(holds_only(blocks[i], static_cast<std::uint8_t>(i + 1)));
        pool.give_back(blocks[i]);
    }
    CHECK(pool.rented() == 0);
}

TEST_CASE("A block that came back is the next one of its size") {
    SegmentPool pool;
    for (const std::size_t size : {std::size_t{24}, std::size_t{4000}, std::size_t{100'000}}) {
        const MutableByteSpan first = pool.rent(size);
        pool.give_back(first);
        const MutableByteSpan second = pool.rent(size);
        CHECK(second.data() == first.data());
        CHECK(second.size() == first.size());
        pool.give_back(second);
    }
}

TEST_CASE("A size that no machine has is refused and changes nothing") {
    SegmentPool pool;
    CHECK(pool.rent(SIZE_MAX).data() == nullptr);
    CHECK(pool.rent(SIZE_MAX / 8).data() == nullptr);
    CHECK(SegmentPool::shared().rent(SIZE_MAX).data() == nullptr);
    CHECK(pool.rented() == 0);
    CHECK(pool.kept() == 0);
}

TEST_CASE("Giving back an empty span does nothing") {
    SegmentPool pool;
    pool.give_back({});
    SegmentPool::shared().give_back({});
    CHECK(pool.rented() == 0);
}

TEST_CASE("A pool keeps no more than its bound") {
    constexpr std::size_t bound = std::size_t{1} << 20U;
    SegmentPool pool(bound);
    std::vector<MutableByteSpan> blocks(1040);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        blocks[i] = pool.rent(i < 1000 ? 4000 : 200'000);
    }
    for (const MutableByteSpan block : blocks) {
        REQUIRE(block.data() != nullptr);
        fill(block, 1);
    }
    for (const MutableByteSpan block : blocks) pool.give_back(block);
    CHECK(pool.rented() == 0);
    CHECK(pool.kept() > 0);
    CHECK(pool.kept() <= bound);
}

TEST_CASE("A pool that may keep nothing still rents") {
    SegmentPool pool(0);
    const MutableByteSpan block = pool.rent(4096);
    REQUIRE(block.data() != nullptr);
    fill(block, 1);
    pool.give_back(block);
    CHECK(pool.kept() == 0);
}

TEST_CASE("After fail_after as many rents succeed and no more until it is called again") {
    SegmentPool pool;
    pool.fail_after(2);
    const MutableByteSpan first = pool.rent(10);
    const MutableByteSpan second = pool.rent(10'000);
    CHECK(first.data() != nullptr);
    CHECK(second.data() != nullptr);
    CHECK(pool.rent(10).data() == nullptr);
    CHECK(pool.rent(10'000).data() == nullptr);
    CHECK(pool.rented() == 2);
    pool.give_back(first);
    CHECK(pool.rent(10).data() == nullptr);
    pool.fail_after(SegmentPool::never);
    const MutableByteSpan third = pool.rent(10);
    CHECK(third.data() != nullptr);
    pool.give_back(second);
    pool.give_back(third);
}

TEST_CASE("Renting never allocates on the heap") {
    bool whole = true;
    // The first give-back of a thread registers what runs when it ends, which is malloc's.
    SegmentPool::shared().give_back(SegmentPool::shared().rent(1));
    CHECK(allocations_in([&] { whole = rent_fill_check(SegmentPool::shared(), 3, 1); }) ==
          Allocations{});
    CHECK(whole);
    CHECK(allocations_in([&] {
              SegmentPool pool;
              whole = rent_fill_check(pool, 3, 1);
          }) == Allocations{});
    CHECK(whole);
}

TEST_CASE("Two threads rent from one pool at a time") {
    SegmentPool own;
    for (SegmentPool* pool : {&own, &SegmentPool::shared()}) {
        std::array<bool, 2> whole{};
        std::thread first([&] { whole[0] = rent_fill_check(*pool, 300, 0x10); });
        std::thread second([&] { whole[1] = rent_fill_check(*pool, 300, 0x80); });
        first.join();
        second.join();
        CHECK(whole[0]);
        CHECK(whole[1]);
    }
    CHECK(own.rented() == 0);
}

TEST_CASE("A block may come back from another thread") {
    std::vector<MutableByteSpan> blocks(200);
    for (MutableByteSpan& block : blocks) block = SegmentPool::shared().rent(4000);
    std::thread other([&] {
        for (const MutableByteSpan block : blocks) SegmentPool::shared().give_back(block);
    });
    other.join();
    CHECK(rent_fill_check(SegmentPool::shared(), 10, 1));
}

TEST_CASE("A thread that ends gives back what it kept for itself") {
    const std::uint64_t before = SegmentPool::shared().rented();
    std::thread other([] { (void)rent_fill_check(SegmentPool::shared(), 3, 1); });
    other.join();
    CHECK(SegmentPool::shared().rented() == before);
}

#ifdef CLRKIT_RED_ZONES

TEST_CASE("The sanitizer sees writes behind a rented block and to one that was given back") {
    SegmentPool own;
    SegmentPool without_slabs(0);
    for (SegmentPool* pool : {&own, &without_slabs, &SegmentPool::shared()}) {
        for (const std::size_t size : sizes) {
            const MutableByteSpan block = pool->rent(size);
            REQUIRE(block.data() != nullptr);
            CHECK(__asan_region_is_poisoned(block.data(), block.size()) == nullptr);
            CHECK(__asan_address_is_poisoned(block.data() + block.size()) == 1);
            CHECK(__asan_address_is_poisoned(block.data() + block.size() + red_zone - 1) == 1);
            pool->give_back(block);
        }
    }
    const MutableByteSpan block = own.rent(4000);
    own.give_back(block);
    CHECK(__asan_address_is_poisoned(block.data()) == 1);
    CHECK(__asan_address_is_poisoned(block.data() + 3999) == 1);
}

#endif
