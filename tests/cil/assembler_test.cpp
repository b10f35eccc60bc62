// Writing bodies: forms that are kept, shortened, lengthened, and what no longer fits.
#include "cil/bodies.h"
#include "support/catch.h"

using namespace clrkit;
using namespace clrkit::cil;
using namespace clrkit::test;

namespace {

constexpr Instruction nop{0x00, 0, 0};
constexpr Instruction ret{0x2A, 0, 0};

std::uint32_t code_size_of(const Bytes& body) {
    return measure_body(body, 0).value_or(BodyExtent{}).code_size;
}

/// `count` nops, inserted at a place.
void pad(Body& body, Label at, std::size_t count) {
    REQUIRE(body.insert(at, std::vector<Instruction>(count, nop), false));
}

}  // namespace

TEST_CASE("A body is built from nothing") {
    Body body;
    const Label start = body.append(0x02);  // ldarg.0
    body.append(0x2D, start);               // brtrue.s
    body.append(0x23, body.add_wide(0x3FF0000000000000));
    body.append(0x26);
    body.append(ret);
    CHECK(written(body) ==
          tiny_body({0x02, 0x2D, 0xFD, 0x23, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0x26, 0x2A}));
    body.header().max_stack = 9;
    const auto fat = written(body);
    REQUIRE(fat);
    CHECK((*fat)[0] == 0x03);
    CHECK((*fat)[2] == 9);
}

TEST_CASE("A short branch becomes long exactly when its target is out of reach") {
    for (const std::uint32_t between : {127U, 128U}) {
        Body body;
        body.append(0x2B, between + 1);
        for (std::uint32_t i = 0; i < between; ++i) body.append(nop);
        body.append(ret);
        const auto bytes = written(body);
        REQUIRE(bytes);
        CHECK((*bytes)[12] == (between == 127 ? 0x2B : 0x38));
        const ReadBody again = read_body(*bytes);
        REQUIRE(again.decoded);
        CHECK(again.body.instructions()[0].operand == between + 1);
    }
    for (const std::uint32_t between : {126U, 127U}) {
        Body body;
        for (std::uint32_t i = 0; i < between; ++i) body.append(nop);
        body.append(0x2B, 0);
        const auto bytes = written(body);
        REQUIRE(bytes);
        CHECK((*bytes)[12 + between] == (between == 126 ? 0x2B : 0x38));
    }
}

TEST_CASE("A branch that becomes long pushes others out of reach, and all of them land") {
    constexpr std::uint32_t branches = 2000;
    Body body;
    // Each leads over 63 others: 126 bytes while all are short.
    for (std::uint32_t i = 0; i < branches; ++i) body.append(0x2B, std::min(i + 64, branches));
    body.append(ret);
    // One nop more for the last: the chain unrolls from its end.
    pad(body, branches - 1, 2);
    const auto bytes = written(body, Forms::optimize);
    REQUIRE(bytes);
    const ReadBody again = read_body(*bytes);
    REQUIRE(again.decoded);
    for (Label i = 0; i < body.size(); ++i) {
        if (body.instructions()[i].operand != again.body.instructions()[i].operand) {
            FAIL("branch " << i);
        }
    }
}

TEST_CASE("Every form is kept: long branches that could be short, ldloc.s 0, fat headers") {
    const Bytes code = code_of({{0x38, 0, 0, 0, 0},
                                {0x11, 0x00},
                                {0x26},
                                {0x20, 1, 0, 0, 0},
                                {0xFE, 0x0C, 1, 0},
                                {0xFE, 0x12, 0x01, 0x4A},
                                {0x2A}});
    const ReadBody read = read_body(fat_body(code, 3, 0x11000001));
    REQUIRE(read.decoded);
    CHECK(written(read.body) == read.bytes);
}

TEST_CASE("Optimizing takes the short forms, and expanding the long ones") {
    const Bytes long_code = code_of({{0x38, 0, 0, 0, 0},    // br
                                     {0xFE, 0x09, 0, 0},    // ldarg 0
                                     {0x20, 5, 0, 0, 0},    // ldc.i4 5
                                     {0xFE, 0x0E, 200, 0},  // stloc 200
                                     {0x26},
                                     {0x2A}});
    const Bytes short_code{0x2B, 0x00, 0x02, 0x1B, 0x13, 200, 0x26, 0x2A};
    Bytes fat = fat_body(long_code);
    fat[0] = 0x03;  // not init_locals: a tiny header does not say it either
    const ReadBody long_body = read_body(fat);
    const ReadBody short_body = read_body(tiny_body(short_code));
    CHECK(written(long_body.body, Forms::optimize) == short_body.bytes);
    CHECK(written(short_body.body, Forms::expand) == long_body.bytes);
    CHECK(written(long_body.body) == long_body.bytes);
    CHECK(written(short_body.body) == short_body.bytes);
}

