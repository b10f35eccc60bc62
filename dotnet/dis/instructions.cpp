// Operands as text (ECMA-335 III.1.9, II.5.2).
#include <clrkit/core/bytes/endian.h>
#include <clrkit/dotnet/cil/walk.h>
#include <clrkit/dotnet/dis/instructions.h>
#include <clrkit/dotnet/dis/reals.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace clrkit::dis {
namespace {

using cil::OperandKind;

constexpr std::uint16_t opcode_no = 0xFE19;  // the assembler does not know it

/// Labels, or distances where none stands; those of a switch in parentheses.
void append_targets(const Code& code, const Instruction& instruction, std::string& to) {
    const OperandKind kind = instruction.opcode->operand;
    const std::uint32_t end = instruction.offset + instruction.size;
    const auto operand = end - static_cast<std::uint32_t>(instruction.operand.size());
    if (kind == OperandKind::switch_) to += '(';
    bool first = true;
    cil::for_each_target(code.bytes(), kind, operand, [&](std::int64_t target) {
        if (!first) to += ", ";
        first = false;
        if (target >= 0 && code.has_label(static_cast<std::uint64_t>(target))) {
            append_label(to, static_cast<std::uint64_t>(target));
        } else {
            append_number(to, target - end);
        }
    });
    if (kind == OperandKind::switch_) to += ')';
}

bool append_r4(IlSource& source, ByteSpan operand, Token method, std::string& to) {
    const auto bits = load_le<std::uint32_t>(operand.data());
    const auto value = std::bit_cast<float>(bits);
    if (std::isfinite(value) && bits != 0x80000000U) {
        const std::size_t start = to.size();
        append_real_text(to, value);
        // The assembler reads a double and rounds that.
        double read = 0;
        const std::string_view text = std::string_view(to).substr(start);
        std::from_chars(text.data(), text.data() + text.size(), read);
        if (std::bit_cast<std::uint32_t>(static_cast<float>(read)) == bits) return true;
        to.resize(start);
    }
    constexpr std::uint32_t quiet = 0x00400000;
    if (std::isnan(value) && (bits & quiet) == 0) {
        source.gap(GapKind::signalling_nan, method);
        return false;
    }
    append_bytes(to, operand, 0);
    return true;
}

void append_r8(ByteSpan operand, std::string& to) {
    const auto bits = load_le<std::uint64_t>(operand.data());
    const auto value = std::bit_cast<double>(bits);
    if (std::isfinite(value) && bits != std::uint64_t{1} << 63U) {
        append_real_text(to, value);
    } else {
        append_bytes(to, operand, 0);
    }
}

/// mono's assembler writes bytes as they are, the last one with them, and cares for that of text alone.
bool append_mono_string(IlSource& source, ByteSpan content, std::string& to) {
    const std::size_t start = to.size();
    if (content.size() % 2 != 0) {
        append_literal(to, content.first(content.size() - 1), source.text.depth() + 1);
        if (to[start] == '"') return true;
        to.resize(start);
    }
    to += "bytearray ";
    append_bytes(to, content, source.text.depth() + 1);
    return true;
}

bool append_user_string(IlSource& source, Token token, Token method, std::string& to) {
    constexpr std::uint32_t user_string = 0x70;
    const BlobEntry entry = source.metadata.user_strings().entry(token.rid());
    if (token.value() >> 24U != user_string || token.rid() == 0 || !entry.valid) {
        source.gap(GapKind::token, method);
        return false;
    }
    ByteSpan units = entry.content;
    if (source.for_mono()) return append_mono_string(source, units, to);
    // The last byte says whether there is more than plain characters.
    if (units.size() % 2 != 0) {
        units = units.first(units.size() - 1);
    } else if (!units.empty()) {
        source.gap(GapKind::string_, method);
    }
    append_literal(to, units, source.text.depth() + 1);
    return true;
}

bool is_method(const IlSource& source, Token token) {
    const Table table = token.table();
    if (table == Table::MethodDef || table == Table::MethodSpec) return true;
    if (table != Table::MemberRef) return false;
    const ByteSpan blob = source.metadata.blob(table, token.rid(), col::MemberRef::Signature);
    return blob.empty() || blob[0] != calling_convention::field;
}

bool is_field(const IlSource& source, Token token) {
    return token.table() == Table::Field ||
           (token.table() == Table::MemberRef && !is_method(source, token));
}

bool is_type(Token token) {
    return token.table() == Table::TypeDef || token.table() == Table::TypeRef ||
           token.table() == Table::TypeSpec;
}

bool fits_kind(const IlSource& source, OperandKind kind, Token token) {
    switch (kind) {
        case OperandKind::method: return is_method(source, token);
        case OperandKind::field: return is_field(source, token);
        case OperandKind::type: return is_type(token);
        case OperandKind::signature: return token.table() == Table::StandAloneSig;
        case OperandKind::token:
            return is_type(token) || is_field(source, token) || is_method(source, token);
        default: return false;
    }
}

/// mono's assembler loses what stands behind the dots of a `calli`.
bool has_sentinel(const IlSource& source, Token signature) {
    const ByteSpan blob =
        source.metadata.blob(signature.table(), signature.rid(), col::StandAloneSig::Signature);
    return std::ranges::find(blob, static_cast<std::uint8_t>(ElementType::sentinel)) != blob.end();
}

bool append_token(IlSource& source, OperandKind kind, Token token, Token method, std::string& to) {
    if (kind == OperandKind::string) return append_user_string(source, token, method, to);
    if (!source.metadata.tables().has(token) || !fits_kind(source, kind, token)) {
        source.gap(GapKind::token, method);
        return false;
    }
    if (token.table() == Table::MethodDef) {
        const ByteSpan signature =
            source.metadata.blob(token.table(), token.rid(), col::MethodDef::Signature);
        if (!signature.empty() &&
            (signature[0] & calling_convention::mask) == calling_convention::vararg) {
            source.gap(GapKind::vararg_call, method);
        }
    }
    if (kind == OperandKind::signature && source.for_mono() && has_sentinel(source, token)) {
        source.gap(GapKind::vararg_call, method);
    }
    source.token_comment(to, token);
    if (kind == OperandKind::token && !is_type(token)) {
        to += is_method(source, token) ? "method " : "field ";
    }
    return source.member(to, token, method);
}

}  // namespace

