// How deep the stack gets, and where that cannot be told.
#include "cil/bodies.h"
#include "support/catch.h"
#include "support/opened.h"

#include <clrkit/dotnet/cil/max_stack.h>

using namespace clrkit;
using namespace clrkit::cil;
using namespace clrkit::test;

namespace {

/// Minimal's MemberRef 1 is `void Console.WriteLine(string)`.
Result<std::uint16_t> depth_of(const Bytes& bytes) {
    const Opened opened = open(minimal());
    const ReadBody read = read_body(bytes);
    REQUIRE(read.decoded);
    return compute_max_stack(read.body, opened.metadata);
}

ErrorCode fault_of(const Bytes& bytes) {
    const auto depth = depth_of(bytes);
    return depth ? ErrorCode::none : depth.error().code;
}

}  // namespace

TEST_CASE("The deepest point counts, along every branch") {
    CHECK(depth_of(tiny_body({0x2A})) == std::uint16_t{0});
    CHECK(depth_of(tiny_body({0x16, 0x25, 0x25, 0x26, 0x26, 0x26, 0x2A})) == std::uint16_t{3});
    // brtrue over three loads
    CHECK(depth_of(tiny_body({0x16, 0x2D, 0x06, 0x16, 0x16, 0x16, 0x26, 0x26, 0x26, 0x2A})) ==
          std::uint16_t{3});
}

TEST_CASE("A call takes what its signature says") {
    // ldstr; call WriteLine(string); ret
    CHECK(depth_of(tiny_body({0x72, 1, 0, 0, 0x70, 0x28, 1, 0, 0, 0x0A, 0x2A})) ==
          std::uint16_t{1});
    CHECK(fault_of(tiny_body({0x28, 1, 0, 0, 0x0A, 0x2A})) == ErrorCode::stack_unbalanced);
    CHECK(fault_of(tiny_body({0x28, 9, 0, 0, 0x0A, 0x2A})) == ErrorCode::no_such_row);
    CHECK(fault_of(tiny_body({0x28, 1, 0, 0, 0xFF, 0x2A})) == ErrorCode::no_such_row);
}

TEST_CASE("Code that nothing reaches does not count, whatever it does") {
    CHECK(depth_of(tiny_body({0x2A, 0x16, 0x16, 0x16, 0x2A})) == std::uint16_t{0});
    CHECK(depth_of(tiny_body({0x2A, 0x26, 0x26})) == std::uint16_t{0});
    // The handler of a try block that nothing reaches.
    const Bytes code{0x2A, 0x00, 0x26, 0x26, 0x26, 0x2A};
    CHECK(depth_of(with_sections(code, small_section(small_clause(0, 1, 1, 2, 3)))) ==
          std::uint16_t{0});
}

TEST_CASE("Catch handlers and filters begin with an object, finally blocks with nothing") {
    // nop, leave.s; handler: dup, pop, pop, leave.s; ret
    const Bytes caught{0x00, 0xDE, 0x05, 0x25, 0x26, 0x26, 0xDE, 0x00, 0x2A};
    CHECK(depth_of(with_sections(caught, small_section(small_clause(0, 0, 3, 3, 5)))) ==
          std::uint16_t{2});
    // filter at 3: pop, ldc 1, endfilter; handler at 7: pop, leave.s
    const Bytes filtered{0x00, 0xDE, 0x07, 0x26, 0x17, 0xFE, 0x11, 0x26, 0xDE, 0x00, 0x2A};
    CHECK(depth_of(with_sections(filtered, small_section(small_clause(1, 0, 3, 7, 3, 3)))) ==
          std::uint16_t{1});
    const Bytes final{0x00, 0xDE, 0x01, 0xDC, 0x2A};
    CHECK(depth_of(with_sections(final, small_section(small_clause(2, 0, 3, 3, 1, 0)))) ==
          std::uint16_t{0});
    // A try inside a handler.
    const Bytes nested{0x00, 0xDE, 0x06, 0x26, 0xDE, 0x03, 0x25, 0x26, 0x26, 0x2A};
    const Bytes clauses = code_of({small_clause(0, 0, 3, 3, 3), small_clause(0, 3, 3, 6, 3)});
    CHECK(depth_of(with_sections(nested, small_section(clauses))) == std::uint16_t{2});
}

TEST_CASE("Depths that contradict each other, and code that runs off its end, are told") {
    // A loop that pushes.
    CHECK(fault_of(tiny_body({0x16, 0x2B, 0xFD})) == ErrorCode::stack_unbalanced);
    CHECK(fault_of(tiny_body({0x00})) == ErrorCode::stack_unbalanced);
    CHECK(fault_of(tiny_body({0x26, 0x2A})) == ErrorCode::stack_unbalanced);
    const Opened opened = open(minimal());
    const ReadBody opaque = read_body(tiny_body({0x24}));
    CHECK(compute_max_stack(opaque.body, opened.metadata).error().code == ErrorCode::body_opaque);
}

TEST_CASE("Raising never lowers") {
    const Opened opened = open(minimal());
    StackDepth depth;
    ReadBody read = read_body(fat_body({0x16, 0x16, 0x26, 0x26, 0x2A}, 100));
    REQUIRE(raise_max_stack(read.body, opened.metadata, depth));
    CHECK(read.body.header().max_stack == 100);
    read.body.header().max_stack = 1;
    REQUIRE(raise_max_stack(read.body, opened.metadata, depth));
    CHECK(read.body.header().max_stack == 2);
}
