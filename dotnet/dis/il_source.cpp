// Look-ups and names that all parts of the text use.
#include <clrkit/dotnet/dis/il_source.h>
#include <clrkit/dotnet/signatures/il_names.h>

#include <algorithm>
#include <set>
#include <utility>

namespace clrkit::dis {
namespace {

std::uint64_t text_limit(const DisassemblyOptions& options, const Module& module) {
    if (options.text_bytes != 0) return options.text_bytes;
    constexpr std::uint64_t at_least = 16'000'000;
    // Of 1,800 assemblies the wordiest takes 17, with tokens and bytes.
    constexpr std::uint64_t for_each_byte = 32;
    return at_least + for_each_byte * module.bytes().size();
}

/// The name under which each AssemblyRef is declared: its own, unless another one has it already.
std::vector<std::string> make_aliases(const Metadata& metadata, Dialect dialect) {
    std::vector<std::string> aliases;
    std::set<std::string, std::less<>> taken;
    const std::uint32_t count = metadata.rows(Table::AssemblyRef);
    aliases.reserve(count);
    // mono's assembler takes a reference by the assembly's own name for the assembly itself.
    if (dialect == Dialect::mono && metadata.rows(Table::Assembly) != 0) {
        taken.emplace(metadata.string(Table::Assembly, 1, col::Assembly::Name));
    }
    NameBudget budget;
    for (std::uint32_t rid = 1; rid <= count; ++rid) {
        std::string alias(budget.name(metadata, Table::AssemblyRef, rid, col::AssemblyRef::Name));
        if (taken.contains(alias)) {
            alias += '$';
            append_number(alias, rid);
        }
        taken.insert(alias);
        aliases.push_back(std::move(alias));
    }
    return aliases;
}

/// Members lie in one list each, so a few visits to each are enough; lists that overlap are hostile.
std::uint64_t visits_allowed(const Metadata& metadata) {
    constexpr std::uint64_t at_least = 100'000;
    constexpr std::uint64_t for_each_row = 8;
    std::uint64_t rows = 0;
    for (const Table table : {Table::Field, Table::MethodDef, Table::Event, Table::Property}) {
        rows += metadata.rows(table);
    }
    return at_least + for_each_row * rows;
}

// One text is one line; nobody reads a longer one, and thousands may share a name.
constexpr std::uint64_t bytes_of_a_text = std::uint64_t{1} << 20U;

}  // namespace

RowsByOwner::RowsByOwner(const Metadata& metadata)
    : constants(metadata, Table::Constant, col::Constant::Parent),
      marshalling(metadata, Table::FieldMarshal, col::FieldMarshal::Parent),
      security(metadata, Table::DeclSecurity, col::DeclSecurity::Parent),
      layouts(metadata, Table::ClassLayout, col::ClassLayout::Parent),
      field_offsets(metadata, Table::FieldLayout, col::FieldLayout::Field),
      field_data(metadata, Table::FieldRVA, col::FieldRVA::Field),
      imports(metadata, Table::ImplMap, col::ImplMap::MemberForwarded),
      overrides(metadata, Table::MethodImpl, col::MethodImpl::Class),
      overrides_by_body(metadata, Table::MethodImpl, col::MethodImpl::MethodBody),
      interfaces(metadata, Table::InterfaceImpl, col::InterfaceImpl::Class),
      event_maps(metadata, Table::EventMap, col::EventMap::Parent),
      property_maps(metadata, Table::PropertyMap, col::PropertyMap::Parent),
      accessors(metadata, Table::MethodSemantics, col::MethodSemantics::Association),
      generic_parameters(metadata, Table::GenericParam, col::GenericParam::Owner),
      constraints(metadata, Table::GenericParamConstraint, col::GenericParamConstraint::Owner) {}

IlSource::IlSource(const Module& from, Indexes made, const DisassemblyOptions& asked,
                   const TextTarget& target)
    : module(from),
      metadata(from.metadata()),
      options(asked),
      indexes(std::move(made)),
      rows(metadata),
      aliases(make_aliases(metadata, asked.dialect)),
      names{aliases, asked.dialect == Dialect::mono},
      printer(metadata, {.indexes = &indexes, .text_bytes = bytes_of_a_text, .assembler = &names}),
      text(target, text_limit(asked, from)),
      attributes_said(metadata.rows(Table::CustomAttribute) + 1),
      types_said(metadata.rows(Table::TypeDef) + 1),
      visits_left_(visits_allowed(metadata)) {}

std::string_view NameBudget::name(const Metadata& metadata, Table table, std::uint32_t rid,
                                  unsigned column) {
    if (left_ == 0) return {};
    const std::string_view name = metadata.string(table, rid, column);
    left_ -= std::min<std::uint64_t>(left_, name.size());
    return left_ == 0 ? std::string_view() : name;
}

bool IlSource::declare(Token owner, std::string signature) {
    if (owner != declared_owner_) declared_.clear();
    declared_owner_ = owner;
    return declared_.insert(std::move(signature)).second;
}

bool IlSource::said(Token owner) {
    if (!printer.complete()) gap(GapKind::signature, owner);
    return printer.complete();
}

bool IlSource::type(std::string& to, Token type, Token owner) {
    printer.type_reference(to, type);
    return said(owner);
}

bool IlSource::member(std::string& to, Token member, Token owner) {
    printer.member(to, member);
    return said(owner);
}

bool IlSource::signature(std::string& to, ByteSpan blob, BlobKind kind, Token owner) {
    printer.signature(to, blob, kind);
    return said(owner);
}

void IlSource::type_name(std::string& to, std::string_view name_space, std::string_view name) {
    std::string full(name_space);
    if (!full.empty()) full += '.';
    full += name;
    append_il_name(to, full);
}

void IlSource::member_name(std::string& to, Token member) const {
    const bool field = member.table() == Table::Field;
    const Table table = member.table();
    const std::string_view name = metadata.string(
        table, member.rid(), field ? unsigned{col::Field::Name} : unsigned{col::MethodDef::Name});
    const std::uint32_t flags = metadata.cell(
        table, member.rid(), field ? unsigned{col::Field::Flags} : unsigned{col::MethodDef::Flags});
    // Only the runtime's assembler takes the suffix off again.
    if ((flags & 7U) == 0 && name != ".ctor" && name != ".cctor" && !for_mono()) {
        std::string suffixed(name);
        suffixed += "$PST";
        append_hex(suffixed, member.value(), 8);
        append_il_name(to, suffixed);
    } else if (field) {
        append_il_identifier(to, name);
    } else {
        append_il_method_name(to, name);
    }
}

void IlSource::token_comment(std::string& to, Token token) const {
    if (!options.tokens) return;
    to += "/*";
    append_hex(to, token.value(), 8);
    to += "*/ ";
}

}  // namespace clrkit::dis
