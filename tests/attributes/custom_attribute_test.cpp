// Custom attributes: every kind of argument copied, read and written.
#include "support/allocation_counter.h"
#include "support/attribute_samples.h"
#include "support/catch.h"

#include <clrkit/dotnet/attributes/custom_attribute.h>

#include <string>

using namespace clrkit;
using namespace clrkit::test;

namespace {

using Kind = AttributeNode::Kind;

const Bytes prolog{0x01, 0x00};
const Bytes no_named{0x00, 0x00};

const Bytes object_type{0x1C};
const Bytes string_type{0x0E};

/// Every primitive, then a string, an object and arrays of them.
const Bytes many_types =
    constructor_of({Bytes{0x02}, Bytes{0x03}, Bytes{0x05}, Bytes{0x06}, Bytes{0x08}, Bytes{0x0B},
                    Bytes{0x0C}, Bytes{0x0D}, string_type, object_type, Bytes{0x1D, 0x08},
                    Bytes{0x1D, 0x0E}, Bytes{0x1D, 0x1C}});
const Bytes many_values = joined({
    prolog,
    Bytes{0x01},                    // true
    Bytes{0x41, 0x26},              // U+2641
    Bytes{0xFF},                    // 255
    Bytes{0xFE, 0xFF},              // -2
    little_endian(0x12345678, 4),   // int
    little_endian(~0ULL, 8),        // ulong
    little_endian(0x7FC00001, 4),   // a NaN
    little_endian(1ULL << 63U, 8),  // -0.0
    ser_string("text"),
    Bytes{0x0E},
    ser_string(""),  // object: a string
    little_endian(2, 4),
    little_endian(7, 4),
    little_endian(8, 4),  // int[] {7, 8}
    little_endian(2, 4),
    Bytes{0xFF},
    ser_string("b"),  // string[] {null, "b"}
    little_endian(2, 4),
    Bytes{0x02, 0x01},  // object[] {true, object[] {type}}
    Bytes{0x1D, 0x51},
    little_endian(1, 4),
    Bytes{0x50},
    ser_string("System.Int32"),
    little_endian(2, 2),
    Bytes{0x53, 0x08},  // field int Count = 5
    ser_string("Count"),
    little_endian(5, 4),
    Bytes{0x54, 0x1D, 0x0E},  // property string[] Names = null
    ser_string("Names"),
    little_endian(0xFFFFFFFF, 4),
});

}  // namespace

TEST_CASE("An attribute with a value of every kind is copied byte for byte") {
    check_same(copied(many_types, many_values), many_values);
}

TEST_CASE("A string's length takes its shortest form, and that counts as a change") {
    const Copied copy =
        copied(constructor_of({string_type}), joined({prolog, Bytes{0x80, 0x01, 'x'}, no_named}));
    CHECK(copy.result == Transcoding::changed);
    CHECK(copy.bytes == joined({prolog, Bytes{0x01, 'x'}, no_named}));
    CHECK(copy.diagnostics.empty());
}

TEST_CASE("The model of an attribute is flat and in the order of the blob") {
    const ReadAttribute read = read_attribute(many_types, many_values);
    const CustomAttribute& attribute = read.attribute;
    REQUIRE(attribute.decoded());
    CHECK(attribute.fixed_count == 13);
    CHECK(attribute.named_count == 2);
    CHECK(attribute.has_named_count);
    CHECK(attribute.trailing.empty());
    const auto& nodes = attribute.nodes;
    REQUIRE(nodes.size() == 26);
    CHECK(nodes[0].bits == 1);
    CHECK(nodes[0].element == ElementType::boolean);
    CHECK(nodes[3].bits == 0xFFFE);
    CHECK(nodes[6].bits == 0x7FC00001);
    CHECK(nodes[7].bits == 1ULL << 63U);
    CHECK(nodes[8].text() == "text");
    CHECK(nodes[9].kind == Kind::boxed);
    CHECK(nodes[9].end == 11);
    CHECK(nodes[10].text().empty());
    CHECK_FALSE(nodes[10].is_null);
    CHECK(nodes[11].kind == Kind::numbers);
    CHECK(nodes[11].count == 2);
    CHECK(nodes[11].element_bits(1) == 8);
    CHECK(nodes[11].element_bits(2) == 0);
    CHECK(nodes[12].kind == Kind::array);
    CHECK(nodes[12].end == 15);
    CHECK(nodes[13].is_null);
    CHECK(nodes[14].text() == "b");
    CHECK(nodes[15].count == 2);
    CHECK(nodes[15].end == 22);
    CHECK(nodes[16].kind == Kind::boxed);
    CHECK(nodes[17].bits == 1);
}

