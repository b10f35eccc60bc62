// Methods but for their code (ECMA-335 II.15): head, parameters, overrides, native imports.
#include <clrkit/dotnet/dis/flag_words.h>
#include <clrkit/dotnet/dis/parts.h>
#include <clrkit/dotnet/signatures/il_names.h>

#include <algorithm>
#include <vector>

namespace clrkit::dis {
namespace {

constexpr std::uint32_t flag_static = 0x10;
constexpr std::uint32_t flag_abstract = 0x400;
constexpr std::uint32_t flag_runtime_special = 0x1000;
constexpr std::uint32_t flag_import = 0x2000;
/// HasSecurity follows from what is declared.
constexpr std::uint32_t computed = 0x4000;
constexpr std::uint32_t code_type_and_managed = 7;
constexpr std::uint32_t runtime_code = 3;
constexpr std::uint32_t internal_call = 0x1000;
constexpr std::uint32_t type_import = 0x1000;

/// A method's Param rows by sequence; 0 where there is none.
class Parameters {
public:
    Parameters(IlSource& source, MethodDef method, std::size_t types) : rows_(types) {
        std::uint32_t last = 0;
        bool first = true;
        for (const Param param : method.params()) {
            const std::uint32_t at = param.sequence();
            if (at >= types || rows_[at] != 0 || (!first && at < last)) {
                source.gap(GapKind::parameter_rows, param.token());
            }
            if (at < types && rows_[at] == 0) rows_[at] = param.rid;
            last = at;
            first = false;
        }
        bool missing = false;
        for (std::size_t i = 1; i < types; ++i) missing = missing || rows_[i] == 0;
        if (missing) source.gap(GapKind::parameter_rows, method.token());
    }
    std::uint32_t row(std::size_t sequence) const { return rows_[sequence]; }
    std::size_t size() const { return rows_.size(); }

private:
    std::vector<std::uint32_t> rows_;
};

/// False where flags are left that the assembler has no word for.
bool append_parameter_flags(std::string& to, std::uint32_t flags, Dialect dialect) {
    constexpr FlagWord words[] = {{1, 1, "[in]"}, {2, 2, "[out]"}, {0x10, 0x10, "[opt]"}};
    constexpr std::uint32_t from_declarations = 0xF000;
    flags &= ~from_declarations;
    const std::size_t start = to.size();
    if (append_words(to, flags, words, Dialect::runtime) == 0) return true;
    if (dialect == Dialect::mono) return false;
    // The assembler reads a number as one less than the flags.
    to.resize(start);
    to += '[';
    append_number(to, flags - 1);
    to += "] ";
    return true;
}

/// The text of a type but for its modifiers.
void append_unmodified(std::string& to, std::string_view type) {
    for (std::size_t at = 0; at < type.size(); ++at) {
        const bool modifier =
            type.substr(at).starts_with(" modopt(") || type.substr(at).starts_with(" modreq(");
        if (modifier) at = std::min(type.find(')', at), type.size() - 1);
        if (!modifier) to += type[at];
    }
}

class MethodPrinter {
public:
    MethodPrinter(IlSource& source, MethodDef method)
        : source_(source), metadata_(source.metadata), method_(method) {}

    void print() {
        std::string convention;
        std::vector<std::string> types;
        if (!source_.printer.split(method_.signature(), BlobKind::method_signature, convention,
                                   types) ||
            !source_.printer.complete()) {
            source_.gap(GapKind::signature, method_.token());
            source_.text.line("// a method whose signature has no text");
            return;
        }
        if (source_.for_mono() && !is_new_to_mono(convention, types)) {
            source_.gap(GapKind::duplicate, method_.token());
            source_.text.line("// a method that differs from another one by modifiers at most");
            return;
        }
        const Parameters parameters(source_, method_, types.size());
        print_head(convention, types, parameters);
        source_.text.open_block();
        print_declarations(parameters);
        if (has_body()) print_body(source_, method_);
        source_.text.close_block();
        check();
    }

private:
    /// mono's assembler tells methods apart without modifiers, and in the private scope by that as well.
    bool is_new_to_mono(const std::string& convention, const std::vector<std::string>& types) {
        std::string signature = convention;
        append_number(signature, generic_parameter_count(source_, method_.token()));
        signature += method_.name();
        for (const std::string& type : types) {
            signature += ' ';
            append_unmodified(signature, type);
            if (signature.size() > IlText::longest_line) return false;
        }
        return source_.declare(Token(Table::TypeDef, source_.indexes.owner(method_.token())),
                               std::move(signature));
    }

