// Assemblies by name, their enums and their forwarders.
#include <clrkit/core/bytes/hash.h>
#include <clrkit/core/door.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/attributes/enum_set.h>
#include <clrkit/dotnet/signatures/type_name.h>

#include <algorithm>
#include <array>
#include <bit>

namespace clrkit {
namespace {

/// Where the runtimes look for a type whose name says no assembly.
constexpr std::array<std::string_view, 2> core_libraries{"System.Private.CoreLib", "mscorlib"};

std::uint64_t hash_assembly_name(std::string_view name) {
    std::array<char, 64> folded{};
    std::uint64_t hash = name.size();
    for (std::size_t at = 0; at < name.size(); at += folded.size()) {
        const std::string_view part = name.substr(at, folded.size());
        std::ranges::transform(part, folded.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        hash = hash_text({folded.data(), part.size()}, hash);
    }
    return hash;
}

std::uint64_t hash_type(const TypePath::Part& type) {
    return hash_text(type.name, hash_text(type.name_space));
}

/// What several say of one enum: nothing until the first, and for good once they differ.
class Answers {
public:
    void add(std::optional<ElementType> answer) {
        if (!answer || (type_ && *type_ == *answer)) return;
        differ_ = type_.has_value();
        if (!differ_) type_ = answer;
    }
    bool any() const { return type_.has_value(); }
    std::optional<ElementType> agreed() const { return differ_ ? std::nullopt : type_; }

private:
    std::optional<ElementType> type_;
    bool differ_ = false;
};

}  // namespace

Result<EnumSet> EnumSet::build(std::span<const Metadata* const> assemblies, const Limits& limits) {
    return at_the_door(Stage::metadata, [&]() -> Result<EnumSet> {
        EnumSet set;
        set.members_.reserve(assemblies.size());
        for (const Metadata* metadata : assemblies) TRY_DO(set.add(*metadata, limits));
        set.index_names();
        return set;
    });
}

Status EnumSet::add(const Metadata& metadata, const Limits& limits) {
    if (metadata.rows(Table::Assembly) == 0) return {};
    bool valid = true;
    Member member;
    member.name =
        bounded_name(metadata, metadata.cell(Table::Assembly, 1, col::Assembly::Name), valid);
    if (!valid || member.name.empty()) return {};
    TRY(member.enums, EnumTable::build(metadata, limits));
    TRY_DO(index_forwarders(member, limits.output_budget(metadata.root().bytes().size())));
    members_.push_back(std::move(member));
    return {};
}

Status EnumSet::index_forwarders(Member& member, std::uint64_t budget) {
    const Metadata& metadata = member.enums.metadata();
    const std::uint32_t rows = metadata.rows(Table::ExportedType);
    if (rows == 0) return {};
    member.forwarders.assign(std::bit_ceil(std::size_t{rows} * 2 + 2), 0);
    const std::size_t mask = member.forwarders.size() - 1;
    for (std::uint32_t rid = 1; rid <= rows; ++rid) {
        const Token to =
            metadata.token(Table::ExportedType, rid, col::ExportedType::Implementation);
        if (to.table() != Table::AssemblyRef) continue;
        bool valid = true;
        const auto name = [&](unsigned column) {
            return bounded_name(metadata, metadata.cell(Table::ExportedType, rid, column), valid);
        };
        const TypePath::Part type{name(col::ExportedType::TypeNamespace),
                                  name(col::ExportedType::TypeName)};
        const std::uint64_t size = type.name_space.size() + type.name.size();
        if (size > budget) {
            return failure(Stage::metadata, ErrorCode::limit_reached, metadata.root().file_offset(),
                           "names of types that lie inside one another",
                           Token(Table::ExportedType, rid).value());
        }
        budget -= size;
        // The first of several counts, so a later one is not entered.
        if (!valid || !forwarded_to(member, type).empty()) continue;
        std::size_t slot = hash_type(type) & mask;
        while (member.forwarders[slot] != 0) slot = (slot + 1) & mask;
        member.forwarders[slot] = rid;
    }
    return {};
}

std::string_view EnumSet::forwarded_to(const Member& member, const TypePath::Part& type) const {
    if (member.forwarders.empty()) return {};
    const Metadata& metadata = member.enums.metadata();
    const std::size_t mask = member.forwarders.size() - 1;
    for (std::size_t slot = hash_type(type) & mask; member.forwarders[slot] != 0;
         slot = (slot + 1) & mask) {
        const std::uint32_t rid = member.forwarders[slot];
        const auto is = [&](unsigned column, std::string_view text) {
            return metadata.strings().equals(metadata.cell(Table::ExportedType, rid, column), text);
        };
        if (!is(col::ExportedType::TypeName, type.name)) continue;
        if (!is(col::ExportedType::TypeNamespace, type.name_space)) continue;
        const Token to =
            metadata.token(Table::ExportedType, rid, col::ExportedType::Implementation);
        bool valid = true;
        const std::string_view name = bounded_name(
            metadata, metadata.cell(Table::AssemblyRef, to.rid(), col::AssemblyRef::Name), valid);
        return valid ? name : std::string_view{};
    }
    return {};
}

void EnumSet::index_names() {
    names_.assign(std::bit_ceil(members_.size() * 2 + 2), 0);
    const std::size_t mask = names_.size() - 1;
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
        std::size_t slot = hash_assembly_name(members_[i].name) & mask;
        while (names_[slot] != 0 &&
               !same_assembly_name(members_[names_[slot] - 1].name, members_[i].name)) {
            slot = (slot + 1) & mask;
        }
        members_[i].next = names_[slot];
        names_[slot] = i + 1;
    }
}

const EnumSet::Member* EnumSet::member(std::string_view assembly) const {
    if (names_.empty() || assembly.empty()) return nullptr;
    const std::size_t mask = names_.size() - 1;
    for (std::size_t slot = hash_assembly_name(assembly) & mask; names_[slot] != 0;
         slot = (slot + 1) & mask) {
        const Member& candidate = members_[names_[slot] - 1];
        if (same_assembly_name(candidate.name, assembly)) return &candidate;
    }
    return nullptr;
}

const EnumTable* EnumSet::table_of(const Metadata& metadata) const {
    const auto found = std::ranges::find_if(
        members_, [&](const Member& member) { return &member.enums.metadata() == &metadata; });
    return found == members_.end() ? nullptr : &found->enums;
}

std::optional<ElementType> EnumSet::find(std::string_view assembly, const TypePath& path) const {
    if (path.count == 0) return std::nullopt;
    for (int hop = 0; hop <= forwarders_followed; ++hop) {
        Answers answers;
        std::string_view next;
        for (const Member* from = member(assembly); from != nullptr;
             from = from->next == 0 ? nullptr : &members_[from->next - 1]) {
            answers.add(from->enums.find(path));
            if (next.empty()) next = forwarded_to(*from, path.outermost());
        }
        if (answers.any() || next.empty()) return answers.agreed();
        assembly = next;
    }
    return std::nullopt;
}

std::optional<ElementType> EnumSet::by_reference(const void* set, const Metadata& metadata,
                                                 Token type) {
    TypePath path;
    Token scope;
    if (!path_of_reference(metadata, type.rid(), path, scope)) return std::nullopt;
    if (scope.table() != Table::AssemblyRef) return std::nullopt;
    bool valid = true;
    const std::string_view assembly = bounded_name(
        metadata, metadata.cell(Table::AssemblyRef, scope.rid(), col::AssemblyRef::Name), valid);
    return valid ? static_cast<const EnumSet*>(set)->find(assembly, path) : std::nullopt;
}

std::optional<ElementType> EnumSet::by_name(const void* set, const Metadata& /*metadata*/,
                                            std::string_view name) {
    const auto& self = *static_cast<const EnumSet*>(set);
    TypeNameNode parts;
    TypePath path;
    UnescapedNames room;
    if (split_type_name(name, parts) != TypeNameFault::none || !parts.suffixes.empty() ||
        !path_of_name(parts.name, room, path)) {
        return std::nullopt;
    }
    if (!parts.assembly.empty()) return self.find(simple_assembly_name(parts.assembly), path);
    Answers answers;
    for (const std::string_view library : core_libraries) answers.add(self.find(library, path));
    return answers.agreed();
}

}  // namespace clrkit
