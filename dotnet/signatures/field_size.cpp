// Field signatures read just far enough to know a size (ECMA-335 II.23.2.4, II.23.1.16).
#include <clrkit/dotnet/signatures/element_type.h>
#include <clrkit/dotnet/signatures/field_size.h>

namespace clrkit {
namespace {

constexpr std::uint32_t field_is_static = 0x0010;
// value__ is the first field of every enum a compiler makes; the bound keeps a hostile one with
// thousands of static fields from being searched once per mapped field.
constexpr std::uint32_t fields_searched = 16;

// Many fields may share one long signature, or begin inside it.
constexpr std::uint32_t modifiers_followed = 512;

/// Skips custom modifiers; the element type behind them.
ElementType element_behind_modifiers(ByteReader& reader) {
    auto type = static_cast<ElementType>(reader.u8());
    for (std::uint32_t count = 0; type == ElementType::modreq || type == ElementType::modopt;) {
        (void)reader.compressed();
        if (++count > modifiers_followed) reader.fail();
        type = static_cast<ElementType>(reader.u8());
    }
    return type;
}

ByteReader field_signature(const Metadata& metadata, std::uint32_t field) {
    ByteReader reader(metadata.blob(Table::Field, field, col::Field::Signature));
    if ((reader.u8() & 0x0FU) != 0x06) reader.fail();
    return reader;
}

/// The row the runtime takes for a type; 0 when there is none.
std::uint32_t class_layout(const Metadata& metadata, std::uint32_t type, const KeyIndex* layouts) {
    if (layouts == nullptr || !metadata.uncompressed()) {
        return metadata.pick(Table::ClassLayout, type);
    }
    const auto rows = layouts->rows(type);
    return rows.empty() ? 0 : rows.front();
}

/// The size a TypeDef states, or that of the enum's underlying field.
std::optional<std::uint32_t> value_type_size(const Metadata& metadata, Token type,
                                             std::uint32_t pointer_size, const KeyIndex* layouts) {
    if (type.table() != Table::TypeDef || !metadata.tables().has(type)) return std::nullopt;
    const std::uint32_t stated =
        metadata.cell(Table::ClassLayout, class_layout(metadata, type.rid(), layouts),
                      col::ClassLayout::ClassSize);
    if (stated != 0) return stated;
    const RowRange fields = metadata.list(Table::TypeDef, type.rid(), col::TypeDef::FieldList);
    std::uint32_t instance_fields = 0;
    std::optional<std::uint32_t> size;
    for (std::uint32_t at = fields.first; at < fields.end; ++at) {
        if (at - fields.first == fields_searched) return std::nullopt;
        const std::uint32_t field = metadata.through(Table::Field, at);
        if ((metadata.cell(Table::Field, field, col::Field::Flags) & field_is_static) != 0)
            continue;
        ByteReader reader = field_signature(metadata, field);
        size = primitive_size(element_behind_modifiers(reader), pointer_size);
        // An enum has one instance field, and it comes first; what else there is are constants.
        if (++instance_fields == 1 &&
            metadata.strings().equals(metadata.cell(Table::Field, field, col::Field::Name),
                                      "value__")) {
            return size;
        }
    }
    return instance_fields == 1 ? size : std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> field_data_size(const Metadata& metadata, std::uint32_t field,
                                             std::uint32_t pointer_size, const KeyIndex* layouts) {
    ByteReader reader = field_signature(metadata, field);
    const ElementType type = element_behind_modifiers(reader);
    if (!reader.ok()) return std::nullopt;
    if (type != ElementType::value_type) return primitive_size(type, pointer_size);
    const Token token = decode(CodedIndex::TypeDefOrRef, reader.compressed());
    if (!reader.ok()) return std::nullopt;
    return value_type_size(metadata, token, pointer_size, layouts);
}

}  // namespace clrkit