TEST_CASE("A boxed array knows its type and holds its elements") {
    const ReadAttribute read = read_attribute(many_types, many_values);
    const auto& nodes = read.attribute.nodes;
    REQUIRE(nodes.size() == 26);
    CHECK(nodes[18].kind == Kind::boxed);
    CHECK(nodes[18].is_array);
    CHECK(nodes[18].element == ElementType::boxed);
    CHECK(nodes[18].end == 22);
    CHECK(nodes[19].kind == Kind::array);
    CHECK(nodes[20].element == ElementType::type);
    CHECK(nodes[21].text() == "System.Int32");
}

TEST_CASE("Named arguments have kind, type, name and value") {
    const ReadAttribute read =
        read_attribute(constructor_of({}),
                       joined({prolog, little_endian(3, 2), Bytes{0x53, 0x08}, ser_string("Count"),
                               little_endian(5, 4), Bytes{0x54, 0x1D, 0x0E}, ser_string("Names"),
                               little_endian(0xFFFFFFFF, 4), Bytes{0x54, 0x51}, ser_string("Any"),
                               Bytes{0x50, 0xFF}}));
    REQUIRE(read.attribute.decoded());
    const auto& nodes = read.attribute.nodes;
    REQUIRE(nodes.size() == 7);
    CHECK(nodes[0].kind == Kind::named);
    CHECK_FALSE(nodes[0].is_property);
    CHECK(nodes[0].text() == "Count");
    CHECK(nodes[0].element == ElementType::i4);
    CHECK(nodes[0].end == 2);
    CHECK(nodes[1].bits == 5);
    CHECK(nodes[2].is_property);
    CHECK(nodes[2].is_array);
    CHECK(nodes[3].kind == Kind::array);
    CHECK(nodes[3].is_null);
    CHECK(nodes[4].element == ElementType::boxed);
    CHECK(nodes[4].end == 7);
    CHECK(nodes[5].kind == Kind::boxed);
    CHECK(nodes[6].element == ElementType::type);
    CHECK(nodes[6].is_null);
}

TEST_CASE("An attribute that does not decode has no nodes, its bytes, and a reason") {
    const Bytes blob = joined({prolog, Bytes{0x05, 'x'}});
    const ReadAttribute read = read_attribute(constructor_of({string_type}), blob);
    CHECK_FALSE(read.attribute.decoded());
    CHECK(read.attribute.fault == AttributeFault::truncated);
    CHECK(read.attribute.nodes.empty());
    CHECK(read.attribute.raw.size() == blob.size());
    CHECK(read.diagnostics.count(ErrorCode::attribute_malformed) == 1);
}

TEST_CASE("An enum in a fixed argument is known by its row, in a boxed or named one by its name") {
    ImageSpec image = minimal();
    const std::uint32_t color = add_enum(image, "Paint", "Color", ElementType::u1);
    const std::uint32_t inner = add_enum(image, "", "Depth", ElementType::i8, color);
    const Bytes blob =
        joined({prolog, Bytes{0x03}, Bytes{0x55}, ser_string("Paint.Color+Depth"),
                little_endian(9, 8), little_endian(1, 2), Bytes{0x53, 0x1D, 0x55},
                ser_string("Paint.Color"), ser_string("All"), little_endian(2, 4), Bytes{1, 2}});
    const std::uint32_t attribute = add_attribute(
        image,
        constructor_of({value_type(coded("TypeDefOrRef", table::TypeDef, color)), object_type}),
        blob);
    const ReadAttribute read = read_attribute(image, attribute);
    REQUIRE(read.attribute.decoded());
    const auto& nodes = read.attribute.nodes;
    REQUIRE(nodes.size() == 5);
    CHECK(nodes[0].is_enum);
    CHECK(nodes[0].enum_type == Token(Table::TypeDef, color));
    CHECK(nodes[0].element == ElementType::u1);
    CHECK(nodes[1].enum_name == "Paint.Color+Depth");
    CHECK(nodes[2].bits == 9);
    CHECK(nodes[3].is_array);
    CHECK(nodes[4].element_bits(1) == 2);
    CHECK(inner != color);
}