    bool has_body() const { return method_.rva() != 0; }

    void print_head(const std::string& convention, const std::vector<std::string>& types,
                    const Parameters& parameters) {
        std::string& line = source_.text.begin_line();
        line += ".method ";
        source_.token_comment(line, method_.token());
        source_.flags(line, method_.flags() & ~flag_import, words::method, computed,
                      method_.token());
        append_import(line);
        line += convention;
        append_parameter(line, types[0], parameters.row(0));
        line += ' ';
        source_.member_name(line, method_.token());
        append_generic_parameters(source_, line, method_.token());
        line += '(';
        for (std::size_t i = 1; i < types.size(); ++i) {
            if (line.size() > IlText::longest_line) {
                source_.gap(GapKind::text_limit, method_.token());
                break;
            }
            if (i != 1) line += ", ";
            append_parameter(line, types[i], parameters.row(i));
            append_parameter_name(line, parameters.row(i));
        }
        line += ") ";
        source_.flags(line, method_.impl_flags(), words::implementation, 0, method_.token());
        line.pop_back();
        source_.text.end_line();
    }

    void append_parameter(std::string& to, std::string_view type, std::uint32_t row) {
        if (row != 0 && !append_parameter_flags(to, Param{method_.module, row}.flags(),
                                                source_.options.dialect)) {
            source_.gap(GapKind::flags, Token(Table::Param, row));
        }
        to += type;
        if (row == 0) return;
        to += ' ';
        append_marshalling(source_, to, Token(Table::Param, row));
        to.pop_back();
    }

    void append_parameter_name(std::string& to, std::uint32_t row) {
        if (row == 0) return;
        const std::string_view name = Param{method_.module, row}.name();
        if (name.empty()) {
            source_.gap(GapKind::parameter_name, Token(Table::Param, row));
            return;
        }
        to += ' ';
        append_il_identifier(to, name);
    }

    void append_import(std::string& to) {
        const auto rows =
            source_.rows.imports.rows(coded(CodedIndex::MemberForwarded, method_.token()));
        const bool flagged = (method_.flags() & flag_import) != 0;
        if (rows.empty()) {
            if (flagged) source_.gap(GapKind::pinvoke, method_.token());
            return;
        }
        const std::uint32_t rid = rows.front();
        const std::uint32_t scope =
            metadata_.token(Table::ImplMap, rid, col::ImplMap::ImportScope).rid();
        const std::string_view module =
            metadata_.string(Table::ModuleRef, scope, col::ModuleRef::Name);
        if (!flagged || rows.size() > 1 || module.empty()) {
            source_.gap(GapKind::pinvoke, method_.token());
            if (module.empty()) return;
        }
        to += "pinvokeimpl(";
        append_string(to, module);
        const std::string_view name =
            metadata_.string(Table::ImplMap, rid, col::ImplMap::ImportName);
        // The assembler's default is the name as it is declared, suffix and all.
        const bool private_scope = (method_.flags() & 7U) == 0;
        if (name != method_.name() || private_scope) {
            to += " as ";
            append_string(to, name);
        }
        to += ' ';
        source_.flags(to, metadata_.cell(Table::ImplMap, rid, col::ImplMap::MappingFlags),
                      words::pinvoke, 0, method_.token());
        to.back() = ')';
        to += ' ';
    }

