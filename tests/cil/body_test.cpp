// What a Body shows of a method, and editing it.
#include "cil/bodies.h"
#include "support/catch.h"
#include "support/opened.h"

#include <clrkit/dotnet/cil/forms.h>
#include <clrkit/dotnet/cil/max_stack.h>

using namespace clrkit;
using namespace clrkit::cil;
using namespace clrkit::test;

namespace {

// if (ldarg.0) { nop } ldc.i8; pop; switch back; ret
const Bytes sample = code_of({{0x02},                          // 0 ldarg.0
                              {0x2C, 0x01},                    // 1 brfalse.s to 3
                              {0x00},                          // 2 nop
                              {0x21, 8, 7, 6, 5, 4, 3, 2, 1},  // 3 ldc.i8
                              {0x26},                          // 4 pop
                              {0x16},                          // 5 ldc.i4.0
                              {0x45, 2, 0, 0, 0, 0, 0, 0, 0, 0xF1, 255, 255, 255},  // 6 switch
                              {0x2A}});                                             // 7 ret

constexpr Instruction nop{0x00, 0, 0};
constexpr Instruction pop{0x26, 0, 0};

}  // namespace

TEST_CASE("A body shows instructions with labels for branches and pools for what is wide") {
    Bytes code = sample;
    // The second target of the switch: from behind it back to the nop at 3.
    put(code, 24, little_endian(std::uint64_t(3 - 28), 4));
    const ReadBody read = read_body(tiny_body(code));
    REQUIRE(read.decoded);
    const Body& body = read.body;
    REQUIRE(body.size() == 8);
    CHECK(body.instructions()[1] == Instruction{0x2C, 0, 3});
    CHECK(body.instructions()[3].opcode == 0x21);
    CHECK(body.wide(body.instructions()[3].operand) == 0x0102030405060708);
    const auto targets = body.switch_targets(body.instructions()[6].operand);
    REQUIRE(targets.size() == 2);
    CHECK(targets[0] == 7);
    CHECK(targets[1] == 2);
    CHECK(body.old_offsets()[3] == 4);
    CHECK_FALSE(body.header().fat);
    CHECK(written(body) == read.bytes);
}

TEST_CASE("An inserted instruction breaks no branch, switch or clause") {
    Bytes code{0x00, 0x26, 0x2B, 0xFC, 0xDE, 0x00, 0x2A};  // nop pop br.s-to-0 leave.s ret
    const Bytes section = small_section(small_clause(0, 0, 4, 4, 2));
    ReadBody read = read_body(with_sections(code, section));
    REQUIRE(read.decoded);
    Body& body = read.body;
    REQUIRE(body.insert(1, std::array{nop, nop}));
    CHECK(body.size() == 7);
    CHECK(body.instructions()[4] == Instruction{0x2B, 0, 0});
    CHECK(body.clauses()[0] == ExceptionClause{0, 0, 5, 5, 6, 0x01000001});
    CHECK(body.old_offsets()[1] == Body::no_old_offset);
    CHECK(body.old_offsets()[3] == 1);
    const Bytes expected = with_sections({0x00, 0x00, 0x00, 0x26, 0x2B, 0xFA, 0xDE, 0x00, 0x2A},
                                         small_section(small_clause(0, 0, 6, 6, 2)));
    CHECK(written(body) == expected);
}

TEST_CASE(
    "Code inserted before a leave's target is run by the leave, and ranges stay as they are") {
    // 0 nop, 1 leave.s to 3, 2 endfinally, 3 ret: try [0,2) finally [2,3)
    const Bytes code{0x00, 0xDE, 0x01, 0xDC, 0x2A};
    ReadBody read = read_body(with_sections(code, small_section(small_clause(2, 0, 3, 3, 1, 0))));
    REQUIRE(read.decoded);
    REQUIRE(read.body.insert(3, std::array{nop}));
    CHECK(read.body.instructions()[1].operand == 3);
    CHECK(read.body.clauses()[0] == ExceptionClause{2, 0, 2, 2, 3, 0});
}

TEST_CASE("An insertion that leaves labels goes behind what ended there") {
    ReadBody read = read_body(tiny_body({0x2B, 0x00, 0x2A}));  // br.s to ret
    REQUIRE(read.decoded);
    REQUIRE(read.body.insert(1, std::array{nop}, false));
    CHECK(read.body.instructions()[0].operand == 2);
    CHECK(read.body.instructions()[1] == nop);
}

TEST_CASE("Labels of removed instructions lead to what is behind them") {
    ReadBody read = read_body(tiny_body({0x2B, 0x00, 0x00, 0x2A}));
    REQUIRE(read.decoded);
    REQUIRE(read.body.remove(1));
    CHECK(read.body.size() == 2);
    CHECK(read.body.instructions()[0].operand == 1);
    CHECK(written(read.body) == tiny_body({0x2B, 0x00, 0x2A}));
}

