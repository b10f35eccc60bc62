#include "support/attribute_samples.h"

#include "support/catch.h"

namespace clrkit::test {

Bytes joined(std::initializer_list<Bytes> parts) {
    Bytes all;
    for (const Bytes& part : parts) append(all, part);
    return all;
}

Bytes ser_string(std::string_view text) {
    return joined({compressed(static_cast<std::uint32_t>(text.size())), bytes_of(text)});
}

Bytes constructor_of(std::initializer_list<Bytes> parameters) {
    Bytes signature{0x20};
    append(signature, compressed(static_cast<std::uint32_t>(parameters.size())));
    signature.push_back(0x01);
    append(signature, joined(parameters));
    return signature;
}

Bytes class_type(std::uint32_t encoded) { return joined({Bytes{0x12}, compressed(encoded)}); }
Bytes value_type(std::uint32_t encoded) { return joined({Bytes{0x11}, compressed(encoded)}); }

std::uint32_t add_type_ref(ImageSpec& image, std::uint32_t scope, std::string_view name_space,
                           std::string_view name) {
    Heaps& heaps = image.metadata.heaps;
    return image.metadata.tables.add(table::TypeRef,
                                     {scope, heaps.string(name), heaps.string(name_space)});
}

std::uint32_t add_assembly_ref(ImageSpec& image, std::string_view name) {
    return image.metadata.tables.add(table::AssemblyRef,
                                     {1, 0, 0, 0, 0, 0, image.metadata.heaps.string(name), 0, 0});
}

void name_assembly(ImageSpec& image, std::string_view name) {
    image.metadata.tables.row(table::Assembly, 1)[7] = image.metadata.heaps.string(name);
}

std::uint32_t add_enum(ImageSpec& image, std::string_view name_space, std::string_view name,
                       ElementType underlying, std::uint32_t enclosing) {
    Heaps& heaps = image.metadata.heaps;
    TablesSpec& tables = image.metadata.tables;
    const std::uint32_t base =
        add_type_ref(image, coded("ResolutionScope", table::AssemblyRef, 1), "System", "Enum");
    const std::uint32_t field =
        tables.add(table::Field, {0x0606, heaps.string("value__"),
                                  heaps.blob({0x06, static_cast<std::uint8_t>(underlying)})});
    const std::uint32_t type =
        tables.add(table::TypeDef, {0x101, heaps.string(name), heaps.string(name_space),
                                    coded("TypeDefOrRef", table::TypeRef, base), field, 2});
    if (enclosing != 0) tables.add(table::NestedClass, {type, enclosing});
    return type;
}

std::uint32_t add_attribute(ImageSpec& image, const Bytes& signature, const Bytes& blob) {
    Heaps& heaps = image.metadata.heaps;
    TablesSpec& tables = image.metadata.tables;
    const std::uint32_t constructor = tables.add(
        table::MemberRef, {coded("MemberRefParent", table::TypeRef, minimal_rows::console_ref),
                           heaps.string(".ctor"), heaps.blob(signature)});
    return tables.add(
        table::CustomAttribute,
        {coded("HasCustomAttribute", table::TypeDef, minimal_rows::program),
         coded("CustomAttributeType", table::MemberRef, constructor), heaps.blob(blob)});
}

Copied copied(const Opened& opened, std::uint32_t attribute, const EnumLookup& enums) {
    const Metadata& metadata = opened.metadata;
    const auto constructor = AttributeConstructor::of(metadata, attribute);
    const ByteSpan blob =
        metadata.blob(Table::CustomAttribute, attribute, col::CustomAttribute::Value);
    return transcoded([&](const BlobReadContext& read, const BlobWriteContext& write) {
        return transcode_custom_attribute(blob, constructor, enums, read, write);
    });
}

Copied copied(const Bytes& signature, const Bytes& blob) {
    ImageSpec image = minimal();
    const std::uint32_t attribute = add_attribute(image, signature, blob);
    const Opened opened = open(image);
    require_kept(opened);
    return copied(opened, attribute);
}

void check_same(const Copied& copy, const Bytes& blob) {
    CHECK(copy.result == Transcoding::same);
    CHECK(copy.bytes == blob);
    CHECK(copy.diagnostics.empty());
}

void check_raw(const Copied& copy, const Bytes& blob, ErrorCode code) {
    CHECK(copy.result == Transcoding::raw);
    CHECK(copy.bytes == blob);
    CHECK(copy.diagnostics.total() == 1);
    CHECK(copy.reported(code));
}

ReadAttribute read_attribute(const ImageSpec& image, std::uint32_t attribute) {
    ReadAttribute result;
    result.opened = open(image);
    require_opened(result.opened);
    const Metadata& metadata = result.opened.metadata;
    const auto table = EnumTable::build(metadata);
    REQUIRE(table);
    const EnumLookup enums{&*table, {}};
    BlobReadContext read;
    read.diagnostics = &result.diagnostics;
    REQUIRE(read_custom_attribute(
        metadata.blob(Table::CustomAttribute, attribute, col::CustomAttribute::Value),
        AttributeConstructor::of(metadata, attribute), enums, read, result.attribute));
    return result;
}

ReadAttribute read_attribute(const Bytes& signature, const Bytes& blob) {
    ImageSpec image = minimal();
    const std::uint32_t attribute = add_attribute(image, signature, blob);
    return read_attribute(image, attribute);
}

}  // namespace clrkit::test
