// What bodies cost: nothing once warm, memory and time that follow their bytes.
#include "cil/bodies.h"
#include "support/allocation_counter.h"
#include "support/catch.h"
#include "support/opened.h"

#include <clrkit/dotnet/cil/max_stack.h>

#include <algorithm>
#include <ctime>

using namespace clrkit;
using namespace clrkit::cil;
using namespace clrkit::test;

namespace {

double seconds_of(const auto& work) {
    const std::clock_t begin = std::clock();
    work();
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// A method of so many instructions, every tenth a branch backwards, and what is behind its ret.
Bytes long_body(std::uint32_t instructions, const Bytes& behind = {}) {
    Bytes code;
    for (std::uint32_t i = 0; i < instructions / 10; ++i) {
        append(code, {0x02, 0x26, 0x02, 0x26, 0x02, 0x26, 0x02, 0x26, 0x02, 0x2D, 0xF5});
    }
    code.push_back(0x2A);
    append(code, behind);
    return fat_body(code);
}

}  // namespace

TEST_CASE("Once warm, no body costs an allocation, be it read, written, edited or followed") {
    const Bytes section = small_section(small_clause(0, 0, 2, 2, 1));
    const std::array bodies{with_sections({0x00, 0x26, 0x26, 0x2A}, section),
                            tiny_body({0x2B, 0x00, 0x2A}),
                            fat_body({0x45, 1, 0, 0, 0, 0, 0, 0, 0, 0x2A}),
                            tiny_body({0x24}),
                            long_body(1000),
                            tiny_body({0x2B, 0x01, 0x24, 0x2A})};
    const Opened opened = open(minimal());
    std::vector<std::uint8_t> scratch(1U << 16U);
    WriteBuffer output{scratch};
    Body body;
    Assembler assembler;
    StackDepth depth;
    constexpr std::array nops{Instruction{}, Instruction{}};
    bool written = true;
    int unbalanced = 0;
    const auto all = [&] {
        for (const Bytes& bytes : bodies) {
            output.reset();
            const bool decoded = body.read(bytes, {});
            if (decoded && !body.insert(0, nops)) written = false;
            for (const Forms forms : {Forms::keep, Forms::optimize, Forms::expand}) {
                if (!assembler.write(body, {output}, forms)) written = false;
            }
            if (decoded && !depth.compute(body, opened.metadata)) ++unbalanced;
        }
    };
    all();
    all();
    CHECK(allocations_in(all).count == 0);
    CHECK(written);
    CHECK(unbalanced == 3 * 2);
}

TEST_CASE("A method of three million instructions takes linear time and little memory") {
    // Junk at the end has all of it decoded twice: by a sweep, and as control goes.
    const Bytes behind = GENERATE(Bytes{}, Bytes{0x24});
    const Bytes small = long_body(300'000, behind);
    const Bytes large = long_body(3'000'000, behind);
    std::vector<std::uint8_t> scratch(large.size() * 6);
    WriteBuffer output{scratch};
    const auto all = [&](const Bytes& bytes) {
        Body body;
        Assembler assembler;
        REQUIRE(body.read(bytes, {}));
        REQUIRE(assembler.write(body, {output}));
        CHECK(std::ranges::equal(output.contiguous(), bytes));
        output.reset();
    };
    const double first = seconds_of([&] { all(small); });
    double second = 0;
    const Allocations counted = allocations_in([&] { second = seconds_of([&] { all(large); }); });
    // Eight bytes an instruction, four for its offset, twice that where a buffer was rounded up.
    CHECK(counted.bytes < 3'000'000ULL * 40);
    CHECK(counted.count < 64);
    CHECK(second < first * 40 + 0.5);
    std::printf("  3,000,000 instructions: %.0f ms, %llu KiB\n", second * 1000,
                static_cast<unsigned long long>(counted.bytes / 1024));
}

TEST_CASE("A switch of 100,000 targets") {
    Bytes code{0x16, 0x45};
    append(code, little_endian(100'000, 4));
    for (std::uint32_t i = 0; i < 100'000; ++i) append(code, little_endian(i % 2, 4));
    append(code, {0x00, 0x2A});
    ReadBody read = read_body(fat_body(code));
    REQUIRE(read.decoded);
    CHECK(written(read.body) == read.bytes);
    const auto targets = read.body.switch_targets(read.body.instructions()[1].operand);
    CHECK(targets.size() == 100'000);
    CHECK(targets[1] == 3);
    REQUIRE(read.body.insert(0, std::array{Instruction{}}));
    CHECK(read.body.switch_targets(read.body.instructions()[2].operand)[1] == 4);
}

TEST_CASE("10,000 clauses, read, edited around and written in linear time") {
    Bytes clauses;
    for (std::uint32_t i = 0; i < 10'000; ++i) append(clauses, fat_clause(0, i, 1, i + 1, 1));
    ReadBody read = read_body(with_sections(Bytes(10'002, 0x00), fat_section(clauses)));
    REQUIRE(read.decoded);
    CHECK(written(read.body) == read.bytes);
    std::vector<Splice> edits;
    edits.reserve(read.body.size());
    const std::array nop{Instruction{}};
    for (Label at = 0; at < read.body.size(); ++at) edits.push_back({at, 0, nop, true});
    REQUIRE(read.body.splice(edits));
    CHECK(read.body.clauses()[9'999].try_begin == 2 * 9'999);
    CHECK(written(read.body).has_value());
    const Opened opened = open(minimal());
    CHECK(compute_max_stack(read.body, opened.metadata).error().code ==
          ErrorCode::stack_unbalanced);
}

TEST_CASE("Junk in a body of 10,000 clauses, each in the handler of the one before") {
    // Each handler is a nop and a leave to the ret; the last byte is junk.
    Bytes code;
    constexpr std::uint32_t count = 10'000;
    for (std::uint32_t i = 0; i <= count; ++i) {
        append(code, code_of({{0x00, 0xDD}, little_endian((count - i) * 6, 4)}));
    }
    append(code, {0x2A, 0x24});
    Bytes clauses;
    for (std::uint32_t i = 0; i < count; ++i) {
        append(clauses, fat_clause(0, 6 * i, 6, 6 * (i + 1), 6));
    }
    const ReadBody read = read_body(with_sections(code, fat_section(clauses)));
    REQUIRE(read.decoded);
    CHECK(read.body.size() == 2 * (count + 1) + 2);
    CHECK(read.body.has_raw_regions());
    CHECK(written(read.body) == read.bytes);
}

TEST_CASE("An edit at each of 200,000 prefixes takes linear time") {
    Body body;
    for (int i = 0; i < 200'000; ++i) body.append(0xFE13);
    body.append(0x2A);
    std::vector<Splice> edits;
    const std::array nop{Instruction{}};
    for (Label at = 0; at < body.size(); ++at) edits.push_back({at, 0, nop, true});
    const double seconds = seconds_of([&] { REQUIRE(body.splice(edits)); });
    CHECK(seconds < 5);
    CHECK(body.size() == 2 * 200'001);
    // All of them go in front of the first one.
    CHECK(body.instructions()[200'000] == Instruction{});
    CHECK(body.instructions()[200'001].opcode == 0xFE13);
}

TEST_CASE("65,535 locals") {
    Body body;
    body.header().locals = 0x11000001;
    for (std::uint32_t i = 0; i < 65'535; ++i) {
        body.append(0xFE0C, i);
        body.append(0x26);
    }
    body.append(0x2A);
    const auto bytes = written(body, Forms::optimize);
    REQUIRE(bytes);
    const ReadBody again = read_body(*bytes);
    REQUIRE(again.decoded);
    const auto load_of = [&](std::size_t local) { return again.body.instructions()[2 * local]; };
    CHECK(load_of(65'534).operand == 65'534);
    CHECK(load_of(255).opcode == 0x11);
    CHECK(load_of(256).opcode == 0xFE0C);
}

TEST_CASE("A chain of branches in which each pushes the next out of reach takes linear time") {
    // Every branch spans 126 bytes while all are short, and two bytes more come in near the end.
    Body body;
    constexpr std::uint32_t count = 200'000;
    for (std::uint32_t i = 0; i < count; ++i) {
        body.append(0x2B, std::min(2 * i + 85, 2 * count));  // 2 + 1 bytes a pair
        body.append(0x00);
    }
    body.append(0x2A);
    REQUIRE(body.insert(2 * count - 10, std::array{Instruction{}, Instruction{}}));
    const double seconds = seconds_of([&] {
        const auto bytes = written(body, Forms::optimize);
        REQUIRE(bytes);
        const ReadBody again = read_body(*bytes);
        CHECK(again.decoded);
    });
    CHECK(seconds < 5);
}
