// Custom attributes that make no sense, or that nobody can make sense of. The number in front of a
// test's name is its row in docs/robustness.md; rows 17 to 25 are in ca_other_test.cpp.
#include "support/attribute_samples.h"
#include "support/catch.h"

#include <clrkit/dotnet/signatures/type_name.h>

#include <string>

using namespace clrkit;
using namespace clrkit::test;

namespace {

const Bytes int_type{0x08};
const Bytes object_type{0x1C};
const Bytes string_type{0x0E};
const Bytes no_parameters = constructor_of({});

Bytes value(std::initializer_list<Bytes> fixed) {
    return joined({Bytes{0x01, 0x00}, joined(fixed), Bytes{0x00, 0x00}});
}

/// A TypeRef of an assembly that is nowhere, as a signature names it.
std::uint32_t absent_type(ImageSpec& image) {
    const std::uint32_t scope =
        coded("ResolutionScope", table::AssemblyRef, add_assembly_ref(image, "Absent"));
    return coded("TypeDefOrRef", table::TypeRef, add_type_ref(image, scope, "A", "E"));
}

/// Copies an attribute whose image has been made ready for it.
Copied copied_of(ImageSpec& image, const Bytes& signature, const Bytes& blob) {
    const std::uint32_t attribute = add_attribute(image, signature, blob);
    const Opened opened = open(image);
    require_kept(opened);
    const auto table = EnumTable::build(opened.metadata);
    REQUIRE(table);
    return copied(opened, attribute, {&*table, {}});
}

/// Copies an attribute with that coded index as its constructor.
Copied copied_with(ImageSpec image, std::uint32_t constructor, const Bytes& blob) {
    const std::uint32_t attribute = add_attribute(image, no_parameters, blob);
    image.metadata.tables.row(table::CustomAttribute, attribute)[1] = constructor;
    const Opened opened = open(image);
    require_kept(opened);
    return copied(opened, attribute);
}

}  // namespace

TEST_CASE("CA-01 a prolog that is not 1: raw") {
    for (const Bytes& blob : {Bytes{2, 0, 0, 0}, Bytes{0, 1, 0, 0}, Bytes{0, 0, 0, 0}}) {
        check_raw(copied(no_parameters, blob), blob);
    }
}

TEST_CASE(
    "CA-02 blobs of no, one and two bytes: empty and prolog alone are values, one byte is raw") {
    check_same(copied(no_parameters, {}), {});
    check_raw(copied(no_parameters, {1}), {1});
    check_same(copied(no_parameters, {1, 0}), {1, 0});
    check_raw(copied(constructor_of({int_type}), {}), {});
    check_raw(copied(constructor_of({int_type}), {1, 0}), {1, 0});
}

TEST_CASE("CA-03 no count of named arguments: it stays missing") {
    const Bytes blob{1, 0, 7, 0, 0, 0};
    check_same(copied(constructor_of({int_type}), blob), blob);
    const ReadAttribute read = read_attribute(constructor_of({int_type}), blob);
    CHECK(read.attribute.decoded());
    CHECK_FALSE(read.attribute.has_named_count);
    const Bytes half{1, 0, 7, 0, 0, 0, 0};
    check_raw(copied(constructor_of({int_type}), half), half);
}

TEST_CASE("CA-04 more named arguments declared than there are: raw") {
    const Bytes one = joined({Bytes{0x53, 0x02}, ser_string("F"), Bytes{1}});
    for (const std::uint32_t count : {2U, 3U, 0xFFFFU}) {
        const Bytes blob = joined({Bytes{1, 0}, little_endian(count, 2), one});
        check_raw(copied(no_parameters, blob), blob);
    }
}

TEST_CASE("CA-05 bytes behind the last argument: kept and shown") {
    const Bytes blob{1, 0, 0, 0, 0xAA, 0xBB};
    check_same(copied(no_parameters, blob), blob);
    CHECK(read_attribute(no_parameters, blob).attribute.trailing.size() == 2);
}

