// SegmentedReader beside ByteReader: the same bytes, cut in every place, read as the same values.
#include "support/allocation_counter.h"
#include "support/catch.h"

#include <clrkit/core/buffers/write_buffer.h>
#include <clrkit/core/bytes/reader.h>
#include <clrkit/core/bytes/segmented_reader.h>

#include <algorithm>
#include <array>
#include <vector>

using namespace clrkit;
using test::Allocations;
using test::allocations_in;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes counted(std::size_t size) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(1 + i * 11);
    return bytes;
}

bool same(ByteSpan a, ByteSpan b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

/// The same bytes in two spans, with an empty one between them.
std::array<ByteSpan, 3> cut(ByteSpan bytes, std::size_t at) {
    return {bytes.first(at), {}, bytes.subspan(at)};
}

/// One byte in each span.
std::vector<ByteSpan> dust(ByteSpan bytes) {
    std::vector<ByteSpan> spans(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) spans[i] = bytes.subspan(i, 1);
    return spans;
}

/// Reads the same things from both and compares after each.
void check_same(ByteSpan bytes, std::span<const ByteSpan> segments) {
    std::array<std::uint8_t, 8> scratch;
    for (unsigned first = 0; first < 7; ++first) {
        ByteReader plain(bytes);
        SegmentedReader reader(segments);
        for (unsigned i = 0; i < 12; ++i) {
            switch ((first + i) % 7) {
                case 0: CHECK(reader.u8() == plain.u8()); break;
                case 1: CHECK(reader.u16() == plain.u16()); break;
                case 2: CHECK(reader.u32() == plain.u32()); break;
                case 3: CHECK(reader.u64() == plain.u64()); break;
                case 4: CHECK(reader.compressed() == plain.compressed()); break;
                case 5: CHECK(same(reader.bytes(i), plain.bytes(i))); break;
                default: CHECK(same(reader.bytes(i, scratch), plain.bytes(i)));
            }
            CHECK(reader.ok() == plain.ok());
            CHECK(reader.position() == plain.position());
            CHECK(reader.left() == plain.left());
            reader.skip(i % 3);
            plain.skip(i % 3);
            CHECK(reader.position() == plain.position());
        }
        CHECK_FALSE(reader.refused());
    }
}

}  // namespace

TEST_CASE("Bytes cut anywhere read as the same values") {
    const Bytes bytes = counted(60);
    for (std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{60}}) {
        const ByteSpan part = ByteSpan(bytes).first(size);
        for (std::size_t at = 0; at <= size; ++at) check_same(part, cut(part, at));
        check_same(part, dust(part));
    }
}

TEST_CASE("A reader of no spans has nothing and fails on the first read") {
    SegmentedReader reader({});
    CHECK(reader.ok());
    CHECK(reader.left() == 0);
    CHECK(reader.bytes(0).empty());
    CHECK(reader.ok());
    CHECK(reader.u32() == 0);
    CHECK_FALSE(reader.ok());
    CHECK(reader.position() == 0);
}

TEST_CASE("Compressed numbers read across a boundary") {
    for (const std::uint32_t value : {0U, 0x7FU, 0x80U, 0x3FFFU, 0x4000U, 0x1FFFFFFFU}) {
        std::array<std::uint8_t, 4> form;
        const ByteSpan written = ByteSpan(form).first(write_compressed(form.data(), value));
        const std::vector<ByteSpan> spans = dust(written);
        SegmentedReader reader(spans);
        CHECK(reader.compressed() == value);
        CHECK(reader.ok());
        CHECK(reader.left() == 0);
        const std::vector<ByteSpan> fewer(spans.begin(), spans.end() - 1);
        SegmentedReader truncated(fewer);
        CHECK(truncated.compressed() == ByteReader(written.first(fewer.size())).compressed());
        CHECK_FALSE(truncated.ok());
    }
}

TEST_CASE("A reader that failed reads zeros and nothing more") {
    const Bytes bytes = counted(20);
    const auto spans = cut(bytes, 10);
    SegmentedReader reader(spans);
    CHECK(reader.u16() != 0);
    reader.fail();
    CHECK(reader.u8() == 0);
    CHECK(reader.u64() == 0);
    CHECK(reader.compressed() == 0);
    CHECK(reader.bytes(1).empty());
    reader.skip(1);
    CHECK(reader.position() == 2);
}

