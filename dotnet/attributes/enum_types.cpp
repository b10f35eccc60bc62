// Enums of one module, by row and by name.
#include <clrkit/core/door.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/attributes/enum_types.h>
#include <clrkit/dotnet/signatures/type_name.h>

#include <algorithm>
#include <bit>

namespace clrkit {
namespace {

constexpr std::uint32_t field_is_static = 0x0010;
// Compilers put value__ first. The bound keeps an enum of thousands of constants from being searched
// once per attribute.
constexpr std::uint32_t fields_searched = 16;
constexpr int modifiers_followed = 16;

/// The underlying type in the signature of an enum's value field.
std::optional<ElementType> underlying_of_field(const Metadata& metadata, std::uint32_t field) {
    ByteReader reader(metadata.blob(Table::Field, field, col::Field::Signature));
    if (reader.u8() != 0x06) return std::nullopt;
    auto type = static_cast<ElementType>(reader.u8());
    for (int i = 0;
         i < modifiers_followed && (type == ElementType::modreq || type == ElementType::modopt);
         ++i) {
        (void)reader.compressed();
        type = static_cast<ElementType>(reader.u8());
    }
    const bool integer = type >= ElementType::boolean && type <= ElementType::u8;
    if (!reader.ok() || !integer) return std::nullopt;
    return type;
}

/// True when that is the simple name of the assembly that `metadata` is the manifest of.
bool is_assembly(const Metadata& metadata, std::string_view name) {
    bool valid = true;
    const std::string_view own =
        bounded_name(metadata, metadata.cell(Table::Assembly, 1, col::Assembly::Name), valid);
    return valid && !name.empty() && same_assembly_name(name, own);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::optional<ElementType> enum_underlying(const Metadata& metadata, std::uint32_t type_def) {
    const Token base = metadata.token(Table::TypeDef, type_def, col::TypeDef::Extends);
    if (!is_named(metadata, base, "System", "Enum")) return std::nullopt;
    const RowRange fields = metadata.list(Table::TypeDef, type_def, col::TypeDef::FieldList);
    const std::uint32_t searched = std::min(fields.size(), fields_searched);
    for (std::uint32_t i = 0; i < searched; ++i) {
        const std::uint32_t field = metadata.through(Table::Field, fields.first + i);
        if ((metadata.cell(Table::Field, field, col::Field::Flags) & field_is_static) == 0) {
            return underlying_of_field(metadata, field);
        }
    }
    return std::nullopt;
}

// ------------------------------------------------------------------------------------------ table

Result<EnumTable> EnumTable::build(const Metadata& metadata, const Limits& limits) {
    return at_the_door(Stage::metadata, [&]() -> Result<EnumTable> {
        EnumTable table;
        table.metadata_ = &metadata;
        const std::uint32_t types = metadata.rows(Table::TypeDef);
        table.enclosers_.assign(types + 1, 0);
        for (std::uint32_t rid = 1; rid <= metadata.rows(Table::NestedClass); ++rid) {
            const std::uint32_t nested =
                metadata.cell(Table::NestedClass, rid, col::NestedClass::NestedClass);
            const std::uint32_t enclosing =
                metadata.cell(Table::NestedClass, rid, col::NestedClass::EnclosingClass);
            // The first row counts, as in the runtimes.
            if (nested == 0 || nested > types || enclosing > types) continue;
            if (table.enclosers_[nested] == 0) table.enclosers_[nested] = enclosing;
        }
        TRY_DO(table.add_all(limits.output_budget(metadata.root().bytes().size())));
        return table;
    });
}

Status EnumTable::add_all(std::uint64_t budget) {
    std::vector<std::pair<std::uint32_t, ElementType>> enums;
    for (std::uint32_t rid = 1; rid < enclosers_.size(); ++rid) {
        if (const auto underlying = enum_underlying(*metadata_, rid)) {
            enums.emplace_back(rid, *underlying);
        }
    }
    entries_.assign(std::bit_ceil(enums.size() * 2 + 2), {});
    TypePath path;
    for (const auto& [rid, underlying] : enums) {
        if (!path_of(rid, path)) continue;
        if (path.size > budget) {
            return failure(
                Stage::metadata, ErrorCode::limit_reached, metadata_->root().file_offset(),
                "names of types that lie inside one another", Token(Table::TypeDef, rid).value());
        }
        budget -= path.size;
        add(rid, underlying, path);
    }
    return {};
}

bool EnumTable::path_of(std::uint32_t type, TypePath& path) const {
    path.clear();
    bool valid = true;
    for (; type != 0; type = enclosers_[type]) {
        const auto name = [&](unsigned column) {
            return bounded_name(*metadata_, metadata_->cell(Table::TypeDef, type, column), valid);
        };
        if (!path.add({name(col::TypeDef::TypeNamespace), name(col::TypeDef::TypeName)}) || !valid)
            return false;
    }
    return true;
}

void EnumTable::add(std::uint32_t type, ElementType underlying, const TypePath& path) {
    const std::uint64_t hash = path.hash();
    const auto tag = static_cast<std::uint32_t>(hash >> 32U);
    if (const Entry* same = entry(path, tag); same != nullptr) {
        Entry& there = entries_[static_cast<std::size_t>(same - entries_.data())];
        if (there.underlying != underlying) there.underlying = ElementType::end;
        return;
    }
    const std::size_t mask = entries_.size() - 1;
    std::size_t slot = tag & mask;
    while (entries_[slot].type != 0) slot = (slot + 1) & mask;
    entries_[slot] = {type, tag, underlying};
}

const EnumTable::Entry* EnumTable::entry(const TypePath& path, std::uint32_t hash) const {
    if (entries_.empty()) return nullptr;
    const std::size_t mask = entries_.size() - 1;
    for (std::size_t slot = hash & mask; entries_[slot].type != 0; slot = (slot + 1) & mask) {
        if (entries_[slot].hash == hash && is(entries_[slot].type, path)) return &entries_[slot];
    }
    return nullptr;
}

bool EnumTable::is(std::uint32_t type, const TypePath& path) const {
    for (std::uint32_t i = 0; i < path.count; ++i, type = enclosers_[type]) {
        if (type == 0 || !is_named(*metadata_, Token(Table::TypeDef, type),
                                   path.parts[i].name_space, path.parts[i].name)) {
            return false;
        }
    }
    return type == 0;
}

std::optional<ElementType> EnumTable::find(const TypePath& path) const {
    const Entry* found = entry(path, static_cast<std::uint32_t>(path.hash() >> 32U));
    if (found == nullptr || found->underlying == ElementType::end) return std::nullopt;
    return found->underlying;
}

// ----------------------------------------------------------------------------------------- lookup

std::optional<ElementType> EnumLookup::by_token(const Metadata& metadata, Token type) const {
    if (type.table() == Table::TypeDef) return enum_underlying(metadata, type.rid());
    if (type.table() != Table::TypeRef) return std::nullopt;
    if (own != nullptr) {
        TypePath path;
        Token scope;
        if (!path_of_reference(metadata, type.rid(), path, scope)) return std::nullopt;
        if (scope.table() == Table::Module && scope.rid() != 0) return own->find(path);
    }
    if (elsewhere.by_reference == nullptr) return std::nullopt;
    return elsewhere.by_reference(elsewhere.context, metadata, type);
}

std::optional<ElementType> EnumLookup::by_name(const Metadata& metadata,
                                               std::string_view name) const {
    if (own != nullptr) {
        TypeNameNode parts;
        if (split_type_name(name, parts) != TypeNameFault::none) return std::nullopt;
        if (!parts.suffixes.empty()) return std::nullopt;
        const bool here =
            parts.assembly.empty() || is_assembly(metadata, simple_assembly_name(parts.assembly));
        TypePath path;
        UnescapedNames room;
        if (here && path_of_name(parts.name, room, path)) {
            if (const auto found = own->find(path)) return found;
        }
    }
    if (elsewhere.by_name == nullptr) return std::nullopt;
    return elsewhere.by_name(elsewhere.context, metadata, name);
}

std::string_view simple_assembly_name(std::string_view display_name) {
    std::string_view name = display_name.substr(0, display_name.find(','));
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    return name.find_first_of("\\\"'") == std::string_view::npos ? name : std::string_view{};
}

bool same_assembly_name(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace clrkit
