// Permission sets, marshalling descriptors and constants that make no sense, and many blobs in one. The
// number in front of a test's name is its row in docs/robustness.md.
#include "support/attribute_samples.h"
#include "support/catch.h"

#include <clrkit/dotnet/attributes/constant.h>
#include <clrkit/dotnet/attributes/marshalling.h>
#include <clrkit/dotnet/attributes/permission_set.h>

#include <ctime>

using namespace clrkit;
using namespace clrkit::test;

namespace {

Copied copied_set(const Bytes& blob, const EnumLookup& enums = {}) {
    const Opened opened = open(minimal());
    return transcoded([&](const BlobReadContext& read, const BlobWriteContext& write) {
        return transcode_permission_set(blob, opened.metadata, enums, read, write);
    });
}

PermissionSet::Form form_of(const Bytes& blob) {
    const Opened opened = open(minimal());
    PermissionSet set;
    REQUIRE(read_permission_set(blob, opened.metadata, {}, {}, set));
    return set.form;
}

Copied copied_marshalling(const Bytes& blob) {
    return transcoded([&](const BlobReadContext& read, const BlobWriteContext& write) {
        return transcode_marshalling(blob, read, write);
    });
}

Copied copied_constant(std::uint8_t type, const Bytes& blob) {
    return transcoded([&](const BlobReadContext& read, const BlobWriteContext& write) {
        return transcode_constant(static_cast<ElementType>(type), blob, read, write);
    });
}

ConstantValue constant(std::uint8_t type, const Bytes& blob) {
    return read_constant(static_cast<ElementType>(type), blob);
}

/// `.`, one attribute with these arguments behind their count.
Bytes set_with(std::string_view type, const Bytes& arguments) {
    return joined({Bytes{'.', 0x01}, ser_string(type),
                   compressed(static_cast<std::uint32_t>(arguments.size())), arguments});
}

constexpr ErrorCode malformed_set = ErrorCode::permission_set_malformed;
constexpr ErrorCode malformed_marshalling = ErrorCode::marshalling_malformed;
constexpr ErrorCode malformed_constant = ErrorCode::constant_malformed;

}  // namespace

// -------------------------------------------------------------------------------- permission sets

TEST_CASE("CA-17 a binary set that counts more than it has: raw") {
    const Bytes huge{'.', 0xDF, 0xFF, 0xFF, 0xFF, 0x01, 'A', 0x01, 0x00};
    check_raw(copied_set(huge), huge, malformed_set);
    CHECK(form_of(huge) == PermissionSet::Form::malformed);
    for (const Bytes& blob :
         {Bytes{'.'}, Bytes{'.', 0x02, 0x01, 'A', 0x01, 0x00}, Bytes{'.', 0x01, 0x01, 'A', 0x05, 0},
          set_with("A", {}), set_with("A", {0xDF, 0xFF, 0xFF, 0xFF}),
          set_with("A", {0x01, 0x52, 0x02, 0x01, 'F', 0x01})}) {
        check_raw(copied_set(blob), blob, malformed_set);
    }
}

TEST_CASE("CA-18 sets in XML: the same bytes, well-formed or not") {
    for (const Bytes& blob : {Bytes{'<', 0, 'P', 0}, Bytes{'<', 0, 'P'}, Bytes{'<', 0, 0x00, 0xD8},
                              Bytes{0xFF, 0xFE, '<', 0}, Bytes{0}}) {
        check_same(copied_set(blob), blob);
        CHECK(form_of(blob) == PermissionSet::Form::xml);
    }
    check_same(copied_set({}), {});
    CHECK(form_of({}) == PermissionSet::Form::empty);
}

TEST_CASE("CA-18 a binary set that holds XML as a string: stays binary") {
    const Bytes blob =
        set_with("System.Security.Permissions.PermissionSetAttribute, mscorlib",
                 joined({Bytes{0x01, 0x54, 0x0E}, ser_string("XML"), ser_string("<P\xFF/>")}));
    check_same(copied_set(blob), blob);
    CHECK(form_of(blob) == PermissionSet::Form::binary);
}

TEST_CASE("CA-19 an attribute of a type nobody knows: its arguments say themselves what they are") {
    const Bytes blob =
        set_with("Absent, Nowhere", joined({Bytes{0x01, 0x54, 0x02}, ser_string("F"), Bytes{2}}));
    check_same(copied_set(blob), blob);
}