TEST_CASE("A header stays fat where it says something that a tiny one cannot") {
    const Bytes code{0x16, 0xFE, 0x0F, 0x26, 0x2A};  // localloc
    Bytes zeroed = fat_body(code);
    zeroed[0] |= 0x10;
    Bytes odd = fat_body({0x2A});
    odd[1] |= 0x02;
    for (const Bytes& bytes : {zeroed, odd, fat_body({0x2A}, 9), fat_body({0x2A}, 8, 0x11000001),
                               fat_body(Bytes(64, 0x00))}) {
        const ReadBody read = read_body(bytes);
        CHECK(written(read.body, Forms::optimize) == bytes);
    }
    // Without localloc the flag says nothing where there are no locals.
    Bytes plain = fat_body({0x2A});
    plain[0] |= 0x10;
    CHECK(written(read_body(plain).body, Forms::optimize) == tiny_body({0x2A}));
}

TEST_CASE(
    "A tiny body that grows gets a fat header, and small clauses that no longer fit fat ones") {
    ReadBody tiny = read_body(tiny_body({0x00, 0x2A}));
    pad(tiny.body, 0, 62);
    auto bytes = written(tiny.body);
    REQUIRE(bytes);
    CHECK(((*bytes)[0] & 7U) == 3);
    CHECK(code_size_of(*bytes) == 64);

    const Bytes code{0x00, 0xDE, 0x01, 0xDC, 0x2A};
    ReadBody clause = read_body(with_sections(code, small_section(small_clause(2, 0, 3, 3, 1, 0))));
    REQUIRE(clause.decoded);
    pad(clause.body, 1, 252);
    bytes = written(clause.body);
    REQUIRE(bytes);
    CHECK((*bytes)[bytes->size() - 16] == 0x01);  // 255 bytes: still small
    pad(clause.body, 1, 1);
    bytes = written(clause.body);
    REQUIRE(bytes);
    CHECK((*bytes)[bytes->size() - 28] == 0x41);
    const ReadBody again = read_body(*bytes);
    REQUIRE(again.decoded);
    CHECK(again.body.clauses() == clause.body.clauses());
    // And back.
    ReadBody shrunk = read_body(*bytes);
    REQUIRE(shrunk.body.remove(1, 253));
    CHECK(written(shrunk.body, Forms::optimize) == clause.bytes);
}

TEST_CASE("Clauses may be added and removed, and keep their order") {
    Body body;
    for (int i = 0; i < 4; ++i) body.append(nop);
    const ExceptionClause first{0, 0, 1, 1, 2, 0x01000002};
    const ExceptionClause second{0, 0, 1, 2, 3, 0x01000001};
    body.clauses() = {first, second};
    const auto bytes = written(body);
    REQUIRE(bytes);
    ReadBody read = read_body(*bytes);
    REQUIRE(read.decoded);
    CHECK(read.body.clauses() == std::vector{first, second});
    for (int i = 0; i < 19; ++i) read.body.clauses().push_back(first);
    const auto fat = written(read.body);
    REQUIRE(fat);
    ReadBody many = read_body(*fat);
    REQUIRE(many.decoded);
    CHECK(many.body.sections()[0].fat);
    CHECK(many.body.clauses() == read.body.clauses());
    many.body.clauses().clear();
    const auto none = written(many.body);
    REQUIRE(none);
    CHECK(((*none)[0] & 8U) == 0);
}

TEST_CASE("What cannot be written is refused with a reason, and nothing is written") {
    const auto refused = [](const Body& body) {
        WriteBuffer output;
        Assembler assembler;
        const auto result = assembler.write(body, {output});
        CHECK(output.to_vector().empty() != result.has_value());
        return result ? ErrorCode::none : result.error().code;
    };
    Body branch;
    branch.append(0x2B, 1);
    CHECK(refused(branch) == ErrorCode::label_outside);
    Body switches;
    switches.append(0x45, switches.add_switch(std::array{Label{7}}));
    CHECK(refused(switches) == ErrorCode::label_outside);
    Body local;
    local.append(0xFE0C, 70000);
    CHECK(refused(local) == ErrorCode::value_too_wide);
    Body unknown;
    unknown.append(0x24);
    CHECK(refused(unknown) == ErrorCode::unsupported);
    Body clause;
    clause.append(ret);
    clause.clauses().push_back({0, 0, 2, 0, 1, 0});
    CHECK(refused(clause) == ErrorCode::label_outside);
    // Its handler was removed with the end of the code.
    ReadBody edited = read_body(with_sections({0x00, 0xDE, 0x00, 0x2A, 0xDC},
                                              small_section(small_clause(2, 0, 3, 4, 1, 0))));
    REQUIRE(edited.decoded);
    REQUIRE(edited.body.remove(3));
    CHECK(refused(edited.body) == ErrorCode::label_outside);
    edited.body.clauses().clear();
    CHECK(refused(edited.body) == ErrorCode::none);
}

