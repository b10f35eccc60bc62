// Names of types and members, with where they are (ECMA-335 II.7.1, II.15.3).
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/signatures/il_names.h>
#include <clrkit/dotnet/signatures/print_signature.h>
#include <clrkit/dotnet/signatures/type_reference.h>

#include <algorithm>
#include <string_view>

namespace clrkit {
namespace {

/// Columns of a member's name and signature.
struct MemberColumns {
    std::uint8_t name;
    std::uint8_t signature;
    BlobKind kind;
};

MemberColumns columns_of(Table table) {
    switch (table) {
        case Table::Field:
            return {col::Field::Name, col::Field::Signature, BlobKind::field_signature};
        case Table::MethodDef:
            return {col::MethodDef::Name, col::MethodDef::Signature, BlobKind::method_signature};
        default:
            return {col::MemberRef::Name, col::MemberRef::Signature,
                    BlobKind::member_ref_signature};
    }
}

/// The type whose list holds a member, by binary search: lists ascend, and so an empty one begins
/// where the next one does.
std::uint32_t find_owner(const Metadata& metadata, unsigned list, std::uint32_t member) {
    std::uint32_t low = 0;
    std::uint32_t high = metadata.rows(Table::TypeDef);
    while (low < high) {
        const std::uint32_t middle = low + (high - low + 1) / 2;
        if (metadata.cell(Table::TypeDef, middle, list) <= member) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    if (low == 0) return 0;
    const RowRange range = metadata.list(Table::TypeDef, low, list);
    return member >= range.first && member < range.end ? low : 0;
}

/// Members that only their token tells apart.
bool in_private_scope(const Metadata& metadata, Token member) {
    constexpr std::uint32_t access = 7;
    const Table table = member.table();
    if (table != Table::Field && table != Table::MethodDef) return false;
    const unsigned column =
        table == Table::Field ? unsigned{col::Field::Flags} : unsigned{col::MethodDef::Flags};
    return (metadata.cell(table, member.rid(), column) & access) == 0;
}

bool is_field(const Metadata& metadata, Token member) {
    if (member.table() == Table::Field) return true;
    if (member.table() != Table::MemberRef) return false;
    const ByteSpan blob = metadata.blob(Table::MemberRef, member.rid(), col::MemberRef::Signature);
    return !blob.empty() && blob[0] == calling_convention::field;
}

void append_hex(std::string& to, std::uint32_t value) {
    static constexpr char digits[] = "0123456789ABCDEF";
    for (unsigned shift = 32; shift != 0; shift -= 4) to += digits[value >> (shift - 4) & 0xFU];
}

}  // namespace

/// A comment in place of what is not there.
void SignaturePrinter::print_unknown(std::string& to, std::uint32_t value, const char* why) {
    complete_ = false;
    to += "/* 0x";
    append_hex(to, value);
    to += ": ";
    to += why != nullptr ? why : "no such row";
    to += " */";
}

/// Names are cut where the text would become too long.
void SignaturePrinter::print_name(std::string& to, std::string_view name) const {
    const std::uint64_t used = std::min<std::uint64_t>(to.size() - start_, options_.text_bytes);
    append_il_name(to, name.substr(0, options_.text_bytes - used + 1));
}

void SignaturePrinter::print_member_name(std::string& to, Token member) const {
    if (options_.assembler != nullptr && member.table() == Table::MemberRef) {
        // A call site of a vararg method of this module: by the method's name.
        const Token parent =
            metadata_->token(Table::MemberRef, member.rid(), col::MemberRef::Class);
        if (parent.table() == Table::MethodDef && metadata_->tables().has(parent)) member = parent;
    }
    const MemberColumns columns = columns_of(member.table());
    const std::string_view name = metadata_->string(member.table(), member.rid(), columns.name);
    if (name == ".ctor" || name == ".cctor") {
        append_il_method_name(to, name);
    } else if (options_.assembler != nullptr && !options_.assembler->mono &&
               in_private_scope(*metadata_, member)) {
        std::string suffixed(name);
        suffixed += "$PST";
        append_hex(suffixed, member.value());
        print_name(to, suffixed);
    } else if (options_.assembler != nullptr && is_field(*metadata_, member) &&
               name.size() <= options_.text_bytes) {
        // Dots and all, a field has one identifier to mono's assembler; the runtime's takes both.
        append_il_identifier(to, name);
    } else {
        print_name(to, name);
    }
}

void SignaturePrinter::print_scope(std::string& to, Token scope) {
    if (!options_.scopes) return;
    const bool assembly = scope.table() == Table::AssemblyRef;
    if (!assembly && scope.table() != Table::ModuleRef) {
        return;
    }
    to += assembly ? "[" : "[.module ";
    if (!metadata_->tables().has(scope)) {
        print_unknown(to, scope.value(), nullptr);
    } else if (assembly && options_.assembler != nullptr &&
               scope.rid() <= options_.assembler->assemblies.size()) {
        print_name(to, options_.assembler->assemblies[scope.rid() - 1]);
    } else if (assembly) {
        print_name(to, metadata_->string(scope.table(), scope.rid(), col::AssemblyRef::Name));
    } else {
        print_name(to, metadata_->string(scope.table(), scope.rid(), col::ModuleRef::Name));
    }
    to += ']';
}

void SignaturePrinter::print_type_name(std::string& to, Token type) {
    enclosers_.clear();
    Token at = type;
    for (;;) {
        const TypeReference reference = clrkit::type_reference(*metadata_, options_.indexes, at);
        enclosers_.push_back(at);
        if (!reference.nested) {
            print_scope(to, reference.parent);
            const bool anywhere = at.table() == Table::TypeRef && reference.parent == Token();
            if (anywhere && options_.assembler != nullptr) {
                if (options_.assembler->mono) complete_ = false;
                to += "[*]";
            }
            break;
        }
        if (enclosers_.size() == Limits{}.depth) {
            print_comment(to, "nested too deeply");
            enclosers_.resize(1);
            break;
        }
        at = reference.parent;
    }
    for (std::size_t i = enclosers_.size(); i-- != 0 && !full(to);) {
        const TypeReference reference =
            clrkit::type_reference(*metadata_, options_.indexes, enclosers_[i]);
        if (!reference.found) {
            print_unknown(to, enclosers_[i].value(), nullptr);
        } else {
            print_full_name(to, reference.name_space, reference.name);
        }
        if (i != 0) to += '/';
    }
}

/// Behind a quote the assembler would read `.ctor`, `.data` and the like as its own words.
void SignaturePrinter::print_full_name(std::string& to, std::string_view name_space,
                                       std::string_view name) const {
    if (name_space.empty()) return print_name(to, name);
    const std::size_t start = to.size();
    print_name(to, name_space);
    if (to[start] == '\'') {
        to.resize(start);
        print_name(to, std::string(name_space) + "." + std::string(name));
        return;
    }
    to += '.';
    print_name(to, name);
}

void SignaturePrinter::print_owner(std::string& to, Token owner) {
    switch (owner.table()) {
        case Table::TypeSpec:
            push_text("::");
            open_type_spec(to, owner);
            return;
        case Table::TypeDef:
        case Table::TypeRef: print_type_name(to, owner); break;
        // Without options there would be nothing left of it.
        case Table::ModuleRef:
            if (!options_.scopes) return;
            print_scope(to, owner);
            break;
        default: return;
    }
    to += "::";
}

Token SignaturePrinter::owner_of(Token member) const {
    const bool field = member.table() == Table::Field;
    std::uint32_t owner = 0;
    if (options_.indexes != nullptr) {
        owner = options_.indexes->owner(member);
    } else if (!metadata_->uncompressed() ||
               metadata_->rows(field ? Table::FieldPtr : Table::MethodPtr) == 0) {
        owner = find_owner(*metadata_, field ? col::TypeDef::FieldList : col::TypeDef::MethodList,
                           member.rid());
    }
    // Row 1 owns what is global.
    return owner > 1 ? Token(Table::TypeDef, owner) : Token();
}

SignaturePrinter::Member SignaturePrinter::member_of(Token token) const {
    Member member;
    member.named = token;
    if (token.table() == Table::MethodSpec) {
        member.method_spec = token.rid();
        member.named = metadata_->token(Table::MethodSpec, token.rid(), col::MethodSpec::Method);
    }
    member.owner = member.named;
    if (member.owner.table() == Table::MemberRef) {
        member.owner =
            metadata_->token(Table::MemberRef, member.named.rid(), col::MemberRef::Class);
    }
    const bool definition =
        member.owner.table() == Table::MethodDef || member.owner.table() == Table::Field;
    if (definition) member.owner = owner_of(member.owner);
    return member;
}

void SignaturePrinter::push_member(const Member& member, std::uint32_t arity) {
    push({Step::arity, arity, member.method_spec});
    push({.step = Step::name, .first = member.named.value()});
    push({.step = Step::owner, .first = member.owner.value()});
    push_text(" ");
}

void SignaturePrinter::open_instance(std::string& to, std::uint32_t method_spec) {
    const ByteSpan blob =
        metadata_->blob(Table::MethodSpec, method_spec, col::MethodSpec::Instantiation);
    open(to, blob, BlobKind::method_spec, nullptr);
}

void SignaturePrinter::type_reference(std::string& to, Token type) {
    begin(to);
    if (type.table() == Table::TypeSpec) {
        open_type_spec(to, type);
    } else {
        print_type_name(to, type);
    }
    run(to);
}

void SignaturePrinter::member(std::string& to, Token token) {
    const Table table = token.table();
    if (table == Table::TypeDef || table == Table::TypeRef || table == Table::TypeSpec) {
        return type_reference(to, token);
    }
    begin(to);
    if (table == Table::StandAloneSig && metadata_->tables().has(token)) {
        open(to, metadata_->blob(table, token.rid(), col::StandAloneSig::Signature),
             BlobKind::stand_alone_signature, nullptr);
        return run(to);
    }
    const Member member = member_of(token);
    const Table named = member.named.table();
    const bool known =
        named == Table::Field || named == Table::MethodDef || named == Table::MemberRef;
    if (!known || !metadata_->tables().has(member.named)) {
        return print_unknown(to, token.value(), nullptr);
    }
    const MemberColumns columns = columns_of(named);
    open(to, metadata_->blob(named, member.named.rid(), columns.signature), columns.kind, &member);
    run(to);
}

std::string type_reference_text(const Metadata& metadata, Token type, const PrintOptions& options) {
    std::string text;
    SignaturePrinter(metadata, options).type_reference(text, type);
    return text;
}

std::string member_text(const Metadata& metadata, Token member, const PrintOptions& options) {
    std::string text;
    SignaturePrinter(metadata, options).member(text, member);
    return text;
}

}  // namespace clrkit
