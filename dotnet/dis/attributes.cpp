// Custom attributes: their blobs as bytes, which says all of them whatever they mean (ECMA-335 II.21).
#include <clrkit/dotnet/dis/parts.h>

namespace clrkit::dis {
namespace {

/// `CTOR = ( 01 00 00 00 )`. False where the constructor cannot be named.
bool append_attribute(IlSource& source, std::string& to, std::uint32_t rid) {
    const Metadata& metadata = source.metadata;
    const Token constructor =
        metadata.token(Table::CustomAttribute, rid, col::CustomAttribute::Type);
    const Token token(Table::CustomAttribute, rid);
    if (!metadata.tables().has(constructor)) {
        source.gap(GapKind::attribute, token);
        return false;
    }
    source.printer.member(to, constructor);
    if (!source.printer.complete()) {
        source.gap(GapKind::attribute, token);
        return false;
    }
    to += " = ";
    append_bytes(to, metadata.blob(Table::CustomAttribute, rid, col::CustomAttribute::Value),
                 source.text.depth() + 1);
    return true;
}

/// What stands in parentheses in front of the constructor. False where nothing can.
bool append_owner(IlSource& source, std::string& to, Token parent) {
    switch (parent.table()) {
        case Table::TypeRef:
        case Table::TypeSpec:
        case Table::TypeDef: source.printer.type_reference(to, parent); break;
        case Table::MemberRef: {
            const ByteSpan blob =
                source.metadata.blob(Table::MemberRef, parent.rid(), col::MemberRef::Signature);
            to += !blob.empty() && blob[0] == calling_convention::field ? "field " : "method ";
            source.printer.member(to, parent);
            break;
        }
        case Table::ModuleRef:
            to += "[.module ";
            IlSource::type_name(
                to, {},
                source.metadata.string(Table::ModuleRef, parent.rid(), col::ModuleRef::Name));
            to += ']';
            return true;
        default: return false;
    }
    return source.printer.complete();
}

/// mono's assembler fails on those of references, and gives those of files and exported types to
/// whatever came before.
bool takes_attributes(Token parent) {
    const Table table = parent.table();
    return table != Table::AssemblyRef && table != Table::File && table != Table::ExportedType;
}

}  // namespace

void print_attribute(IlSource& source, std::uint32_t rid) {
    if (source.attributes_said[rid] || source.text.exhausted()) return;
    source.attributes_said[rid] = true;
    source.scratch.clear();
    if (!append_attribute(source, source.scratch, rid)) return;
    std::string& line = source.text.begin_line();
    line += ".custom ";
    source.token_comment(line, Token(Table::CustomAttribute, rid));
    line += source.scratch;
    source.text.end_line();
}

void print_attributes(IlSource& source, Token parent) {
    if (source.for_mono() && !takes_attributes(parent)) return;
    for (const std::uint32_t rid : source.indexes.attribute_rows(parent)) {
        print_attribute(source, rid);
    }
}

void print_other_attributes(IlSource& source) {
    const std::uint32_t count = source.metadata.rows(Table::CustomAttribute);
    for (std::uint32_t rid = 1; rid <= count && !source.text.exhausted(); ++rid) {
        if (source.attributes_said[rid]) continue;
        source.attributes_said[rid] = true;
        const Token parent =
            source.metadata.token(Table::CustomAttribute, rid, col::CustomAttribute::Parent);
        std::string owner;
        // mono's assembler reads over the owner in parentheses.
        if (source.for_mono() || !source.metadata.tables().has(parent) ||
            !append_owner(source, owner, parent)) {
            source.gap(GapKind::attribute_parent, Token(Table::CustomAttribute, rid));
            continue;
        }
        source.scratch.clear();
        if (!append_attribute(source, source.scratch, rid)) continue;
        std::string& line = source.text.begin_line();
        line += ".custom (";
        line += owner;
        line += ") ";
        line += source.scratch;
        source.text.end_line();
    }
}

}  // namespace clrkit::dis