TEST_CASE("Old offsets lead to new ones") {
    ReadBody read = read_body(tiny_body({0x2B, 0x00, 0x00, 0x2A}));
    REQUIRE(read.body.insert(0, std::array{nop}));
    WriteBuffer output;
    Assembler assembler;
    REQUIRE(assembler.write(read.body, {output}, Forms::expand));
    std::vector<MovedOffset> moved;
    assembler.moved_offsets(read.body, moved);
    REQUIRE(moved.size() == 3);
    CHECK(moved[0].before == 0);
    CHECK(moved[0].after == 1);
    CHECK(moved[2].before == 3);
    CHECK(moved[2].after == 7);
}

TEST_CASE("Tokens take the new rows of a map; literals and what is no table's stay") {
    const Bytes code{0x28, 2,    0,    0,    0x0A, 0x26, 0x72, 1,    0,
                     0,    0x70, 0x26, 0xD0, 1,    0,    0,    0xEE, 0x2A};
    const Bytes section = small_section(small_clause(0, 0, 5, 5, 1));
    ReadBody read = read_body(with_sections(code, section));
    REQUIRE(read.decoded);
    const std::array<std::uint32_t, 2> rows{7, 9};
    TokenMap map;
    map.rows[0x0A] = rows;
    map.rows[0x01] = rows;
    WriteBuffer output;
    Assembler assembler;
    REQUIRE(assembler.write(read.body, {output, &map}));
    Bytes expected = read.bytes;
    expected[12 + 1] = 9;
    expected[expected.size() - 4] = 7;
    CHECK(output.to_vector() == expected);
}

TEST_CASE("An operand that is no index of the body is refused, not written as nothing") {
    for (const Instruction& instruction :
         {Instruction{0x21, 0, 77}, Instruction{0x23, 0, 0}, Instruction{0x45, 0, 99},
          Instruction{raw_region, 0, 5}}) {
        Body body;
        body.append(instruction);
        body.append(0x2A);
        CHECK(written(body).error().code == ErrorCode::label_outside);
        Body edited;
        edited.append(0x2A);
        CHECK(edited.insert(0, {&instruction, 1}).error().code == ErrorCode::label_outside);
        CHECK(edited.size() == 1);
    }
}

TEST_CASE("Data sections that are not what they say are refused, and nothing is written") {
    const Bytes good{0x02, 8, 0, 0, 1, 2, 3, 4};
    const auto with = [&](BodySection section) {
        Body body;
        body.append(0x2A);
        body.sections().push_back(section);
        std::array<std::uint8_t, 64> scratch;
        scratch.fill(0xCC);
        WriteBuffer output(scratch);
        Assembler assembler;
        const auto result = assembler.write(body, {output});
        const bool untouched = std::ranges::count(scratch, 0xCC) == 64;
        CHECK(result.has_value() != untouched);
        return result ? ErrorCode::none : result.error().code;
    };
    BodySection section;
    section.kind = 2;
    section.bytes = good;
    CHECK(with(section) == ErrorCode::none);
    section.bytes = {};
    CHECK(with(section) == ErrorCode::value_too_wide);
    section.bytes = ByteSpan(good).first(6);
    CHECK(with(section) == ErrorCode::value_too_wide);
    section.bytes = good;
    section.kind = 3;
    CHECK(with(section) == ErrorCode::value_too_wide);
    section.kind = 1;
    section.excess = 12;
    CHECK(with(section) == ErrorCode::value_too_wide);
    Body body;
    body.append(0x2A);
    section = {};
    section.kind = 2;
    section.bytes = good;
    body.sections().assign(256, section);
    const auto most = written(body);
    REQUIRE(most);
    CHECK(read_body(*most).body.sections().size() == 256);
    body.sections().push_back(section);
    CHECK(written(body).error().code == ErrorCode::value_too_wide);
}