TEST_CASE("CA-19 an argument of an enum nobody knows: raw, and the other attributes are shown") {
    const Bytes argument =
        joined({Bytes{0x01, 0x54, 0x55}, ser_string("E, Nowhere"), ser_string("F"), Bytes{1}});
    const Bytes known = joined({Bytes{0x01, 0x54, 0x02}, ser_string("F"), Bytes{1}});
    Bytes blob = joined(
        {Bytes{'.', 0x02}, ser_string("A"), compressed(static_cast<std::uint32_t>(argument.size())),
         argument, ser_string("B"), compressed(static_cast<std::uint32_t>(known.size())), known});
    check_raw(copied_set(blob), blob, ErrorCode::attribute_unresolved);
    const Opened opened = open(minimal());
    PermissionSet set;
    REQUIRE(read_permission_set(blob, opened.metadata, {}, {}, set));
    REQUIRE(set.attributes.size() == 2);
    CHECK(set.attributes[0].fault == AttributeFault::unresolved_enum);
    CHECK(set.attributes[0].arguments.size() == argument.size() - 1);
    CHECK(set.attributes[1].fault == AttributeFault::none);
    CHECK(set.nodes.size() == 2);
}

// ------------------------------------------------------------------------------------ marshalling

TEST_CASE("CA-20 descriptors without their optional parts: as they are") {
    for (const Bytes& blob :
         {Bytes{0x2A}, Bytes{0x2A, 0x50}, Bytes{0x2A, 0x50, 1}, Bytes{0x2A, 0x50, 1, 2},
          Bytes{0x1E}, Bytes{0x1E, 4}, Bytes{0x17}, Bytes{0x1D}, Bytes{0x1D, 13},
          Bytes{0x1D, 13, 0}, Bytes{0x19}, Bytes{0x1A, 1}, Bytes{0x1C, 0}}) {
        check_same(copied_marshalling(blob), blob);
    }
    CHECK_FALSE(read_marshalling(Bytes{0x2A}).element.has_value());
}

TEST_CASE("CA-21 unknown native types and those of several bytes: raw; trailing bytes: kept") {
    for (const Bytes& blob : {Bytes{0xA0, 0x00}, Bytes{0xFF}, Bytes{0x27}, Bytes{0x29, 1, 2},
                              Bytes{0x00}, Bytes{0x31}, Bytes{0x51, 0x80}, Bytes{}}) {
        check_raw(copied_marshalling(blob), blob, malformed_marshalling);
    }
    for (const Bytes& blob : {Bytes{0x14, 9, 9}, Bytes{0x2A, 0x50, 1, 2, 1, 0xEE, 0xFF},
                              Bytes{0x1D, 13, 0, 7}, Bytes{0x50, 1}}) {
        check_same(copied_marshalling(blob), blob);
        CHECK_FALSE(read_marshalling(blob).trailing.empty());
    }
}

TEST_CASE("CA-21 a descriptor that breaks off inside a part: raw") {
    for (const Bytes& blob :
         {Bytes{0x2A, 0x80}, Bytes{0x17, 0xC0, 1}, Bytes{0x1D, 13, 5, 'A'}, Bytes{0x1D, 13, 0xFF},
          Bytes{0x2C}, Bytes{0x2C, 0, 0, 0}, Bytes{0x2C, 0, 0, 9, 'A', 0}}) {
        check_raw(copied_marshalling(blob), blob, malformed_marshalling);
    }
}

TEST_CASE("CA-22 a custom marshaler with any text as name and GUID: the same texts") {
    for (const std::string_view name :
         {"A.B, C, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null", "A[[", "", "\xFF\xFE"}) {
        for (const std::string_view guid : {"", "not a GUID", "{0}"}) {
            const Bytes blob = joined({Bytes{0x2C}, ser_string(guid), ser_string(""),
                                       ser_string(name), ser_string("cookie, with, commas")});
            check_same(copied_marshalling(blob), blob);
            CHECK(read_marshalling(blob).managed_name == name);
        }
    }
}

// -------------------------------------------------------------------------------------- constants

TEST_CASE("CA-23 a constant of an enum nobody knows: its row says the type") {
    ImageSpec image = minimal();
    Heaps& heaps = image.metadata.heaps;
    TablesSpec& tables = image.metadata.tables;
    const std::uint32_t absent =
        add_type_ref(image, coded("ResolutionScope", table::AssemblyRef, 99), "A", "E");
    const Bytes signature =
        joined({Bytes{0x06}, value_type(coded("TypeDefOrRef", table::TypeRef, absent))});
    const std::uint32_t field = tables.add(table::Field, {0x8056, 0, heaps.blob(signature)});
    tables.add(table::Constant,
               {0x0A, 0, coded("HasConstant", table::Field, field), heaps.blob(Bytes(8, 0x11))});
    const Opened opened = open(image);
    require_kept(opened);
    const ConstantValue value = read_constant(opened.metadata, 1);
    CHECK(value.kind == ConstantValue::Kind::number);
    CHECK(value.bits == 0x1111111111111111);
}