TEST_CASE("A count beyond the end fails before memory is asked for") {
    SegmentPool pool;
    const Bytes bytes = counted(20);
    const auto spans = cut(bytes, 10);
    SegmentedReader reader(spans, pool);
    CHECK(reader.bytes(UINT64_MAX).empty());
    CHECK_FALSE(reader.ok());
    CHECK_FALSE(reader.refused());
    CHECK(pool.kept() == 0);
    SegmentedReader other(spans, pool);
    other.skip(UINT64_MAX);
    CHECK_FALSE(other.ok());
}

TEST_CASE("Bytes in one span are a view of it, also right behind a boundary") {
    const Bytes bytes = counted(20);
    const auto spans = cut(bytes, 10);
    std::array<std::uint8_t, 32> scratch;
    SegmentedReader reader(spans);
    CHECK(reader.bytes(10, scratch).data() == bytes.data());
    CHECK(reader.bytes(10, scratch).data() == bytes.data() + 10);
    CHECK(reader.left() == 0);
}

TEST_CASE("Bytes in two spans are gathered into the scratch when they fit") {
    const Bytes bytes = counted(20);
    const auto spans = cut(bytes, 10);
    std::array<std::uint8_t, 8> scratch;
    SegmentedReader reader(spans);
    reader.skip(6);
    const ByteSpan gathered = reader.bytes(8, scratch);
    CHECK(gathered.data() == scratch.data());
    CHECK(same(gathered, ByteSpan(bytes).subspan(6, 8)));
}

TEST_CASE("Bytes that do not fit are gathered in memory that lives as long as the reader") {
    SegmentPool pool;
    const Bytes bytes = counted(300'000);
    const ByteSpan all = bytes;
    const std::array<ByteSpan, 3> spans{all.first(100), all.subspan(100, 100'000),
                                        all.subspan(100'100)};
    {
        std::array<std::uint8_t, 8> scratch;
        SegmentedReader reader(spans, pool);
        reader.skip(95);
        const ByteSpan first = reader.bytes(9, scratch);
        const ByteSpan second = reader.bytes(200'000, scratch);
        CHECK(same(first, all.subspan(95, 9)));
        CHECK(same(second, all.subspan(104, 200'000)));
        CHECK(reader.u8() == all[200'104]);
        CHECK(pool.rented() == 2);
    }
    CHECK(pool.rented() == 0);
}

TEST_CASE("A reader whose memory is refused fails and says so") {
    SegmentPool pool;
    pool.fail_after(0);
    const Bytes bytes = counted(20);
    const auto spans = cut(bytes, 10);
    SegmentedReader reader(spans, pool);
    CHECK(reader.bytes(15).empty());
    CHECK_FALSE(reader.ok());
    CHECK(reader.refused());
    CHECK(reader.position() == 0);
}

TEST_CASE("What a buffer spilled reads as it was written") {
    std::array<std::uint8_t, 10> scratch;
    WriteBuffer buffer(scratch);
    for (std::uint32_t i = 0; i < 10'000; ++i) {
        CHECK(buffer.compressed(i));
        CHECK(buffer.u32(~i));
    }
    const WriteBuffer::Segments segments = buffer.segments();
    CHECK(segments.size() > 3);
    SegmentedReader reader(segments);
    bool equal = true;
    for (std::uint32_t i = 0; i < 10'000; ++i) {
        equal = equal && reader.compressed() == i && reader.u32() == ~i;
    }
    CHECK(equal);
    CHECK(reader.ok());
    CHECK(reader.left() == 0);
}

TEST_CASE("Split reads allocate nothing on the heap") {
    const Bytes bytes = counted(20'000);
    const auto spans = cut(bytes, 5);
    const std::vector<ByteSpan> split = dust(bytes);
    std::array<std::uint8_t, 64> scratch;
    std::uint64_t total = 0;
    const auto read = [&] {
        for (const std::span<const ByteSpan> list :
             {std::span<const ByteSpan>(spans), std::span<const ByteSpan>(split)}) {
            SegmentedReader reader(list);
            total += reader.u64() + reader.compressed();
            total += reader.bytes(40, scratch).size() + reader.bytes(10'000, scratch).size();
        }
    };
    read();  // the first give-back of a thread registers what runs when it ends
    CHECK(allocations_in(read) == Allocations{});
    CHECK(total != 0);
}