void append_label(std::string& to, std::uint64_t offset) {
    to += "IL_";
    append_hex(to, offset, offset > 0xFFFF ? 8 : 4);
}

std::optional<Code> Code::of(IlSource& source, MethodDef method) {
    Code code;
    const std::uint32_t rva = method.rva();
    code.body_ = source.module.image().from(rva);
    code.alignment_ = rva % 4;
    const auto extent = cil::measure_body(code.body_, code.alignment_);
    if (!extent) return std::nullopt;
    code.extent_ = *extent;
    code.starts_.assign(extent->code_size, false);
    const CodeOf body{method.token(), code.body_, *extent, code.alignment_};
    (void)source.finder.for_each_instruction(
        body, [&](const InstructionSite& site) { code.starts_[site.offset] = true; });
    return code;
}

std::uint32_t Code::next_start(std::uint32_t offset) const {
    const auto from = starts_.begin() + static_cast<std::ptrdiff_t>(offset);
    return static_cast<std::uint32_t>(std::find(from, starts_.end(), true) - starts_.begin());
}

Instruction instruction_at(const Code& code, std::uint32_t offset) {
    const ByteSpan bytes = code.bytes();
    const cil::MeasuredInstruction measured = cil::measure_instruction(bytes, offset);
    Instruction instruction;
    instruction.offset = offset;
    instruction.size = measured.end - offset;
    instruction.opcode = cil::find_opcode(cil::opcode_at(bytes, offset));
    instruction.operand = bytes.subspan(measured.operand, measured.end - measured.operand);
    if (cil::is_token(measured.kind)) {
        instruction.token = Token(load_le<std::uint32_t>(instruction.operand.data()));
    }
    return instruction;
}

bool append_operand(IlSource& source, const Code& code, const Instruction& instruction,
                    Token method, std::string& to) {
    const ByteSpan operand = instruction.operand;
    const std::uint8_t* const at = operand.data();
    const OperandKind kind = instruction.opcode->operand;
    switch (kind) {
        case OperandKind::none: return true;
        case OperandKind::i1: append_number(to, int{static_cast<std::int8_t>(*at)}); return true;
        case OperandKind::u1:
            append_number(to, unsigned{*at});
            return instruction.opcode->value != opcode_no;
        case OperandKind::short_argument:
        case OperandKind::short_local: append_number(to, unsigned{*at}); return true;
        case OperandKind::argument:
        case OperandKind::local: append_number(to, load_le<std::uint16_t>(at)); return true;
        case OperandKind::i4:
            append_number(to, static_cast<std::int32_t>(load_le<std::uint32_t>(at)));
            return true;
        case OperandKind::i8:
            append_number(to, static_cast<std::int64_t>(load_le<std::uint64_t>(at)));
            return true;
        case OperandKind::r4: return append_r4(source, operand, method, to);
        case OperandKind::r8: append_r8(operand, to); return true;
        case OperandKind::short_branch:
        case OperandKind::branch:
        case OperandKind::switch_: append_targets(code, instruction, to); return true;
        case OperandKind::undefined: return false;
        default: return append_token(source, kind, instruction.token, method, to);
    }
}

}  // namespace clrkit::dis
