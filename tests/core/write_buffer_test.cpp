// WriteBuffer by what can be read back from it, beside a vector that is written the plain way.
#include "support/allocation_counter.h"
#include "support/catch.h"

#include <clrkit/core/buffers/poison.h>
#include <clrkit/core/buffers/write_buffer.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

using namespace clrkit;
using test::Allocations;
using test::allocations_in;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes counted(std::size_t size, std::uint8_t first = 0) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(first + i * 7);
    return bytes;
}

Bytes joined(const WriteBuffer& buffer) {
    Bytes all;
    for (const ByteSpan segment : buffer.segments()) {
        all.insert(all.end(), segment.begin(), segment.end());
    }
    return all;
}

/// Every way to read a buffer says `expected`.
void check_holds(const WriteBuffer& buffer, const Bytes& expected) {
    CHECK(buffer.bytes_written() == expected.size());
    CHECK(joined(buffer) == expected);
    CHECK(buffer.to_vector() == expected);
    Bytes copy(expected.size());
    CHECK(buffer.copy_to(copy));
    CHECK(copy == expected);
    const ByteSpan whole = buffer.contiguous();
    CHECK(Bytes(whole.begin(), whole.end()) == (buffer.spilled() ? Bytes{} : expected));
    for (const ByteSpan segment : buffer.segments()) CHECK_FALSE(segment.empty());
}

/// One write of every kind, by number.
struct Step {
    bool done;
    Bytes expected;
};
constexpr unsigned kinds = 9;

Bytes little_endian(std::uint64_t value, std::size_t size) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(value >> 8 * i);
    return bytes;
}

Step write_step(WriteBuffer& buffer, unsigned kind) {
    switch (kind) {
        case 0: return {buffer.u8(0xA1), {0xA1}};
        case 1: return {buffer.u16(0xB1B2), little_endian(0xB1B2, 2)};
        case 2: return {buffer.u32(0xC1C2C3C4), little_endian(0xC1C2C3C4, 4)};
        case 3: return {buffer.u64(0xD1D2D3D4D5D6D7D8), little_endian(0xD1D2D3D4D5D6D7D8, 8)};
        case 4: return {buffer.compressed(0x7F), {0x7F}};
        case 5: return {buffer.compressed(0x3FFF), {0xBF, 0xFF}};
        case 6: return {buffer.compressed(0x1FFFFFFF), {0xDF, 0xFF, 0xFF, 0xFF}};
        case 7: return {buffer.bytes(counted(100)), counted(100)};
        default: {
            const MutableByteSpan room = buffer.reserve(50);
            if (room.data() == nullptr) return {false, Bytes(20, 0xEE)};
            std::fill(room.begin(), room.end(), std::uint8_t{0xEE});
            buffer.commit(20);
            return {true, Bytes(20, 0xEE)};
        }
    }
}

void append(Bytes& to, const Bytes& more) { to.insert(to.end(), more.begin(), more.end()); }

// A reservation that needs a segment of its own once a piece is in the one before.
constexpr std::size_t reservation = 65'400;
constexpr std::size_t piece_size = 200;

}  // namespace

TEST_CASE("A new buffer is empty, with and without scratch") {
    std::array<std::uint8_t, 16> scratch;
    const WriteBuffer with(scratch);
    const WriteBuffer without;
    for (const WriteBuffer* buffer : {&with, &without}) {
        check_holds(*buffer, {});
        CHECK(buffer->segments().empty());
        CHECK_FALSE(buffer->spilled());
        CHECK_FALSE(buffer->failed());
    }
}

TEST_CASE("What fits is written to the scratch and rents nothing") {
    SegmentPool pool;
    pool.fail_after(0);
    std::array<std::uint8_t, 64> scratch{};
    WriteBuffer buffer(scratch, pool);
    Bytes expected;
    for (unsigned kind = 0; kind < 7; ++kind) {
        const Step step = write_step(buffer, kind);
        CHECK(step.done);
        append(expected, step.expected);
    }
    check_holds(buffer, expected);
    CHECK(buffer.contiguous().data() == scratch.data());
    CHECK(std::equal(expected.begin(), expected.end(), scratch.begin()));
    CHECK(buffer.bytes(counted(scratch.size() - expected.size())));
    CHECK_FALSE(buffer.spilled());
    CHECK_FALSE(buffer.u8(1));
}