TEST_CASE("CA-06 an enum of an assembly that is not there: raw, and that is said") {
    ImageSpec image = minimal();
    const Bytes blob = value({Bytes{7, 0, 0, 0}});
    const Bytes signature = constructor_of({value_type(absent_type(image))});
    check_raw(copied_of(image, signature, blob), blob, ErrorCode::attribute_unresolved);
    const Bytes boxed = value({Bytes{0x55}, ser_string("A.E, Absent"), Bytes{7, 0, 0, 0}});
    check_raw(copied(constructor_of({object_type}), boxed), boxed, ErrorCode::attribute_unresolved);
}

TEST_CASE("CA-07 a blob that fits two widths of an enum: raw until the width is known") {
    const Bytes blob{1, 0, 7, 0, 0, 0, 1, 0, 0x53, 2, 0, 0};
    ImageSpec image = minimal();
    const std::uint32_t type = absent_type(image);
    const std::uint32_t attribute = add_attribute(image, constructor_of({value_type(type)}), blob);
    const Opened opened = open(image);
    require_kept(opened);
    check_raw(copied(opened, attribute), blob, ErrorCode::attribute_unresolved);

    for (const ElementType width : {ElementType::i4, ElementType::i8}) {
        EnumLookup known;
        known.elsewhere.context = &width;
        known.elsewhere.by_reference = [](const void* context, const Metadata&, Token) {
            return std::optional(*static_cast<const ElementType*>(context));
        };
        check_same(copied(opened, attribute, known), blob);
    }
}

TEST_CASE("CA-08 an enum that the signature calls a class: taken as the enum it is") {
    ImageSpec image = minimal();
    const std::uint32_t type = add_enum(image, "A", "E", ElementType::u2);
    const Bytes signature =
        constructor_of({class_type(coded("TypeDefOrRef", table::TypeDef, type))});
    const Bytes blob = value({Bytes{1, 2}});
    check_same(copied_of(image, signature, blob), blob);
}

TEST_CASE("CA-08 a class or value type that is no enum: raw") {
    ImageSpec image = minimal();
    const std::uint32_t program = coded("TypeDefOrRef", table::TypeDef, minimal_rows::program);
    const Bytes blob = value({Bytes{1, 2, 3, 4}});
    ImageSpec other = image;
    check_raw(copied_of(image, constructor_of({class_type(program)}), blob), blob);
    check_raw(copied_of(other, constructor_of({value_type(program)}), blob), blob);
}

TEST_CASE("CA-09 array counts beyond the bytes: raw; null and empty arrays: values") {
    for (const Bytes& element : {int_type, string_type, object_type}) {
        const Bytes signature = constructor_of({joined({Bytes{0x1D}, element})});
        for (const std::uint32_t count : {0xFFFFFFFEU, 0x80000000U, 0x40000001U, 9U}) {
            const Bytes blob = value({little_endian(count, 4), Bytes{0, 0, 0, 0}});
            check_raw(copied(signature, blob), blob);
        }
        const Bytes null = value({little_endian(0xFFFFFFFF, 4)});
        check_same(copied(signature, null), null);
        const Bytes empty = value({little_endian(0, 4)});
        check_same(copied(signature, empty), empty);
    }
}

TEST_CASE("CA-09 arrays of objects that are arrays: values; arrays of arrays without boxes: raw") {
    const Bytes signature = constructor_of({Bytes{0x1D, 0x1C}});
    const Bytes blob = value({little_endian(2, 4), Bytes{0x1D, 0x08}, little_endian(1, 4),
                              little_endian(5, 4), Bytes{0x1D, 0x51}, little_endian(1, 4),
                              Bytes{0x1D, 0x0E}, little_endian(0xFFFFFFFF, 4)});
    check_same(copied(signature, blob), blob);
    const Bytes jagged = value({little_endian(1, 4), Bytes{0x1D, 0x1D, 0x08}, Bytes(8, 0)});
    check_raw(copied(signature, jagged), jagged);
    const Bytes parameter = value({little_endian(0, 4)});
    check_raw(copied(constructor_of({Bytes{0x1D, 0x1D, 0x08}}), parameter), parameter);
}

