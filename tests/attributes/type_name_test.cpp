// The grammar of reflection type names.
#include "support/allocation_counter.h"
#include "support/catch.h"

#include <clrkit/dotnet/signatures/type_name.h>

#include <string>
#include <vector>

using namespace clrkit;

namespace {

std::vector<TypeNameNode> parsed(std::string_view text) {
    std::vector<TypeNameNode> nodes;
    INFO(text);
    REQUIRE(parse_type_name(text, nodes) == TypeNameFault::none);
    REQUIRE(!nodes.empty());
    TypeNameNode outermost;
    REQUIRE(split_type_name(text, outermost) == TypeNameFault::none);
    CHECK(outermost.name == nodes[0].name);
    CHECK(outermost.suffixes == nodes[0].suffixes);
    CHECK(outermost.assembly == nodes[0].assembly);
    CHECK(outermost.arguments == nodes[0].arguments);
    CHECK(nodes[0].end == nodes.size());
    return nodes;
}

TypeNameFault fault_of(std::string_view text) {
    std::vector<TypeNameNode> nodes{{}};
    const TypeNameFault fault = parse_type_name(text, nodes);
    CHECK(nodes.empty() == (fault != TypeNameFault::none));
    TypeNameNode outermost;
    CHECK(split_type_name(text, outermost) == fault);
    return fault;
}

}  // namespace

TEST_CASE("A type name has its namespace, nested types and assembly as they stand") {
    const auto nodes = parsed("A.B.Outer+Inner+Most, Some.Assembly, Version=1.0.0.0,Culture=x");
    REQUIRE(nodes.size() == 1);
    CHECK(nodes[0].name == "A.B.Outer+Inner+Most");
    CHECK(nodes[0].assembly == "Some.Assembly, Version=1.0.0.0,Culture=x");
    CHECK(nodes[0].suffixes.empty());
    CHECK(parsed("Plain")[0].assembly.empty());
}

TEST_CASE("Arrays, pointers and by-reference are suffixes") {
    CHECK(parsed("T[]")[0].suffixes == "[]");
    CHECK(parsed("T[*]")[0].suffixes == "[*]");
    CHECK(parsed("T[,,]")[0].suffixes == "[,,]");
    CHECK(parsed("T[][,]**&, A")[0].suffixes == "[][,]**&");
    CHECK(parsed("T[][,]**&, A")[0].assembly == "A");
}

TEST_CASE("Generic arguments stand bare or in brackets of their own, with assemblies") {
    const auto nodes = parsed("G`2[[A.X[], a, Version=1],Y+Z][], g");
    REQUIRE(nodes.size() == 3);
    CHECK(nodes[0].name == "G`2");
    CHECK(nodes[0].arguments == 2);
    CHECK(nodes[0].suffixes == "[]");
    CHECK(nodes[0].assembly == "g");
    CHECK(nodes[1].name == "A.X");
    CHECK(nodes[1].suffixes == "[]");
    CHECK(nodes[1].assembly == "a, Version=1");
    CHECK(nodes[2].name == "Y+Z");
    CHECK(nodes[2].assembly.empty());
}

TEST_CASE("Arguments nest, and each knows where its own end") {
    const auto nodes = parsed("A[B[C,[D, d]],E[[F[G]]]]");
    REQUIRE(nodes.size() == 7);
    const std::vector<std::string> names{"A", "B", "C", "D", "E", "F", "G"};
    const std::vector<std::uint32_t> ends{7, 4, 3, 4, 7, 7, 7};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        CHECK(nodes[i].name == names[i]);
        CHECK(nodes[i].end == ends[i]);
    }
    CHECK(nodes[1].arguments == 2);
    CHECK(nodes[3].assembly == "d");
}

TEST_CASE("A backslash takes a special character's meaning and stays in the name") {
    const auto nodes = parsed("A\\+B\\,C\\[\\]\\*\\&\\\\+D, x\\]y");
    REQUIRE(nodes.size() == 1);
    CHECK(nodes[0].name == "A\\+B\\,C\\[\\]\\*\\&\\\\+D");
    CHECK(nodes[0].assembly == "x\\]y");
    CHECK(parsed("G[[T, x\\]y]]")[1].assembly == "x\\]y");
    CHECK(find_unescaped("a\\+b+c", '+') == 4);
    CHECK(find_unescaped("a\\+", '+') == std::string_view::npos);
}

TEST_CASE("Spaces in front of the parts are skipped") {
    const auto nodes = parsed(" G [ [ A , a ] , B ] [ ] ,  g");
    REQUIRE(nodes.size() == 3);
    CHECK(nodes[1].name == "A ");
    CHECK(nodes[0].assembly == "g");
    CHECK(nodes[0].suffixes == "[ ]");
}

TEST_CASE("What is no type name says why") {
    CHECK(fault_of("") == TypeNameFault::empty_name);
    CHECK(fault_of("A+") == TypeNameFault::empty_name);
    CHECK(fault_of("+A") == TypeNameFault::empty_name);
    CHECK(fault_of("A\\x") == TypeNameFault::bad_escape);
    CHECK(fault_of("A\\") == TypeNameFault::bad_escape);
    CHECK(fault_of(std::string_view("A\0B", 3)) == TypeNameFault::bad_character);
    CHECK(fault_of("A[") == TypeNameFault::bad_suffix);
    CHECK(fault_of("A[,") == TypeNameFault::bad_suffix);
    CHECK(fault_of("A[]B") == TypeNameFault::trailing_text);
    CHECK(fault_of("A&*") == TypeNameFault::trailing_text);
    CHECK(fault_of("A]") == TypeNameFault::trailing_text);
    CHECK(fault_of("A[B") == TypeNameFault::unbalanced);
    CHECK(fault_of("A[[B") == TypeNameFault::unbalanced);
    CHECK(fault_of("A[[B, b") == TypeNameFault::unbalanced);
    CHECK(fault_of("A[[B],") == TypeNameFault::empty_name);
    CHECK(fault_of("A,") == TypeNameFault::empty_assembly);
    CHECK(fault_of("A[[B,]]") == TypeNameFault::empty_assembly);
    for (int i = 0; i <= static_cast<int>(TypeNameFault::no_memory); ++i) {
        CHECK((*note_of(static_cast<TypeNameFault>(i)) == '\0') == (i == 0));
    }
}

TEST_CASE("Depth is bounded and long texts are linear work without a heap") {
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "A[";
    CHECK(fault_of(deep) == TypeNameFault::too_deep);
    std::string wide = "A[B";
    for (int i = 0; i < 100'000; ++i) wide += ",[B, b]";
    wide += "]";
    TypeNameNode outermost;
    CHECK(test::allocations_in([&] { (void)split_type_name(wide, outermost); }).count == 0);
    CHECK(outermost.arguments == 100'001);
}