TEST_CASE("A scratch of any size gives the same bytes") {
    SegmentPool pool;
    std::array<std::uint8_t, 160> memory;
    for (std::size_t size = 0; size <= memory.size(); ++size) {
        WriteBuffer buffer(MutableByteSpan(memory).first(size), pool);
        Bytes expected;
        for (unsigned kind = 0; kind < kinds; ++kind) {
            const Step step = write_step(buffer, kind);
            REQUIRE(step.done);
            append(expected, step.expected);
        }
        CHECK(buffer.spilled() == (size < 142 + 30));
        check_holds(buffer, expected);
    }
    CHECK(pool.rented() == 0);
}

TEST_CASE("What was written never moves") {
    std::array<std::uint8_t, 16> scratch;
    WriteBuffer buffer(scratch);
    const MutableByteSpan first = buffer.reserve(10);
    buffer.commit(10);
    const MutableByteSpan second = buffer.reserve(100);
    buffer.commit(100);
    CHECK(buffer.bytes(counted(1'000'000)));
    first[0] = 1;
    second[99] = 2;
    const Bytes all = buffer.to_vector();
    CHECK(all[0] == 1);
    CHECK(all[109] == 2);
}

TEST_CASE("Many writes make few segments") {
    SegmentPool pool;
    std::array<std::uint8_t, 256> scratch;
    WriteBuffer buffer(scratch, pool);
    const Bytes piece = counted(64, 3);
    Bytes expected;
    for (int i = 0; i < 100'000; ++i) {
        REQUIRE(buffer.bytes(piece));
        append(expected, piece);
    }
    CHECK(buffer.segments().size() < 20);
    CHECK(buffer.segments()[0].data() == scratch.data());
    check_holds(buffer, expected);
}

TEST_CASE("The table of segments grows") {
    SegmentPool pool;
    WriteBuffer buffer({}, pool);
    Bytes expected;
    for (int i = 0; i < 200; ++i) {
        const Bytes piece(piece_size, static_cast<std::uint8_t>(i));
        const MutableByteSpan room = buffer.reserve(reservation);
        REQUIRE(room.size() == reservation);
        std::copy(piece.begin(), piece.end(), room.begin());
        buffer.commit(piece.size());
        append(expected, piece);
    }
    CHECK(buffer.segments().size() == 200);
    check_holds(buffer, expected);
}

