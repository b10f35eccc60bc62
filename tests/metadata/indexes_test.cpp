// Owners, children and names, on images built here and on what compilers made.
#include "support/catch.h"
#include "support/environment.h"
#include "support/image_builder.h"
#include "support/opened.h"

#include <clrkit/dotnet/metadata/indexes.h>

using namespace clrkit;
namespace rows = clrkit::test::table;

TEST_CASE("A member's owner is the type whose list it stands in") {
    const auto module = Module::open((test::testdata() / "bin/hello.exe").string());
    REQUIRE(module);
    const auto indexes = Indexes::build(module->metadata());
    REQUIRE(indexes);
    std::uint32_t methods = 0;
    for (const TypeDef type : module->types()) {
        for (const MethodDef method : type.methods()) {
            CHECK(indexes->owner(method.token()) == type.rid);
            ++methods;
        }
    }
    CHECK(methods == module->metadata().rows(Table::MethodDef));
    CHECK(indexes->owner(Token(Table::MethodDef, methods + 1)) == 0);
}

TEST_CASE("Where lists overlap the first owner counts, and the work stays linear") {
    test::ImageSpec spec = test::minimal();
    const std::uint32_t field = spec.metadata.heaps.string("f");
    const std::uint32_t signature = spec.metadata.heaps.blob({0x06, 0x08});
    for (int i = 0; i < 20'000; ++i) spec.metadata.tables.add(rows::Field, {0, field, signature});
    // Types whose lists run 1..20,000, nothing, 1..20,000, nothing, ...
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        const std::uint32_t first = i % 2 == 0 ? 1 : 20'000;
        spec.metadata.tables.add(rows::TypeDef, {0, field, 0, 0, first, 2});
    }
    const auto opened = test::open(spec);
    REQUIRE(opened.module);
    const auto indexes = Indexes::build(opened.module->metadata());
    REQUIRE(indexes);
    CHECK(indexes->owner(Token(Table::Field, 1)) == 3);
    CHECK(indexes->owner(Token(Table::Field, 19'999)) == 3);
}

TEST_CASE("Types are found by namespace and name; nested ones only through their encloser") {
    test::ImageSpec spec = test::minimal();
    const std::uint32_t name = spec.metadata.heaps.string("Inner");
    const std::uint32_t inner = spec.metadata.tables.add(rows::TypeDef, {2, name, 0, 0, 1, 2});
    spec.metadata.tables.add(rows::NestedClass, {inner, test::minimal_rows::program});
    const auto opened = test::open(spec);
    REQUIRE(opened.module);
    const auto indexes = Indexes::build(opened.module->metadata());
    REQUIRE(indexes);
    CHECK(indexes->type("Minimal", "Program") == test::minimal_rows::program);
    CHECK(indexes->type("", "<Module>") == test::minimal_rows::module_type);
    CHECK(indexes->type("", "Inner") == 0);
    CHECK(indexes->type("Minimal", "Absent") == 0);
    CHECK(indexes->encloser(inner) == test::minimal_rows::program);
    CHECK(indexes->encloser(test::minimal_rows::program) == 0);
    REQUIRE(indexes->nested_rows(test::minimal_rows::program).size() == 1);
}

TEST_CASE("Attributes are found by parent whatever their order in the table") {
    test::ImageSpec spec = test::minimal();
    const auto parent = [](rows::Id table, std::uint32_t rid) {
        return test::coded("HasCustomAttribute", table, rid);
    };
    const std::uint32_t type = test::coded("CustomAttributeType", rows::MethodDef, 1);
    for (const std::uint32_t owner : {parent(rows::TypeDef, 2), parent(rows::MethodDef, 1),
                                      parent(rows::TypeDef, 2), parent(rows::Module, 1)}) {
        spec.metadata.tables.add(rows::CustomAttribute, {owner, type, 0});
    }
    const auto opened = test::open(spec);
    REQUIRE(opened.module);
    const auto indexes = Indexes::build(opened.module->metadata());
    REQUIRE(indexes);
    const auto on_type = indexes->attribute_rows(Token(Table::TypeDef, 2));
    REQUIRE(on_type.size() == 2);
    CHECK(on_type[0] == 1);
    CHECK(on_type[1] == 3);
    CHECK(indexes->attribute_rows(Token(Table::Module, 1)).size() == 1);
    CHECK(indexes->attribute_rows(Token(Table::TypeDef, 1)).empty());
}
