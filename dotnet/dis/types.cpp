// Types (ECMA-335 II.10), with what is nested in them; and what belongs to the module itself.
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/dis/flag_words.h>
#include <clrkit/dotnet/dis/parts.h>

#include <algorithm>
#include <span>
#include <vector>

namespace clrkit::dis {
namespace {

constexpr std::uint32_t flag_interface = 0x20;
constexpr std::uint32_t flag_abstract = 0x80;
constexpr std::uint32_t flag_sealed = 0x100;
constexpr std::uint32_t flag_runtime_special = 0x800;
/// HasSecurity follows from what is declared.
constexpr std::uint32_t computed = 0x40000;

/// Reads no more of a name than it has to.
bool is_system_type(const IlSource& source, Token type, std::string_view name) {
    const bool definition = type.table() == Table::TypeDef;
    if (!definition && type.table() != Table::TypeRef) return false;
    const auto equals = [&](unsigned of_definition, unsigned of_reference, std::string_view text) {
        return source.metadata.strings().equals(
            source.metadata.cell(type.table(), type.rid(),
                                 definition ? of_definition : of_reference),
            text);
    };
    return equals(col::TypeDef::TypeName, col::TypeRef::TypeName, name) &&
           equals(col::TypeDef::TypeNamespace, col::TypeRef::TypeNamespace, "System");
}

class TypePrinter {
public:
    TypePrinter(IlSource& source, TypeDef type)
        : source_(source), metadata_(source.metadata), type_(type) {}

    /// All but nested types; the block stays open.
    void open() {
        check();
        print_head();
        source_.text.open_block();
        print_layout();
        print_attributes(source_, type_.token());
        print_interface_attributes();
        print_security(source_, type_.token());
        print_overrides();
        print_generic_attributes(source_, type_.token());
        print_members();
    }

    void print_members() {
        for (const Field field : type_.fields()) {
            if (!source_.visit()) return;
            if (owns(field.token())) print_field(source_, field);
        }
        for (const MethodDef method : type_.methods()) {
            if (source_.text.exhausted() || !source_.visit()) return;
            if (owns(method.token())) print_method(source_, method);
        }
        each_mapped(source_.rows.event_maps, Table::EventMap, col::EventMap::EventList,
                    Table::Event, print_event);
        each_mapped(source_.rows.property_maps, Table::PropertyMap, col::PropertyMap::PropertyList,
                    Table::Property, print_property);
    }

    void print_head() {
        std::string& line = source_.text.begin_line();
        line += ".class ";
        source_.token_comment(line, type_.token());
        source_.flags(line, type_.flags(), words::type, computed, type_.token());
        IlSource::type_name(line, type_.name_space(), type_.name());
        append_generic_parameters(source_, line, type_.token());
        source_.text.end_line();
        print_base();
        print_interfaces();
    }

private:
    /// Lists of a hostile module may overlap: what stands in several belongs to the first.
    bool owns(Token member) const { return source_.indexes.owner(member) == type_.rid; }

    void each_mapped(const KeyIndex& maps, Table map, unsigned list, Table table,
                     void (*print)(IlSource&, std::uint32_t)) {
        for (const std::uint32_t row : maps.rows(type_.rid)) {
            const RowRange range = metadata_.list(map, row, list);
            for (std::uint32_t at = range.first; at < range.end; ++at) {
                if (!source_.visit()) return;
                const std::uint32_t rid = metadata_.through(table, at);
                if (owns(Token(table, rid))) print(source_, rid);
            }
        }
    }

    void print_base() {
        const Token base = type_.extends();
        if (base.rid() == 0) return;
        source_.scratch.clear();
        if (!source_.type(source_.scratch, base, type_.token())) return;
        if (source_.for_mono() && is_built_on_itself(source_, type_.rid)) {
            source_.gap(GapKind::base_type, type_.token());
            return;
        }
        source_.text.continue_line() += "extends " + source_.scratch;
        source_.text.end_line();
    }

    void print_interfaces() {
        const auto rows = source_.rows.interfaces.rows(type_.rid);
        bool first = true;
        for (const std::uint32_t rid : rows) {
            const Token type =
                metadata_.token(Table::InterfaceImpl, rid, col::InterfaceImpl::Interface);
            source_.scratch.clear();
            if (!source_.type(source_.scratch, type, Token(Table::InterfaceImpl, rid))) continue;
            std::string& line = source_.text.continue_line();
            line += first ? "implements " : ", ";
            line += source_.scratch;
            source_.text.end_line();
            first = false;
        }
    }

    void print_layout() {
        const auto rows = source_.rows.layouts.rows(type_.rid);
        if (rows.empty() && has_offsets()) source_.gap(GapKind::layout, type_.token());
        if (rows.empty()) return;
        if (rows.size() > 1) source_.gap(GapKind::layout, type_.token());
        const std::uint32_t rid = rows.front();
        print_number(".pack ",
                     metadata_.cell(Table::ClassLayout, rid, col::ClassLayout::PackingSize));
        print_number(".size ",
                     metadata_.cell(Table::ClassLayout, rid, col::ClassLayout::ClassSize));
    }

    bool has_offsets() const {
        for (const Field field : type_.fields()) {
            if (!source_.visit()) return false;
            if (owns(field.token()) && !source_.rows.field_offsets.rows(field.rid).empty()) {
                return true;
            }
        }
        return false;
    }

    void print_number(const char* word, std::uint32_t value) {
        std::string& line = source_.text.begin_line();
        line += word;
        append_number(line, value);
        source_.text.end_line();
    }