// ----------------------------------------------------------------------------------------- writer

TEST_CASE("What the writer writes is what the transcoder and the model read") {
    std::array<std::uint8_t, 256> scratch;
    WriteBuffer output(scratch);
    const BlobWriteContext context{output, {}};
    const CustomAttributeWriter writer(context);
    using W = CustomAttributeWriter;
    writer.prolog();
    writer.boolean(true);
    writer.number(ElementType::char_, 0x2641);
    writer.number(ElementType::u1, 0xFF);
    writer.number(ElementType::i2, 0xFFFE);
    writer.i4(0x12345678);
    writer.number(ElementType::u8, ~0ULL);
    writer.number(ElementType::r4, 0x7FC00001);
    writer.r8(-0.0);
    writer.string("text");
    writer.boxed(W::of(ElementType::string));
    writer.string("");
    writer.array(2);
    writer.i4(7);
    writer.i4(8);
    writer.array(2);
    writer.string(std::nullopt);
    writer.string("b");
    writer.array(2);
    writer.boxed(W::of(ElementType::boolean));
    writer.boolean(true);
    writer.boxed(W::of(ElementType::boxed, true));
    writer.array(1);
    writer.boxed(W::of(ElementType::type));
    writer.type_name("System.Int32");
    writer.named_count(2);
    writer.field(W::of(ElementType::i4), "Count");
    writer.i4(5);
    writer.property(W::of(ElementType::string, true), "Names");
    writer.null_array();
    CHECK_FALSE(output.failed());
    CHECK(output.to_vector() == many_values);
}

TEST_CASE("The writer names enums where the blob has to") {
    std::array<std::uint8_t, 64> scratch;
    WriteBuffer output(scratch);
    const BlobWriteContext context{output, {}};
    const CustomAttributeWriter writer(context);
    writer.property(CustomAttributeWriter::of_enum("E, a"), "P");
    writer.r4(1.0F);
    writer.boxed(CustomAttributeWriter::of_enum("E", true));
    writer.array(1);
    writer.elements(Bytes{9});
    CHECK(output.to_vector() == joined({Bytes{0x54, 0x55}, ser_string("E, a"), ser_string("P"),
                                        little_endian(0x3F800000, 4), Bytes{0x1D, 0x55},
                                        ser_string("E"), little_endian(1, 4), Bytes{9}}));
}

// ------------------------------------------------------------------------------------ allocations

TEST_CASE("Copying an attribute allocates nothing, and reading one into a used model neither") {
    ImageSpec image = minimal();
    const std::uint32_t attribute = add_attribute(image, many_types, many_values);
    const Opened opened = open(image);
    require_kept(opened);
    const Metadata& metadata = opened.metadata;
    const ByteSpan blob =
        metadata.blob(Table::CustomAttribute, attribute, col::CustomAttribute::Value);
    const auto table = EnumTable::build(metadata);
    REQUIRE(table);
    const EnumLookup enums{&*table, {}};
    std::array<std::uint8_t, 512> scratch;
    WriteBuffer output(scratch);
    CustomAttribute model;
    bool read = true;
    const auto once = [&] {
        const auto constructor = AttributeConstructor::of(metadata, attribute);
        (void)transcode_custom_attribute(blob, constructor, enums, {}, {output, {}});
        output.reset();
        read = read && read_custom_attribute(blob, constructor, enums, {}, model).has_value();
    };
    once();
    const Allocations made = allocations_in([&] {
        for (int i = 0; i < 100; ++i) once();
    });
    CHECK(made.count == 0);
    CHECK(read);
    CHECK(model.decoded());
}