TEST_CASE("A reservation of which nothing is kept leaves no empty segment") {
    SegmentPool pool;
    std::array<std::uint8_t, 8> scratch;
    WriteBuffer buffer(scratch, pool);
    CHECK(buffer.u8(1));
    CHECK(buffer.reserve(100).size() == 100);
    buffer.commit(0);
    check_holds(buffer, {1});
    CHECK(buffer.reserve(100'000).size() == 100'000);
    buffer.commit(0);
    CHECK(buffer.reserve(3'000'000).size() == 3'000'000);
    CHECK(pool.rented() == 2);  // one segment and the table
    check_holds(buffer, {1});
    CHECK(buffer.u8(2));
    check_holds(buffer, {1, 2});
}

TEST_CASE("A reservation of nothing has an address") {
    WriteBuffer buffer;
    CHECK(buffer.reserve(0).data() != nullptr);
    CHECK(buffer.bytes_written() == 0);
}

TEST_CASE("Writing no bytes does nothing") {
    SegmentPool pool;
    pool.fail_after(0);
    WriteBuffer buffer({}, pool);
    CHECK(buffer.bytes({}));
    CHECK_FALSE(buffer.failed());
    CHECK_FALSE(buffer.spilled());
}

TEST_CASE("A buffer can write what it holds itself") {
    std::array<std::uint8_t, 20> scratch;
    WriteBuffer buffer(scratch);
    const Bytes piece = counted(15);
    CHECK(buffer.bytes(piece));
    CHECK(buffer.bytes(buffer.contiguous()));
    Bytes expected = piece;
    append(expected, piece);
    check_holds(buffer, expected);
}

TEST_CASE("A number without a compressed form is not written and makes the buffer fail") {
    std::array<std::uint8_t, 8> scratch;
    WriteBuffer buffer(scratch);
    CHECK_FALSE(buffer.compressed(0x20000000));
    CHECK(buffer.failed());
    CHECK(buffer.bytes_written() == 0);
    CHECK(buffer.u8(1));
    CHECK(buffer.failed());
    buffer.reset();
    CHECK_FALSE(buffer.failed());
}

TEST_CASE("Copying to too small a place copies nothing") {
    std::array<std::uint8_t, 4> scratch;
    WriteBuffer buffer(scratch);
    CHECK(buffer.bytes(counted(1000)));
    Bytes small(999, 0xCC);
    CHECK_FALSE(buffer.copy_to(small));
    CHECK(small == Bytes(999, 0xCC));
    Bytes large(1001, 0xCC);
    CHECK(buffer.copy_to(large));
    CHECK(large[1000] == 0xCC);
}

TEST_CASE("Reset goes back to the scratch and gives the segments back") {
    SegmentPool pool;
    std::array<std::uint8_t, 32> scratch;
    WriteBuffer buffer(scratch, pool);
    CHECK(buffer.bytes(counted(10)));
    buffer.reset();
    check_holds(buffer, {});
    CHECK(buffer.bytes(counted(100'000)));
    CHECK(pool.rented() != 0);
    buffer.reset();
    CHECK(pool.rented() == 0);
    check_holds(buffer, {});
    CHECK(buffer.bytes(counted(32)));
    CHECK_FALSE(buffer.spilled());
    CHECK(buffer.contiguous().data() == scratch.data());
}

TEST_CASE("Destruction gives the segments back") {
    SegmentPool pool;
    {
        WriteBuffer buffer({}, pool);
        CHECK(buffer.bytes(counted(100'000)));
    }
    CHECK(pool.rented() == 0);
}

TEST_CASE("A moved buffer goes on where the other one was, which is empty then") {
    SegmentPool pool;
    for (const std::size_t size : {std::size_t{10}, std::size_t{100'000}}) {
        std::array<std::uint8_t, 32> scratch;
        WriteBuffer from(scratch, pool);
        CHECK(from.bytes(counted(size)));
        WriteBuffer to(std::move(from));
        Bytes expected = counted(size);
        check_holds(to, expected);
        check_holds(from, {});  // NOLINT(bugprone-use-after-move): what it holds then is promised
        CHECK(from.u8(1));
        CHECK(to.u8(2));
        expected.push_back(2);
        check_holds(to, expected);
        check_holds(from, {1});
        from = std::move(to);
        check_holds(from, expected);
        from.reset();
        CHECK(from.bytes(counted(32)));
        CHECK(from.contiguous().data() == scratch.data());
    }
    CHECK(pool.rented() == 0);
}

TEST_CASE("A failed rent leaves a buffer as it was, whichever rent it is") {
    for (std::uint64_t rents = 0;; ++rents) {
        SegmentPool pool;
        std::array<std::uint8_t, 30> scratch;
        WriteBuffer buffer(scratch, pool);
        Bytes expected;
        unsigned refused = 0;
        pool.fail_after(rents);
        for (unsigned i = 0; i < 12 * kinds; ++i) {
            const std::uint64_t rented = pool.rented();
            const std::size_t segments = buffer.segments().size();
            const Step step = i % kinds == 7 && i > 60
                                  ? Step{buffer.bytes(counted(90'000)), counted(90'000)}
                                  : write_step(buffer, i % kinds);
            if (step.done) {
                append(expected, step.expected);
                continue;
            }
            ++refused;
            CHECK(pool.rented() == rented);
            CHECK(buffer.segments().size() == segments);
            CHECK(joined(buffer) == expected);
        }
        CHECK(buffer.failed() == (refused != 0));
        check_holds(buffer, expected);
        pool.fail_after(SegmentPool::never);
        CHECK(buffer.bytes(counted(50'000)));
        append(expected, counted(50'000));
        check_holds(buffer, expected);
        buffer.reset();
        CHECK_FALSE(buffer.failed());
        CHECK(pool.rented() == 0);
        if (refused == 0) {
            CHECK(rents > 3);
            return;
        }
    }
}

TEST_CASE("A failed rent of a larger table leaves a buffer as it was") {
    SegmentPool pool;
    WriteBuffer buffer({}, pool);
    Bytes expected;
    unsigned without_segment = 0;
    unsigned without_table = 0;
    for (int i = 0; i < 40; ++i) {
        const Bytes piece(piece_size, static_cast<std::uint8_t>(i));
        pool.fail_after(0);
        without_segment += buffer.reserve(reservation).data() == nullptr ? 1U : 0U;
        CHECK(joined(buffer) == expected);
        pool.fail_after(1);
        MutableByteSpan room = buffer.reserve(reservation);
        if (room.data() == nullptr) {
            ++without_table;
            CHECK(joined(buffer) == expected);
            pool.fail_after(SegmentPool::never);
            room = buffer.reserve(reservation);
        }
        REQUIRE(room.size() == reservation);
        std::copy(piece.begin(), piece.end(), room.begin());
        buffer.commit(piece.size());
        append(expected, piece);
    }
    CHECK(without_segment == 40);
    CHECK(without_table >= 3);  // the first table and two that are twice as large
    check_holds(buffer, expected);
}

TEST_CASE("Nothing but to_vector allocates on the heap") {
    std::array<std::uint8_t, 256> scratch;
    const Bytes piece = counted(64);
    const Bytes large = counted(2048);
    Bytes copy(300'000);
    std::uint64_t total = 0;
    const auto use = [&](WriteBuffer& buffer) {
        for (int i = 0; i < 3000; ++i) total += buffer.bytes(piece) ? 1U : 0U;
        total += buffer.bytes(large) && buffer.u64(1) && buffer.compressed(300) ? 1U : 0U;
        total += buffer.reserve(10'000).size() + buffer.segments().size();
        total += buffer.copy_to(copy) ? 1U : 0U;
        buffer.reset();
        total += buffer.u8(1) ? 1U : 0U;
    };
    {
        WriteBuffer warm(scratch);
        use(warm);
    }
    CHECK(allocations_in([&] {
              WriteBuffer buffer(scratch);
              use(buffer);
              WriteBuffer moved(std::move(buffer));
              use(moved);
          }) == Allocations{});
    CHECK(total != 0);
}

TEST_CASE("Creating a buffer allocates and rents nothing") {
    SegmentPool pool;
    std::array<std::uint8_t, 8> scratch;
    std::uint64_t total = 0;
    CHECK(allocations_in([&] {
              const WriteBuffer one;
              const WriteBuffer two(scratch, pool);
              total = one.bytes_written() + two.bytes_written();
          }) == Allocations{});
    CHECK(total == 0);
    CHECK(pool.kept() == 0);
}

TEST_CASE("To_vector makes one allocation of the size of its bytes") {
    for (const std::size_t size : {std::size_t{100}, std::size_t{100'000}}) {
        std::array<std::uint8_t, 256> scratch;
        WriteBuffer buffer(scratch);
        CHECK(buffer.bytes(counted(size)));
        Bytes bytes;
        CHECK(allocations_in([&] { bytes = buffer.to_vector(); }) == Allocations{1, size});
        CHECK(bytes == counted(size));
    }
}

TEST_CASE("Buffers of two threads share one pool") {
    SegmentPool own;
    for (SegmentPool* pool : {&own, &SegmentPool::shared()}) {
        const auto work = [pool](std::uint8_t first) {
            const Bytes piece = counted(777, first);
            for (int round = 0; round < 50; ++round) {
                WriteBuffer buffer({}, *pool);
                Bytes expected;
                for (int i = 0; i < 100; ++i) {
                    if (!buffer.bytes(piece)) return false;
                    append(expected, piece);
                }
                if (buffer.to_vector() != expected) return false;
            }
            return true;
        };
        std::array<bool, 2> same{};
        std::thread one([&] { same[0] = work(1); });
        std::thread two([&] { same[1] = work(100); });
        one.join();
        two.join();
        CHECK(same[0]);
        CHECK(same[1]);
    }
}

#ifdef CLRKIT_RED_ZONES

TEST_CASE("The sanitizer sees writes behind a reservation at the end of a segment") {
    SegmentPool pool;
    WriteBuffer buffer({}, pool);
    CHECK(buffer.u8(1));
    std::size_t size = 1;
    while (pool.rented() == 2) {  // until one more byte would need another segment
        const MutableByteSpan room = buffer.reserve(size);
        if (pool.rented() != 2) break;
        CHECK(__asan_region_is_poisoned(room.data(), room.size()) == nullptr);
        if (__asan_address_is_poisoned(room.data() + size) == 1) break;
        ++size;
    }
    CHECK(pool.rented() == 2);
    CHECK(size > 4000);
    const ByteSpan segment = buffer.segments()[0];
    buffer.reset();
    CHECK(__asan_address_is_poisoned(segment.data()) == 1);
}

#endif