    void print_declarations(const Parameters& parameters) {
        print_attributes(source_, method_.token());
        print_security(source_, method_.token());
        print_overrides();
        print_generic_attributes(source_, method_.token());
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (parameters.row(i) != 0) print_parameter(i, parameters.row(i));
        }
        if (entry_point()) source_.text.line(".entrypoint");
    }

    bool entry_point() const {
        const auto& clr = source_.module.container().clr;
        return clr.entry_point == method_.token().value() &&
               (clr.flags & pe::clr_flags::native_entry_point) == 0;
    }

    void print_overrides() {
        const std::uint32_t owner = source_.indexes.owner(method_.token());
        const std::uint32_t body = coded(CodedIndex::MethodDefOrRef, method_.token());
        for (const std::uint32_t rid : source_.rows.overrides_by_body.rows(body)) {
            if (metadata_.cell(Table::MethodImpl, rid, col::MethodImpl::Class) != owner) continue;
            if (source_.text.exhausted()) return;
            const Token declaration =
                metadata_.token(Table::MethodImpl, rid, col::MethodImpl::MethodDeclaration);
            source_.scratch.clear();
            source_.printer.member(source_.scratch, declaration);
            if (!source_.printer.complete() || source_.scratch.find("::") == std::string::npos) {
                source_.gap(GapKind::override_, Token(Table::MethodImpl, rid));
                continue;
            }
            std::string& line = source_.text.begin_line();
            line += ".override method ";
            line += source_.scratch;
            source_.text.end_line();
        }
    }

    void print_parameter(std::size_t sequence, std::uint32_t row) {
        const Token token(Table::Param, row);
        const bool constant =
            !source_.rows.constants.rows(coded(CodedIndex::HasConstant, token)).empty();
        if (!constant && source_.indexes.attribute_rows(token).empty()) return;
        std::string& line = source_.text.begin_line();
        line += ".param [";
        append_number(line, sequence);
        line += ']';
        append_constant(source_, line, token);
        source_.text.end_line();
        print_attributes(source_, token);
    }

    /// What the assembler refuses, or sets as it likes.
    void check() {
        const Token token = method_.token();
        const std::uint32_t flags = method_.flags();
        const std::uint32_t impl = method_.impl_flags();
        const std::string_view name = method_.name();
        const bool special_name =
            name == ".ctor" || name == ".cctor" || name.starts_with("_VtblGap");
        if (((flags & flag_runtime_special) != 0) != special_name) {
            source_.gap(GapKind::runtime_special, token);
        }
        const std::uint32_t code = impl & code_type_and_managed;
        if (code != 0 && code != runtime_code) source_.gap(GapKind::method_code_type, token);
        const std::uint32_t owner = source_.indexes.owner(token);
        const bool imported =
            (metadata_.cell(Table::TypeDef, owner, col::TypeDef::Flags) & type_import) != 0;
        const bool bodiless = imported || (flags & (flag_abstract | flag_import)) != 0 ||
                              code == runtime_code || (impl & internal_call) != 0;
        if (has_body() && bodiless) source_.gap(GapKind::body_not_allowed, token);
        const ByteSpan signature = method_.signature();
        const bool is_instance = (signature[0] & calling_convention::has_this) != 0;
        if (is_instance == ((flags & flag_static) != 0)) source_.gap(GapKind::flags, token);
        const std::uint32_t generic =
            (signature[0] & calling_convention::generic) != 0 && signature.size() > 1 ? signature[1]
                                                                                      : 0U;
        constexpr std::uint32_t one_byte = 0x80;
        if (generic < one_byte && generic != generic_parameter_count(source_, token)) {
            source_.gap(GapKind::generic_parameters, token);
        }
    }

    IlSource& source_;
    const Metadata& metadata_;
    MethodDef method_;
};

}  // namespace

void print_method(IlSource& source, MethodDef method) { MethodPrinter(source, method).print(); }

}  // namespace clrkit::dis
