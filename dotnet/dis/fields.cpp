// Fields and constants (ECMA-335 II.16).
#include <clrkit/dotnet/attributes/constant.h>
#include <clrkit/dotnet/dis/flag_words.h>
#include <clrkit/dotnet/dis/parts.h>
#include <clrkit/dotnet/dis/reals.h>

#include <bit>
#include <cmath>

namespace clrkit::dis {
namespace {

constexpr std::uint32_t is_static = 0x10;
constexpr std::uint32_t runtime_special = 0x400;
constexpr std::uint32_t native_import = 0x2000;
/// Bits that follow from what is declared: data, marshalling, a constant, the name.
constexpr std::uint32_t computed = 0x9500;

template <class Number>
void append_real(std::string& to, Number value, const char* type, std::uint64_t bits,
                 unsigned digits) {
    to += type;
    to += '(';
    if (std::isfinite(value) && !(value == 0 && std::signbit(value))) {
        append_real_text(to, value);
    } else {
        to += "0x";
        append_hex(to, bits, digits);
    }
    to += ')';
}

void append_integer(std::string& to, const char* type, auto value) {
    to += type;
    to += '(';
    append_number(to, value);
    to += ')';
}

bool append_number_constant(std::string& to, const ConstantValue& constant) {
    const std::uint64_t bits = constant.bits;
    switch (constant.type) {
        case ElementType::boolean:
            if (bits > 1) return false;
            to += bits == 1 ? "bool(true)" : "bool(false)";
            return true;
        case ElementType::char_:
            to += "char(0x";
            append_hex(to, bits, 4);
            to += ')';
            return true;
        case ElementType::i1:
            append_integer(to, "int8", int{static_cast<std::int8_t>(bits)});
            break;
        case ElementType::u1: append_integer(to, "uint8", bits); break;
        case ElementType::i2:
            append_integer(to, "int16", int{static_cast<std::int16_t>(bits)});
            break;
        case ElementType::u2: append_integer(to, "uint16", bits); break;
        case ElementType::i4: append_integer(to, "int32", static_cast<std::int32_t>(bits)); break;
        case ElementType::u4: append_integer(to, "uint32", bits); break;
        case ElementType::i8: append_integer(to, "int64", static_cast<std::int64_t>(bits)); break;
        case ElementType::u8: append_integer(to, "uint64", bits); break;
        case ElementType::r4:
            append_real(to, std::bit_cast<float>(static_cast<std::uint32_t>(bits)), "float32", bits,
                        8);
            break;
        case ElementType::r8:
            append_real(to, std::bit_cast<double>(bits), "float64", bits, 16);
            break;
        default: return false;
    }
    return true;
}

bool append_value(std::string& to, const ConstantValue& constant, std::uint32_t depth) {
    switch (constant.kind) {
        case ConstantValue::Kind::number: return append_number_constant(to, constant);
        case ConstantValue::Kind::text:
            if (constant.bytes.size() % 2 != 0) return false;
            append_literal(to, constant.bytes, depth);
            return true;
        case ConstantValue::Kind::null: to += "nullref"; return true;
        case ConstantValue::Kind::malformed: return false;
    }
    return false;
}

void append_data(IlSource& source, std::string& to, Field field) {
    const auto rows = source.rows.field_data.rows(field.rid);
    if (rows.empty()) return;
    const std::uint32_t rva =
        source.metadata.cell(Table::FieldRVA, rows.front(), col::FieldRVA::RVA);
    if (rva == 0 || (field.flags() & is_static) == 0 || rows.size() != 1) {
        source.gap(GapKind::data, field.token());
        if (rva == 0 || (field.flags() & is_static) == 0) return;
    }
    to += " at ";
    append_data_label(to, rva);
    source.data_fields.push_back(field.rid);
}

void check(IlSource& source, Field field) {
    const bool special = (field.flags() & runtime_special) != 0;
    if (special != (field.name() == "value__")) {
        source.gap(GapKind::runtime_special, field.token());
    }
    if ((field.flags() & native_import) != 0 ||
        !source.rows.imports.rows(coded(CodedIndex::MemberForwarded, field.token())).empty()) {
        source.gap(GapKind::field_flags, field.token());
    }
}

}  // namespace

void append_constant(IlSource& source, std::string& to, Token parent) {
    const auto rows = source.rows.constants.rows(coded(CodedIndex::HasConstant, parent));
    if (rows.empty()) return;
    if (rows.size() > 1) source.gap(GapKind::constant, parent);
    std::string value;
    if (append_value(value, read_constant(source.metadata, rows.front()),
                     source.text.depth() + 1)) {
        to += " = ";
        to += value;
    } else {
        source.gap(GapKind::constant, parent);
    }
}

void print_field(IlSource& source, Field field) {
    if (source.text.exhausted()) return;
    check(source, field);
    // mono's assembler knows fields by their names alone.
    const Token owner(Table::TypeDef, source.indexes.owner(field.token()));
    if (source.for_mono() && !source.declare(owner, "field " + std::string(field.name()))) {
        return source.gap(GapKind::duplicate, field.token());
    }
    std::string type;
    const bool sayable =
        source.signature(type, field.signature(), BlobKind::field_signature, field.token());
    std::string& line = source.text.begin_line();
    // A field whose type has no text is left out: in a comment.
    line += sayable ? ".field " : "// .field ";
    source.token_comment(line, field.token());
    const auto offsets = source.rows.field_offsets.rows(field.rid);
    if (!offsets.empty()) {
        line += '[';
        append_number(line, static_cast<std::int32_t>(source.metadata.cell(
                                Table::FieldLayout, offsets.front(), col::FieldLayout::Offset)));
        line += "] ";
    }
    source.flags(line, field.flags(), words::field, computed, field.token());
    append_marshalling(source, line, field.token());
    line += type;
    line += ' ';
    source.member_name(line, field.token());
    if (sayable) append_data(source, line, field);
    append_constant(source, line, field.token());
    source.text.end_line();
    if (sayable) print_attributes(source, field.token());
}

}  // namespace clrkit::dis