TEST_CASE("Several edits at once use the old labels, and local ones inside what they insert") {
    ReadBody read = read_body(tiny_body({0x00, 0x26, 0x00, 0x2A}));
    REQUIRE(read.decoded);
    Body& body = read.body;
    const std::array loop{nop, Instruction{0x2B, 0, local_label(0)}, Instruction{0x2B, 0, 3}};
    const std::array table{Label{0}, local_label(1)};
    const std::array jump{Instruction{0x45, 0, body.add_switch(table)}, pop};
    const std::array edits{Splice{0, 1, loop, true}, Splice{2, 0, jump, true}};
    REQUIRE(body.splice(edits));
    // nop, br 0, br ret, pop, switch(0, 5), pop, nop, ret
    REQUIRE(body.size() == 8);
    CHECK(body.instructions()[1].operand == 0);
    CHECK(body.instructions()[2].operand == 7);
    const auto targets = body.switch_targets(body.instructions()[4].operand);
    CHECK(targets[0] == 0);
    CHECK(targets[1] == 5);
    CHECK(written(body).has_value());
}

TEST_CASE("An insertion goes in front of the prefixes of an instruction") {
    // constrained. T; callvirt; ret
    const Bytes code{0xFE, 0x16, 1, 0, 0, 1, 0x6F, 1, 0, 0, 0x0A, 0x2A};
    ReadBody read = read_body(tiny_body(code));
    REQUIRE(read.decoded);
    CHECK(read.body.with_prefixes(1) == 0);
    REQUIRE(read.body.insert(1, std::array{nop}));
    CHECK(read.body.instructions()[0] == nop);
    CHECK(read.body.instructions()[1].opcode == 0xFE16);
    CHECK(read.body.instructions()[2].opcode == 0x6F);
}

TEST_CASE("An edit that makes no sense is refused and changes nothing") {
    ReadBody read = read_body(tiny_body({0x00, 0x2A}));
    const auto refused = [&](std::span<const Splice> edits) {
        const auto result = read.body.splice(edits);
        return !result && result.error().code == ErrorCode::label_outside;
    };
    const std::array bad_branch{Instruction{0x2B, 0, 9}};
    CHECK(refused(std::array{Splice{3, 0, {}, true}}));
    CHECK(refused(std::array{Splice{1, 2, {}, true}}));
    CHECK(refused(std::array{Splice{1, 1, {}, true}, Splice{0, 1, {}, true}}));
    CHECK(refused(std::array{Splice{0, 2, {}, true}, Splice{1, 0, {}, true}}));
    CHECK(refused(std::array{Splice{0, 0, bad_branch, true}}));
    CHECK(written(read.body) == read.bytes);
    ReadBody opaque = read_body(tiny_body({0x24}));
    CHECK(opaque.body.remove(0).error().code == ErrorCode::body_opaque);
}

TEST_CASE("Code around bytes that are none is edited like any other, and they can be removed") {
    // 0 br to 3; junk; 3 ldc.i4 5; 8 pop; 9 ret; junk that would branch
    const Bytes code{0x2B, 0x01, 0x24, 0x20, 5, 0, 0, 0, 0x26, 0x2A, 0x2B, 0x70};
    ReadBody read = read_body(tiny_body(code));
    REQUIRE(read.decoded);
    Body& body = read.body;
    REQUIRE(body.size() == 6);
    CHECK(body.has_raw_regions());
    CHECK(body.instructions()[0] == Instruction{0x2B, 0, 2});
    CHECK(body.instructions()[1].opcode == raw_region);
    CHECK(body.old_offsets()[1] == 2);
    CHECK(body.old_offsets()[5] == 10);
    CHECK(written(body, Forms::optimize) ==
          tiny_body({0x2B, 0x01, 0x24, 0x1B, 0x26, 0x2A, 0x2B, 0x70}));
    const Opened opened = open(minimal());
    CHECK(compute_max_stack(body, opened.metadata) == 1);
    REQUIRE(body.insert(3, std::array{nop}));
    CHECK(written(body) ==
          tiny_body({0x2B, 0x01, 0x24, 0x20, 5, 0, 0, 0, 0x00, 0x26, 0x2A, 0x2B, 0x70}));
    REQUIRE(body.splice(std::array{Splice{1, 1, {}, true}, Splice{6, 1, {}, true}}));
    const Bytes clean = tiny_body({0x2B, 0x00, 0x20, 5, 0, 0, 0, 0x00, 0x26, 0x2A});
    CHECK(written(body) == clean);
    CHECK_FALSE(read_body(clean).body.has_raw_regions());
    // An edit that lets control run into them is the editor's mistake, and found here.
    ReadBody other = read_body(tiny_body({0x2B, 0x01, 0x24, 0x2A}));
    REQUIRE(other.body.remove(0));
    CHECK(compute_max_stack(other.body, opened.metadata).error().code ==
          ErrorCode::stack_unbalanced);
}

