// How wide an enum is: from its row, from its name, from other assemblies; never from a guess.
#include "support/attribute_samples.h"
#include "support/catch.h"

#include <clrkit/dotnet/attributes/enum_set.h>
#include <clrkit/dotnet/attributes/enum_types.h>

using namespace clrkit;
using namespace clrkit::test;

namespace {

using Answer = std::optional<ElementType>;

EnumTable table_of(const Opened& opened) {
    auto table = EnumTable::build(opened.metadata);
    REQUIRE(table);
    return std::move(*table);
}

/// An image whose assembly has that name.
ImageSpec named_image(std::string_view assembly) {
    ImageSpec image = minimal();
    name_assembly(image, assembly);
    return image;
}

/// Adds a forwarder for a top-level type.
void forward(ImageSpec& image, std::string_view name_space, std::string_view name,
             std::uint32_t assembly_ref) {
    Heaps& heaps = image.metadata.heaps;
    image.metadata.tables.add(table::ExportedType,
                              {0x200000, 0, heaps.string(name), heaps.string(name_space),
                               coded("Implementation", table::AssemblyRef, assembly_ref)});
}

EnumSet set_of(std::initializer_list<const Opened*> opened) {
    std::vector<const Metadata*> all;
    for (const Opened* one : opened) all.push_back(&one->metadata);
    auto set = EnumSet::build(all);
    REQUIRE(set);
    return std::move(*set);
}

}  // namespace

TEST_CASE("An enum's underlying type is that of its one instance field") {
    ImageSpec image = minimal();
    const std::uint32_t type = add_enum(image, "A", "E", ElementType::u2);
    const std::uint32_t real = add_enum(image, "A", "Real", ElementType::r4);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(enum_underlying(opened.metadata, type) == ElementType::u2);
    CHECK(enum_underlying(opened.metadata, real) == Answer{});
    CHECK(enum_underlying(opened.metadata, minimal_rows::program) == Answer{});
    CHECK(enum_underlying(opened.metadata, 0) == Answer{});
    CHECK(enum_underlying(opened.metadata, 999) == Answer{});
}

TEST_CASE("A module's enums are found by name, nested and generic ones too") {
    ImageSpec image = named_image("Here");
    const std::uint32_t outer = add_enum(image, "A.B", "Outer`1", ElementType::i1);
    add_enum(image, "", "In.ner", ElementType::i2, outer);
    add_enum(image, "", "T+op", ElementType::i8);
    const Opened opened = open(image);
    require_kept(opened);
    const EnumTable table = table_of(opened);
    const EnumLookup enums{&table, {}};
    const auto by_name = [&](std::string_view name) {
        return enums.by_name(opened.metadata, name);
    };
    CHECK(by_name("A.B.Outer`1") == ElementType::i1);
    CHECK(by_name("A.B.Outer`1+In.ner") == ElementType::i2);
    CHECK(by_name("A.B.Outer`1+In.ner[[X, x]], HERE, Version=1.0.0.0") == ElementType::i2);
    CHECK(by_name("T\\+op") == ElementType::i8);
    CHECK(by_name("T+op") == Answer{});
    CHECK(by_name("In.ner") == Answer{});
    CHECK(by_name("A.B.Outer`1, Elsewhere") == Answer{});
    CHECK(by_name("A.B.Outer`1[]") == Answer{});
    CHECK(by_name("A.B.Outer`1[") == Answer{});
    CHECK(by_name("Minimal.Program") == Answer{});
}

TEST_CASE("Two enums of one name that differ are unknown by name") {
    ImageSpec image = minimal();
    add_enum(image, "A", "E", ElementType::u1);
    add_enum(image, "A", "E", ElementType::u4);
    add_enum(image, "A", "F", ElementType::u4);
    add_enum(image, "A", "F", ElementType::u4);
    const Opened opened = open(image);
    require_kept(opened);
    const EnumTable table = table_of(opened);
    const EnumLookup enums{&table, {}};
    CHECK(enums.by_name(opened.metadata, "A.E") == Answer{});
    CHECK(enums.by_name(opened.metadata, "A.F") == ElementType::u4);
}

TEST_CASE("A TypeRef whose scope is its own module means the module's enum") {
    ImageSpec image = minimal();
    const std::uint32_t outer = add_enum(image, "A", "Outer", ElementType::u1);
    add_enum(image, "", "Inner", ElementType::u2, outer);
    const std::uint32_t here = coded("ResolutionScope", table::Module, 1);
    const std::uint32_t ref = add_type_ref(image, here, "A", "Outer");
    const std::uint32_t inner =
        add_type_ref(image, coded("ResolutionScope", table::TypeRef, ref), "", "Inner");
    const std::uint32_t absent = add_type_ref(image, here, "A", "Absent");
    const Opened opened = open(image);
    require_kept(opened);
    const EnumTable table = table_of(opened);
    const EnumLookup enums{&table, {}};
    const auto by_row = [&](std::uint32_t rid) {
        return enums.by_token(opened.metadata, Token(Table::TypeRef, rid));
    };
    CHECK(by_row(ref) == ElementType::u1);
    CHECK(by_row(inner) == ElementType::u2);
    CHECK(by_row(absent) == Answer{});
    CHECK(by_row(minimal_rows::console_ref) == Answer{});
    CHECK(EnumLookup{}.by_token(opened.metadata, Token(Table::TypeRef, ref)) == Answer{});
}