    void print_interface_attributes() {
        if (source_.for_mono()) return;
        for (const std::uint32_t rid : source_.rows.interfaces.rows(type_.rid)) {
            const Token row(Table::InterfaceImpl, rid);
            const auto attributes = source_.indexes.attribute_rows(row);
            if (attributes.empty()) continue;
            std::string type;
            source_.type(type,
                         metadata_.token(Table::InterfaceImpl, rid, col::InterfaceImpl::Interface),
                         row);
            // The directive is about one attribute.
            for (std::size_t i = 0; i < attributes.size(); ++i) {
                source_.text.line(".interfaceimpl type " + type);
                print_attribute(source_, attributes[i]);
            }
        }
    }

    /// Overrides whose body is no method of this type; the others stand in their bodies' methods.
    void print_overrides() {
        for (const std::uint32_t rid : source_.rows.overrides.rows(type_.rid)) {
            const Token body = metadata_.token(Table::MethodImpl, rid, col::MethodImpl::MethodBody);
            if (body.table() == Table::MethodDef && owns(body)) continue;
            std::string text = ".override method ";
            const Token declaration =
                metadata_.token(Table::MethodImpl, rid, col::MethodImpl::MethodDeclaration);
            source_.printer.member(text, declaration);
            bool said = source_.printer.complete();
            text += " with method ";
            source_.printer.member(text, body);
            said = said && source_.printer.complete() && !source_.for_mono();
            if (said) {
                source_.text.line(text);
            } else {
                source_.gap(GapKind::override_, Token(Table::MethodImpl, rid));
            }
        }
    }

    /// What the assembler refuses, or sets as it likes.
    void check() {
        const std::uint32_t flags = type_.flags();
        const Token base = type_.extends();
        const bool interface = (flags & flag_interface) != 0;
        const bool nested = source_.indexes.encloser(type_.rid) != 0;
        if (nested != ((flags & 7U) > 1)) source_.gap(GapKind::flags, type_.token());
        if ((flags & flag_runtime_special) != 0)
            source_.gap(GapKind::runtime_special, type_.token());
        if (interface && base.rid() != 0) source_.gap(GapKind::base_type, type_.token());
        const bool is_enum = is_system_type(source_, base, "Enum");
        const bool is_value = is_system_type(source_, base, "ValueType") &&
                              !is_system_type(source_, type_.token(), "Enum");
        if (is_value && (flags & flag_sealed) == 0) source_.gap(GapKind::base_type, type_.token());
        if (is_enum &&
            (!source_.rows.interfaces.rows(type_.rid).empty() || !type_.methods().empty())) {
            source_.gap(GapKind::base_type, type_.token());
        }
        if ((flags & flag_abstract) != 0 || interface) return;
        constexpr std::uint32_t abstract_method = 0x400;
        for (const MethodDef method : type_.methods()) {
            if (!source_.visit()) return;
            if ((method.flags() & abstract_method) == 0) continue;
            source_.gap(GapKind::flags, method.token());
        }
    }

    IlSource& source_;
    const Metadata& metadata_;
    TypeDef type_;
};

/// A type whose block is open, and how many of its nested types were printed.
struct OpenType {
    std::uint32_t rid;
    std::size_t next;
};

}  // namespace

void print_type_head(IlSource& source, TypeDef type) { TypePrinter(source, type).print_head(); }

void print_type(IlSource& source, std::uint32_t rid) {
    TypePrinter(source, source.module.type(rid)).open();
    std::vector<OpenType> open{{rid, 0}};
    while (!open.empty()) {
        OpenType& top = open.back();
        const auto nested = source.indexes.nested_rows(top.rid);
        if (top.next == nested.size() || source.text.exhausted()) {
            source.text.close_block();
            open.pop_back();
            continue;
        }
        const std::uint32_t row = nested[top.next++];
        const std::uint32_t child =
            source.metadata.cell(Table::NestedClass, row, col::NestedClass::NestedClass);
        const bool known = child != 0 && child <= source.metadata.rows(Table::TypeDef);
        const bool twice =
            !known || source.indexes.encloser(child) != top.rid || source.types_said[child];
        if (twice || open.size() >= Limits{}.depth) {
            source.gap(GapKind::nesting, Token(Table::TypeDef, child));
            continue;
        }
        source.types_said[child] = true;
        TypePrinter(source, source.module.type(child)).open();
        open.push_back({child, 0});
    }
}

void print_all_types(IlSource& source) {
    const std::uint32_t count = source.metadata.rows(Table::TypeDef);
    if (count == 0) return;
    // Row 1 owns what is global; it has no declaration.
    source.types_said[1] = true;
    TypePrinter(source, source.module.type(1)).print_members();
    for (std::uint32_t rid = 2; rid <= count && !source.text.exhausted(); ++rid) {
        if (source.types_said[rid] || source.indexes.encloser(rid) != 0) continue;
        source.types_said[rid] = true;
        source.text.empty_line();
        print_type(source, rid);
    }
    for (std::uint32_t rid = 1; rid <= count; ++rid) {
        if (!source.types_said[rid]) source.gap(GapKind::nesting, Token(Table::TypeDef, rid));
    }
}

void print_type_order(IlSource& source) {
    if (source.for_mono()) return print_early_heads(source);
    // The assembler numbers types as they are met. Lists are short, since its parser keeps a whole one
    // on its stack.
    constexpr std::uint32_t at_once = 64;
    const std::uint32_t count = source.metadata.rows(Table::TypeDef);
    for (std::uint32_t rid = 2; rid <= count && !source.text.exhausted();) {
        source.text.line(".typelist");
        source.text.open_block();
        for (std::uint32_t i = 0; i < at_once && rid <= count; ++i, ++rid) {
            source.scratch.clear();
            source.printer.type_reference(source.scratch, Token(Table::TypeDef, rid));
            if (source.printer.complete()) source.text.line(source.scratch);
        }
        source.text.close_block();
    }
}

}  // namespace clrkit::dis