TEST_CASE("Clauses begin and end inside what control does not reach") {
    // 0 nop, 1 leave.s to 8, 3 ret; junk 4 to 8; 8 pop, 9 leave.s to 3
    const Bytes code{0x00, 0xDE, 0x00, 0x2A, 0x24, 0x24, 0x24, 0x24, 0x26, 0xDE, 0xF8};
    const auto with = [&](const Bytes& clause) {
        return read_body(with_sections(code, small_section(clause)));
    };
    const ReadBody read = with(small_clause(0, 0, 6, 8, 3));
    REQUIRE(read.decoded);
    CHECK(read.body.size() == 7);  // the junk in two pieces
    CHECK(read.body.clauses()[0] == ExceptionClause{0, 0, 4, 5, 7, 0x01000001});
    CHECK(written(read.body) == read.bytes);
    // A handler of junk for a try block of junk.
    CHECK(with(small_clause(2, 5, 1, 6, 1)).decoded);
    // One of junk for code that runs, and a clause that begins inside an instruction.
    CHECK_FALSE(with(small_clause(0, 0, 3, 5, 1)).decoded);
    CHECK_FALSE(with(small_clause(0, 0, 2, 8, 3)).decoded);
    CHECK_FALSE(with(small_clause(0, 0, 3, 8, 4)).decoded);
}

TEST_CASE("The forms of an instruction: shortest, longest, fitting") {
    const auto short_and_long = [](Instruction instruction, std::uint16_t short_opcode,
                                   std::uint16_t long_opcode) {
        return shortest(instruction).opcode == short_opcode &&
               longest(instruction).opcode == long_opcode &&
               longest(shortest(instruction)) == longest(instruction) &&
               shortest(longest(instruction)) == shortest(instruction);
    };
    CHECK(short_and_long({0x02, 0, 0}, 0x02, 0xFE09));    // ldarg.0
    CHECK(short_and_long({0x0E, 0, 3}, 0x05, 0xFE09));    // ldarg.s 3
    CHECK(short_and_long({0xFE09, 0, 4}, 0x0E, 0xFE09));  // ldarg 4
    CHECK(short_and_long({0xFE09, 0, 256}, 0xFE09, 0xFE09));
    CHECK(short_and_long({0xFE0A, 0, 0}, 0x0F, 0xFE0A));    // ldarga
    CHECK(short_and_long({0xFE0B, 0, 0}, 0x10, 0xFE0B));    // starg
    CHECK(short_and_long({0xFE0C, 0, 2}, 0x08, 0xFE0C));    // ldloc
    CHECK(short_and_long({0xFE0D, 0, 2}, 0x12, 0xFE0D));    // ldloca
    CHECK(short_and_long({0xFE0E, 0, 255}, 0x13, 0xFE0E));  // stloc
    CHECK(short_and_long({0x20, 0, 0xFFFFFFFF}, 0x15, 0x20));
    CHECK(short_and_long({0x1F, 0, 8}, 0x1E, 0x20));
    CHECK(short_and_long({0x20, 0, 0xFFFFFF80}, 0x1F, 0x20));
    CHECK(short_and_long({0x20, 0, 0x80}, 0x20, 0x20));
    CHECK(longest({0x2B, 0, 5}) == Instruction{0x38, 0, 5});
    CHECK(longest({0xDE, 0, 5}) == Instruction{0xDD, 0, 5});
    CHECK(fitting({0x11, 0, 256}) == Instruction{0xFE0C, 0, 256});
    CHECK(fitting({0x1F, 0, 200}) == Instruction{0x20, 0, 200});
    CHECK_FALSE(fitting({0xFE0C, 0, 65536}));
    CHECK_FALSE(fitting({0xFE12, 0, 256}));
    for (const Opcode& opcode : opcode_table::rows) {
        // An operand that the widest form alone takes, and none.
        bool other = short_branch(opcode.value) != long_branch(opcode.value);
        for (const std::uint32_t operand : {0U, 0xFFFFU}) {
            const Instruction instruction{opcode.value, 0, operand};
            other = other || shortest(instruction) != instruction ||
                    longest(instruction) != instruction;
        }
        CHECK(has_other_forms(opcode.value) == other);
    }
    CHECK(local_of({0x07, 0, 0}) == 1U);
    CHECK(argument_of({0x10, 0, 9}) == 9U);
    CHECK_FALSE(local_of({0x02, 0, 0}));
    CHECK(load_local(3).opcode == 0x09);
    CHECK(store_argument(1) == Instruction{0x10, 0, 1});
}