TEST_CASE("Scopes in a circle, enclosers in a circle: unknown") {
    ImageSpec image = minimal();
    const std::uint32_t next =
        static_cast<std::uint32_t>(image.metadata.tables.row_count(table::TypeRef)) + 1;
    const std::uint32_t ref =
        add_type_ref(image, coded("ResolutionScope", table::TypeRef, next), "", "E");
    const std::uint32_t type = add_enum(image, "", "E", ElementType::u1);
    image.metadata.tables.add(table::NestedClass, {type, type});
    const Opened opened = open(image);
    require_kept(opened);
    const EnumTable table = table_of(opened);
    const EnumLookup enums{&table, {}};
    CHECK(ref == next);
    CHECK(enums.by_token(opened.metadata, Token(Table::TypeRef, ref)) == Answer{});
    CHECK(enums.by_name(opened.metadata, "E") == Answer{});
}

// -------------------------------------------------------------------------------------------- set

TEST_CASE("An enum of another open assembly is found by reference and by name") {
    ImageSpec library = named_image("Lib");
    add_enum(library, "", "Deep", ElementType::i8, add_enum(library, "L", "E", ElementType::u2));
    ImageSpec program = minimal();
    const std::uint32_t scope =
        coded("ResolutionScope", table::AssemblyRef, add_assembly_ref(program, "lib"));
    const std::uint32_t ref = add_type_ref(program, scope, "L", "E");
    const std::uint32_t deep =
        add_type_ref(program, coded("ResolutionScope", table::TypeRef, ref), "", "Deep");
    const Opened opened = open(program);
    const Opened other = open(library);
    require_kept(opened);
    require_kept(other);
    const EnumSet set = set_of({&opened, &other});
    const EnumLookup enums{set.table_of(opened.metadata), set.resolver()};
    CHECK(enums.own != nullptr);
    CHECK(enums.by_token(opened.metadata, Token(Table::TypeRef, ref)) == ElementType::u2);
    CHECK(enums.by_token(opened.metadata, Token(Table::TypeRef, deep)) == ElementType::i8);
    CHECK(enums.by_name(opened.metadata, "L.E+Deep, Lib, Version=1.0.0.0") == ElementType::i8);
    CHECK(enums.by_name(opened.metadata, "L.E, Other") == Answer{});
    CHECK(enums.by_name(opened.metadata, "L.E") == Answer{});
    CHECK(set.table_of(Metadata{}) == nullptr);
}

TEST_CASE("Forwarders are followed to where the enum is, and only so far in a circle") {
    ImageSpec core = named_image("System.Private.CoreLib");
    add_enum(core, "", "Deep", ElementType::u1, add_enum(core, "S", "E", ElementType::i4));
    ImageSpec facade = named_image("mscorlib");
    forward(facade, "S", "E", add_assembly_ref(facade, "System.Runtime"));
    ImageSpec runtime = named_image("System.Runtime");
    forward(runtime, "S", "E", add_assembly_ref(runtime, "System.Private.CoreLib"));
    forward(runtime, "S", "Lost", add_assembly_ref(runtime, "System.Runtime"));
    const Opened opened_core = open(core);
    const Opened opened_facade = open(facade);
    const Opened opened_runtime = open(runtime);
    const EnumSet set = set_of({&opened_core, &opened_facade, &opened_runtime});
    const EnumLookup enums{nullptr, set.resolver()};
    const auto by_name = [&](std::string_view name) {
        return enums.by_name(opened_facade.metadata, name);
    };
    CHECK(by_name("S.E+Deep, mscorlib") == ElementType::u1);
    CHECK(by_name("S.E, System.Runtime") == ElementType::i4);
    CHECK(by_name("S.E") == ElementType::i4);
    CHECK(by_name("S.Lost, System.Runtime") == Answer{});
}

TEST_CASE("Two assemblies of one name have to agree") {
    ImageSpec one = named_image("Lib");
    ImageSpec two = named_image("LIB");
    add_enum(one, "", "Same", ElementType::u1);
    add_enum(two, "", "Same", ElementType::u1);
    add_enum(one, "", "Differs", ElementType::u1);
    add_enum(two, "", "Differs", ElementType::u2);
    add_enum(two, "", "Alone", ElementType::u2);
    const Opened first = open(one);
    const Opened second = open(two);
    const EnumSet set = set_of({&first, &second});
    const EnumResolver resolver = set.resolver();
    const auto by_name = [&](std::string_view name) {
        return resolver.by_name(resolver.context, first.metadata, name);
    };
    CHECK(by_name("Same, Lib") == ElementType::u1);
    CHECK(by_name("Differs, Lib") == Answer{});
    CHECK(by_name("Alone, Lib") == ElementType::u2);
}

TEST_CASE("The simple name of an assembly is what stands in front of the comma") {
    CHECK(simple_assembly_name("A.B, Version=1.0.0.0") == "A.B");
    CHECK(simple_assembly_name(" A.B ,x") == "A.B");
    CHECK(simple_assembly_name("A\\,B, x").empty());
    CHECK(simple_assembly_name("\"A\"").empty());
    CHECK(same_assembly_name("mscorlib", "MSCORLIB"));
    CHECK_FALSE(same_assembly_name("mscorlib", "mscorlib2"));
}
