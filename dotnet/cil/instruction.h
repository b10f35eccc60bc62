// One instruction of a decoded method body: eight bytes, whatever it was in the file.
#pragma once

#include <clrkit/dotnet/cil/opcodes.h>

#include <cstdint>
#include <type_traits>

namespace clrkit::cil {

/// A place in a body: the index of the instruction that stands there. The number of instructions is
/// the end of the code.
using Label = std::uint32_t;

namespace instruction_flags {
enum : std::uint16_t {
    /// The operand of a branch is an offset in the code and not a label, since it leads into no
    /// instruction. Only in opaque bodies.
    offset_operand = 1,
};
}  // namespace instruction_flags

/// The opcode that stands for bytes between the instructions of a body that are none: control never
/// reaches them. The operand is an index for `Body::raw_region_bytes`.
inline constexpr std::uint16_t raw_region = 0xFFFF;

/// What `operand` holds depends on the opcode's operand kind:
/// * numbers of arguments and locals, integers (those of one byte sign-extended where they are
///   signed), the bits of a float: the value;
/// * tokens: the token as it stands in the code;
/// * branches, short or long: a Label;
/// * i8, r8: an index for `Body::wide`; switch: an index for `Body::switch_targets`.
struct Instruction {
    std::uint16_t opcode = 0;  // as Opcode::value
    std::uint16_t flags = 0;
    std::uint32_t operand = 0;

    bool operator==(const Instruction&) const = default;
};
static_assert(sizeof(Instruction) == 8 && std::is_trivially_copyable_v<Instruction>);

/// The operand kind of an opcode; `undefined` where there is no such one.
constexpr OperandKind operand_of(std::uint16_t opcode) {
    if (opcode <= 0xFF) return opcode_table::operands[opcode];
    if (opcode >> 8U != 0xFE) return OperandKind::undefined;
    return opcode_table::operands[256 + (opcode & 0xFFU)];
}

constexpr bool is_wide(OperandKind kind) {
    return kind == OperandKind::i8 || kind == OperandKind::r8;
}
/// Opcodes whose operand is an index of their body, and means nothing in another one.
constexpr bool is_pooled(std::uint16_t opcode) {
    const OperandKind kind = operand_of(opcode);
    return is_wide(kind) || kind == OperandKind::switch_ || opcode == raw_region;
}

}  // namespace clrkit::cil
