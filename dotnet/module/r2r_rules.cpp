// The ReadyToRun rules as a table.
#include <clrkit/dotnet/module/r2r_rules.h>

#include <array>

namespace clrkit {
namespace {

constexpr std::uint32_t any_bit = 0xFFFFFFFF;
constexpr std::uint32_t type_visibility = 0x07;
constexpr std::uint32_t member_access = 0x07;
constexpr std::uint32_t method_virtual = 0x40;

struct Rule {
    Table table;
    std::uint8_t column;
    std::uint32_t bits;  // that may change
};

constexpr std::array rules{
    Rule{Table::TypeDef, col::TypeDef::Flags, type_visibility},
    Rule{Table::Field, col::Field::Flags, member_access},
    Rule{Table::Field, col::Field::Name, any_bit},
    Rule{Table::MethodDef, col::MethodDef::Flags, member_access},
    Rule{Table::MethodDef, col::MethodDef::Name, any_bit},
    Rule{Table::Param, col::Param::Name, any_bit},
    Rule{Table::CustomAttribute, col::CustomAttribute::Value, any_bit},
    Rule{Table::ManifestResource, col::ManifestResource::Offset, any_bit},
    Rule{Table::ManifestResource, col::ManifestResource::Flags, any_bit},
    Rule{Table::ManifestResource, col::ManifestResource::Name, any_bit},
};

}  // namespace

bool ready_to_run_allows(const Metadata& metadata, Token row, unsigned column,
                         std::uint32_t value) {
    const std::uint32_t changed = metadata.cell(row.table(), row.rid(), column) ^ value;
    if (changed == 0) return true;
    // Virtual methods are matched by name when their slots are.
    if (row.table() == Table::MethodDef && column == col::MethodDef::Name &&
        (metadata.cell(row.table(), row.rid(), col::MethodDef::Flags) & method_virtual) != 0) {
        return false;
    }
    for (const Rule& rule : rules) {
        if (rule.table == row.table() && rule.column == column) return (changed & ~rule.bits) == 0;
    }
    return false;
}

}  // namespace clrkit