TEST_CASE("CA-24 constants with odd values: the same bytes, every bit shown") {
    check_same(copied_constant(0x02, {2}), {2});
    CHECK(constant(0x02, {2}).bits == 2);
    check_same(copied_constant(0x0C, {1, 0, 0xC0, 0x7F}), {1, 0, 0xC0, 0x7F});
    CHECK(constant(0x0C, {1, 0, 0xC0, 0x7F}).bits == 0x7FC00001);
    const Bytes negative_zero = little_endian(1ULL << 63U, 8);
    check_same(copied_constant(0x0D, negative_zero), negative_zero);
    CHECK(constant(0x0D, negative_zero).bits == 1ULL << 63U);
    const Bytes lone_surrogate{0x00, 0xD8};
    check_same(copied_constant(0x0E, lone_surrogate), lone_surrogate);
    CHECK(constant(0x0E, {0xFF}).kind == ConstantValue::Kind::null);
    check_same(copied_constant(0x0E, {0xFF}), {0xFF});
    check_same(copied_constant(0x12, Bytes(4, 0)), Bytes(4, 0));
}

TEST_CASE("CA-24 constants that do not have the size of their type, or none: reported, kept") {
    check_raw(copied_constant(0x0E, {'a', 0, 'b'}), {'a', 0, 'b'}, malformed_constant);
    check_raw(copied_constant(0x12, Bytes(8, 0)), Bytes(8, 0), malformed_constant);
    check_raw(copied_constant(0x12, {1, 0, 0, 0}), {1, 0, 0, 0}, malformed_constant);
    check_raw(copied_constant(0x03, {0, 0, 1, 0}), {0, 0, 1, 0}, malformed_constant);
    check_raw(copied_constant(0x08, {}), {}, malformed_constant);
    for (const std::uint8_t type : Bytes{0x00, 0x01, 0x0F, 0x11, 0x18, 0x1C, 0x55, 0xFF}) {
        check_raw(copied_constant(type, {1, 0, 0, 0}), {1, 0, 0, 0}, malformed_constant);
    }
}

// ------------------------------------------------------------------------------------ many in one

TEST_CASE("CA-25 50,000 attributes in one run of bytes, with one huge signature: linear work") {
    constexpr std::uint32_t attributes = 50'000;
    ImageSpec image = minimal();
    image.metadata.tables.heap_sizes = 4;
    Heaps& heaps = image.metadata.heaps;
    TablesSpec& tables = image.metadata.tables;
    // A signature of 100,000 parameters, each with a modifier.
    Bytes parameters;
    for (int i = 0; i < 100'000; ++i) append(parameters, {0x20, 0x05, 0x02});
    Bytes signature = joined({Bytes{0x20}, compressed(100'000), Bytes{0x01}, parameters});
    const std::uint32_t constructor = tables.add(
        table::MemberRef, {coded("MemberRefParent", table::TypeRef, minimal_rows::console_ref),
                           heaps.string(".ctor"), heaps.blob(signature)});
    // Every third byte begins a blob of 64 bytes that has a prolog.
    const auto start = static_cast<std::uint32_t>(heaps.blobs.size());
    for (std::uint32_t i = 0; i < attributes; ++i) append(heaps.blobs, {64, 1, 0});
    heaps.blobs.resize(heaps.blobs.size() + 64);
    for (std::uint32_t i = 0; i < attributes; ++i) {
        tables.add(table::CustomAttribute,
                   {coded("HasCustomAttribute", table::TypeDef, minimal_rows::program),
                    coded("CustomAttributeType", table::MemberRef, constructor), start + i * 3});
    }
    const Opened opened = open(image);
    require_kept(opened);
    const Metadata& metadata = opened.metadata;
    CHECK(metadata.blob(Table::CustomAttribute, attributes, col::CustomAttribute::Value).size() ==
          64);
    std::array<std::uint8_t, 256> scratch;
    WriteBuffer output(scratch);
    std::uint32_t raw = 0;
    const std::clock_t before = std::clock();
    for (std::uint32_t rid = 1; rid <= attributes; ++rid) {
        const ByteSpan blob =
            metadata.blob(Table::CustomAttribute, rid, col::CustomAttribute::Value);
        const auto made = AttributeConstructor::of(metadata, rid);
        if (transcode_custom_attribute(blob, made, {}, {}, {output, {}}) == Transcoding::raw) ++raw;
        output.reset();
    }
    const auto seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    CHECK(raw == attributes);
    CHECK(seconds < 5);
}
