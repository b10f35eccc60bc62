// Permission sets (ECMA-335 II.20, II.22.11): their blobs as bytes, which says all of them whatever they
// mean; for mono's assembler, which takes bytes for XML only, as lists of attributes.
#include <clrkit/dotnet/attributes/permission_set.h>
#include <clrkit/dotnet/dis/parts.h>
#include <clrkit/dotnet/signatures/il_names.h>
#include <clrkit/dotnet/signatures/type_name.h>

#include <algorithm>
#include <array>

namespace clrkit::dis {
namespace {

constexpr std::array<const char*, 16> actions{
    nullptr,      "request",      "demand",           "assert",
    "deny",       "permitonly",   "linkcheck",        "inheritcheck",
    "reqmin",     "reqopt",       "reqrefuse",        "prejitgrant",
    "prejitdeny", "noncasdemand", "noncaslinkdemand", "noncasinheritance",
};

/// `[mscorlib]Ns.Type` of the name as reflection writes it. False where it leads to no reference.
bool append_type(const IlSource& source, std::string& to, std::string_view name) {
    TypeNameNode type;
    if (split_type_name(name, type) != TypeNameFault::none || !type.suffixes.empty() ||
        type.arguments != 0 || type.name.find_first_of("\\+") != std::string_view::npos) {
        return false;
    }
    const std::string_view assembly = simple_assembly_name(type.assembly);
    if (assembly.empty()) return false;
    for (std::uint32_t rid = 1; rid <= source.metadata.rows(Table::AssemblyRef); ++rid) {
        // A reference by another name than its own is a second one to that assembly.
        if (source.assembly_alias(rid) != assembly) continue;
        to += '[';
        append_il_name(to, assembly);
        to += ']';
        append_il_name(to, type.name);
        return true;
    }
    return false;
}

/// `property bool 'Unrestricted' = bool(true)`.
bool append_argument(std::string& to, const AttributeNode& named, const AttributeNode& value) {
    if (value.kind != AttributeNode::Kind::number || value.is_enum || named.is_null) return false;
    const std::string_view name = named.text();
    const bool plain = std::ranges::all_of(name, [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
               (c >= 'a' && c <= 'z');
    });
    if (!plain || name.empty()) return false;
    to += named.is_property ? " property " : " field ";
    std::string text;
    switch (value.element) {
        case ElementType::boolean: text = value.bits != 0 ? "true" : "false"; break;
        case ElementType::i4: append_number(text, static_cast<std::int32_t>(value.bits)); break;
        default: return false;
    }
    const char* const type = value.element == ElementType::boolean ? "bool" : "int32";
    to += type;
    to += " '";
    to += name;
    to += "' = ";
    to += type;
    to += '(' + text + ')';
    return true;
}

/// `{ [mscorlib]Ns.PermissionAttribute = { property bool 'Unrestricted' = bool(true) } }`.
bool append_list(IlSource& source, std::string& to, ByteSpan blob, Token owner) {
    PermissionSet set;
    const BlobReadContext context{.owner = owner};
    if (!read_permission_set(blob, source.metadata, {}, context, set) ||
        set.form != PermissionSet::Form::binary || set.attributes.empty() ||
        !set.trailing.empty()) {
        return false;
    }
    to += '{';
    for (const PermissionAttribute& attribute : set.attributes) {
        if (to.back() == '}') to += ',';
        to += ' ';
        // One without arguments has no syntax.
        if (attribute.fault != AttributeFault::none || attribute.named_count == 0 ||
            !attribute.type_name || !append_type(source, to, *attribute.type_name)) {
            return false;
        }
        to += " = {";
        for (std::uint32_t at = attribute.first_node; at < attribute.end_node;
             at = set.nodes[at].end) {
            if (!append_argument(to, set.nodes[at], set.nodes[at + 1])) return false;
            if (to.size() > IlText::longest_line) return false;
        }
        to += " }";
    }
    to += " }";
    return true;
}

}  // namespace

void print_security(IlSource& source, Token parent) {
    const std::uint32_t key = coded(CodedIndex::HasDeclSecurity, parent);
    for (const std::uint32_t rid : source.rows.security.rows(key)) {
        if (source.text.exhausted()) return;
        const Token row(Table::DeclSecurity, rid);
        const std::uint32_t action =
            source.metadata.cell(Table::DeclSecurity, rid, col::DeclSecurity::Action);
        if (action == 0 || action >= actions.size()) {
            source.gap(GapKind::security, row);
            continue;
        }
        const ByteSpan blob =
            source.metadata.blob(Table::DeclSecurity, rid, col::DeclSecurity::PermissionSet);
        std::string list;
        // Even where it can be listed: the assembler names the attributes' assemblies its own way.
        if (source.for_mono()) source.gap(GapKind::permission_set, row);
        if (source.for_mono() && !append_list(source, list, blob, row)) continue;
        std::string& line = source.text.begin_line();
        line += ".permissionset ";
        line += actions[action];
        line += " = ";
        if (source.for_mono()) {
            line += list;
        } else {
            append_bytes(line, blob, source.text.depth() + 1);
        }
        source.text.end_line();
    }
}

}  // namespace clrkit::dis