TEST_CASE("CA-10 an object in an object in an object, 10,000 deep: raw") {
    const Bytes boxes = value({Bytes(10'000, 0x51), Bytes{0x02, 1}});
    check_raw(copied(constructor_of({object_type}), boxes), boxes);
    Bytes arrays;
    for (int i = 0; i < 10'000; ++i) append(arrays, {0x1D, 0x51, 1, 0, 0, 0});
    const Bytes blob = value({arrays, Bytes{0x02, 1}});
    check_raw(copied(constructor_of({object_type}), blob), blob);
    const Bytes few = value({Bytes(100, 0x51), Bytes{0x02, 1}});
    check_same(copied(constructor_of({object_type}), few), few);
}

TEST_CASE("CA-11 texts of types that are no type names, or very long: kept as texts") {
    ImageSpec with_type = minimal();
    const std::uint32_t type =
        add_type_ref(with_type, coded("ResolutionScope", table::AssemblyRef, 1), "System", "Type");
    const Bytes signature =
        constructor_of({class_type(coded("TypeDefOrRef", table::TypeRef, type))});
    for (const std::string& text :
         {std::string(), std::string("A\0B", 3), std::string("[[["), std::string("A\\+B+C"),
          std::string("G`2[[A, a],[B, b]][,]&, g"), std::string(1 << 20, 'x')}) {
        ImageSpec image = with_type;
        const Bytes blob = value({ser_string(text)});
        const std::uint32_t attribute = add_attribute(image, signature, blob);
        const Opened opened = open(image);
        require_kept(opened);
        check_same(copied(opened, attribute), blob);
    }
}

TEST_CASE("CA-11 an enum whose name is no type name, empty or null: raw") {
    for (const std::string& text :
         {std::string("A[["), std::string("A\0B", 3), std::string(1 << 20, '[')}) {
        const Bytes blob = value({Bytes{0x55}, ser_string(text), Bytes{1, 0, 0, 0}});
        ImageSpec image = minimal();
        check_raw(copied_of(image, constructor_of({object_type}), blob), blob,
                  ErrorCode::attribute_unresolved);
    }
    for (const Bytes& name : {ser_string(""), Bytes{0xFF}}) {
        const Bytes blob = value({Bytes{0x55}, name, Bytes{1, 0, 0, 0}});
        check_raw(copied(constructor_of({object_type}), blob), blob);
    }
}

TEST_CASE("CA-12 a type name without an assembly: kept without one") {
    ImageSpec image = minimal();
    const Bytes signature = constructor_of({object_type});
    const Bytes blob = value({Bytes{0x50}, ser_string("Somewhere.Else")});
    check_same(copied_of(image, signature, blob), blob);
}

TEST_CASE("CA-13 a generic attribute: its type arguments are what its parameters are") {
    ImageSpec image = minimal();
    const std::uint32_t type = add_enum(image, "A", "E", ElementType::u1);
    const Bytes arguments =
        joined({value_type(coded("TypeDefOrRef", table::TypeDef, type)), Bytes{0x1D, 0x0E}});
    const std::uint32_t spec = image.metadata.tables.add(
        table::TypeSpec,
        {image.metadata.heaps.blob(joined({Bytes{0x15, 0x12, 0x05, 0x02}, arguments}))});
    const Bytes blob =
        value({Bytes{7}, little_endian(1, 4), ser_string("x"), little_endian(2, 4), Bytes{1, 2}});
    const std::uint32_t attribute = add_attribute(
        image, constructor_of({Bytes{0x13, 0x00}, Bytes{0x13, 0x01}, Bytes{0x1D, 0x13, 0x00}}),
        blob);
    TablesSpec& tables = image.metadata.tables;
    tables.row(table::MemberRef, tables.row_count(table::MemberRef))[0] =
        coded("MemberRefParent", table::TypeSpec, spec);
    const Opened opened = open(image);
    require_kept(opened);
    check_same(copied(opened, attribute), blob);
}

TEST_CASE("CA-13 a type argument that is not there, or is a parameter itself: raw") {
    for (const Bytes& instance : {Bytes{0x15, 0x12, 0x05, 0x01, 0x13, 0x00}, Bytes{0x12, 0x05},
                                  Bytes{0x15, 0x12, 0x05, 0x7F, 0x08}, Bytes{}}) {
        ImageSpec image = minimal();
        const std::uint32_t spec =
            image.metadata.tables.add(table::TypeSpec, {image.metadata.heaps.blob(instance)});
        const Bytes blob = value({Bytes{7, 0, 0, 0}});
        const std::uint32_t attribute =
            add_attribute(image, constructor_of({Bytes{0x13, 0x01}}), blob);
        TablesSpec& tables = image.metadata.tables;
        tables.row(table::MemberRef, tables.row_count(table::MemberRef))[0] =
            coded("MemberRefParent", table::TypeSpec, spec);
        const Opened opened = open(image);
        require_kept(opened);
        check_raw(copied(opened, attribute), blob);
    }
}

TEST_CASE("CA-14 a constructor that is null, out of range, a type, no constructor: raw") {
    const Bytes blob = value({});
    const std::uint32_t type_def_tag = 0;
    for (const std::uint32_t constructor :
         {0U, coded("CustomAttributeType", table::MemberRef, 0),
          coded("CustomAttributeType", table::MemberRef, 999),
          coded("CustomAttributeType", table::MethodDef, 999), minimal_rows::program << 3U | 7U,
          minimal_rows::program << 3U | type_def_tag}) {
        check_raw(copied_with(minimal(), constructor, blob), blob);
    }
}

TEST_CASE("CA-14 a constructor that is a method of another type: read by its signature") {
    const Bytes blob = value({});
    ImageSpec image = minimal();
    const std::uint32_t method = coded("CustomAttributeType", table::MethodDef, 1);
    const std::uint32_t attribute = add_attribute(image, no_parameters, blob);
    image.metadata.tables.row(table::CustomAttribute, attribute)[1] = method;
    image.metadata.tables.row(table::MethodDef, 1)[4] =
        image.metadata.heaps.blob({0x00, 0x00, 0x01});
    const Opened opened = open(image);
    check_kept(opened);
    check_same(copied(opened, attribute), blob);
}

TEST_CASE("CA-14 signatures of a constructor that make no sense: raw") {
    const Bytes blob = value({Bytes{1, 0, 0, 0}});
    for (const Bytes& signature :
         {Bytes{}, Bytes{0x20}, Bytes{0x06, 0x08}, Bytes{0x30, 1, 1, 0x01, 0x08},
          Bytes{0x20, 0x01, 0x08, 0x08}, Bytes{0x20, 0x7F, 0x01, 0x08}, Bytes{0x20, 0x01, 0x01},
          Bytes{0x25, 0x01, 0x01, 0x41, 0x08}, constructor_of({Bytes{0x0F, 0x08}}),
          constructor_of({Bytes{0x16}}), constructor_of({Bytes{0x18}}),
          constructor_of({Bytes{0x14, 0x08, 1, 0, 0}}), constructor_of({Bytes{0x1E, 0}}),
          constructor_of({value_type(0)}), constructor_of({value_type(0x1FFF)})}) {
        check_raw(copied(signature, blob), blob);
    }
}

TEST_CASE("CA-15 attributes on every kind of parent, and on one that is none: all copied") {
    ImageSpec image = minimal();
    const Bytes blob = value({});
    const std::uint32_t first = add_attribute(image, no_parameters, blob);
    TablesSpec& tables = image.metadata.tables;
    const Row row = tables.row(table::CustomAttribute, first);
    for (std::uint32_t tag = 0; tag < 32; ++tag) {
        tables.add(table::CustomAttribute, {1U << 5U | tag, row[1], row[2]});
    }
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.rows(Table::CustomAttribute) == 33);
    for (std::uint32_t rid = 1; rid <= 33; ++rid) check_same(copied(opened, rid), blob);
}

TEST_CASE("CA-16 custom modifiers on a parameter: skipped; a parameter by reference: raw") {
    const Bytes blob = value({Bytes{7, 0, 0, 0}});
    check_same(copied(constructor_of({Bytes{0x20, 0x05, 0x1F, 0x09, 0x08}}), blob), blob);
    Bytes modified_return{0x20, 0x01, 0x1F, 0x05, 0x01, 0x08};
    check_same(copied(modified_return, blob), blob);
    check_raw(copied(constructor_of({Bytes{0x10, 0x08}}), blob), blob);
    Bytes endless;
    for (int i = 0; i < 100'000; ++i) append(endless, {0x20, 0x05});
    append(endless, {0x08});
    ImageSpec image = minimal();
    image.metadata.tables.heap_sizes = 4;
    check_raw(copied_of(image, constructor_of({endless}), blob), blob);
}
