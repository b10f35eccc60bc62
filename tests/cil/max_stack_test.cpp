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

TEST_CASE("Handlers inside handlers are followed however deep, and dead ones never") {
    // Each handler is a nop and a leave to the ret; behind it a try block that nothing comes into,
    // whose handler takes more than there is.
    constexpr std::uint32_t count = 1'000;
    Bytes code;
    Bytes clauses;
    for (std::uint32_t i = 0; i <= count; ++i) {
        append(code, code_of({{0x00, 0xDD}, little_endian((count - i) * 6, 4)}));
        if (i != count) append(clauses, fat_clause(0, 6 * i, 6, 6 * (i + 1), 6));
    }
    const auto end = static_cast<std::uint32_t>(code.size());
    append(code, {0x2A, 0x00, 0x2A, 0x26, 0x26, 0x2A});
    Bytes dead = clauses;
    append(dead, fat_clause(0, end + 1, 2, end + 3, 3));
    CHECK(depth_of(with_sections(code, fat_section(dead))) == std::uint16_t{1});
    // The same handler for the innermost of the others.
    append(clauses, fat_clause(0, 6 * count, 6, end + 3, 3));
    CHECK(fault_of(with_sections(code, fat_section(clauses))) == ErrorCode::stack_unbalanced);
}

TEST_CASE("newobj leaves an object, calli takes a pointer, leave empties the stack") {
    // ldstr; newobj; pop; ret
    CHECK(depth_of(tiny_body({0x72, 1, 0, 0, 0x70, 0x73, 1, 0, 0, 0x0A, 0x26, 0x2A})) ==
          std::uint16_t{1});
    CHECK(depth_of(tiny_body({0x16, 0x16, 0xDE, 0x00, 0x16, 0x26, 0x2A})) == std::uint16_t{2});
    const auto calling = [](const Bytes& signature) {
        ImageSpec spec = minimal();
        spec.metadata.tables.add(table::StandAloneSig, {spec.metadata.heaps.blob(signature)});
        const Opened opened = open(spec);
        // ldc, ldc, calli, ret
        const ReadBody read = read_body(tiny_body({0x16, 0x16, 0x29, 1, 0, 0, 0x11, 0x2A}));
        const auto depth = compute_max_stack(read.body, opened.metadata);
        return depth ? ErrorCode::none : depth.error().code;
    };
    CHECK(calling({0x00, 1, 0x01, 0x08}) == ErrorCode::none);
    CHECK(calling({0x09, 1, 0x01, 0x08}) == ErrorCode::none);
    CHECK(calling({0x00, 2, 0x01, 0x08, 0x08}) == ErrorCode::stack_unbalanced);
    CHECK(calling({0x07, 1, 0x08}) == ErrorCode::signature_malformed);
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
