// Finding an attribute by name and reading its strings.
#include <clrkit/dotnet/attributes/assembly_attribute.h>

namespace clrkit {
namespace {

constexpr std::uint16_t prolog = 0x0001;
constexpr std::uint8_t null_string = 0xFF;

/// The TypeRef or TypeDef that an attribute's constructor belongs to.
Token attribute_type(const Metadata& metadata, std::uint32_t attribute) {
    const Token constructor =
        metadata.token(Table::CustomAttribute, attribute, col::CustomAttribute::Type);
    if (constructor.table() != Table::MemberRef) return {};
    return metadata.token(Table::MemberRef, constructor.rid(), col::MemberRef::Class);
}

}  // namespace

ByteSpan assembly_attribute(const Metadata& metadata, std::string_view name_space,
                            std::string_view name) {
    const std::uint32_t assembly = encode(CodedIndex::HasCustomAttribute, {Table::Assembly, 1});
    const RowRange rows = metadata.find(Table::CustomAttribute, assembly);
    for (std::uint32_t rid = rows.first; rid < rows.end; ++rid) {
        const Token type = attribute_type(metadata, rid);
        if (type.table() != Table::TypeRef) continue;
        const auto is = [&](unsigned column, std::string_view text) {
            return metadata.strings().equals(metadata.cell(Table::TypeRef, type.rid(), column),
                                             text);
        };
        if (!is(col::TypeRef::TypeName, name) || !is(col::TypeRef::TypeNamespace, name_space)) {
            continue;
        }
        return metadata.blob(Table::CustomAttribute, rid, col::CustomAttribute::Value);
    }
    return {};
}

std::string_view string_argument(ByteSpan blob, unsigned index) {
    ByteReader reader(blob);
    if (reader.u16() != prolog) return {};
    for (;; --index) {
        const bool is_null = !reader.rest().empty() && reader.rest()[0] == null_string;
        const ByteSpan text = reader.bytes(is_null ? 1 : reader.compressed());
        if (!reader.ok()) return {};
        if (index == 0) {
            return is_null
                       ? std::string_view{}
                       : std::string_view{reinterpret_cast<const char*>(text.data()), text.size()};
        }
    }
}

}  // namespace clrkit
