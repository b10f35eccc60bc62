// The short and the long ways to say the same (ECMA-335 III.1.2.2): ldloc.0, ldloc.s, ldloc; ldc.i4.1,
// ldc.i4.s, ldc.i4; br.s, br.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/dotnet/cil/instruction.h>

#include <cstdint>
#include <optional>

namespace clrkit::cil {

/// The one-byte form of a branch, and the four-byte form; other opcodes as they are.
constexpr std::uint16_t short_branch(std::uint16_t opcode) {
    if (opcode >= 0x38 && opcode <= 0x44) return static_cast<std::uint16_t>(opcode - 0x0D);
    return opcode == 0xDD ? std::uint16_t{0xDE} : opcode;
}
constexpr std::uint16_t long_branch(std::uint16_t opcode) {
    if (opcode >= 0x2B && opcode <= 0x37) return static_cast<std::uint16_t>(opcode + 0x0D);
    return opcode == 0xDE ? std::uint16_t{0xDD} : opcode;
}

/// False for opcodes that are the one form of what they do.
constexpr bool has_other_forms(std::uint16_t opcode) {
    const auto in = [&](unsigned first, unsigned last) { return opcode - first <= last - first; };
    return in(0x02, 0x13) || in(0x15, 0x20) || in(0x2B, 0x44) || in(0xDD, 0xDE) ||
           in(0xFE09, 0xFE0E);
}

/// The shortest form that means the same. Branches stay: only an assembler knows how far they go.
CLRKIT_API Instruction shortest(Instruction instruction);
/// The longest form, that of branches too: `longest` of two instructions is equal when they mean the
/// same.
CLRKIT_API Instruction longest(Instruction instruction);

/// Operands narrower than the four bytes in which a body holds them.
constexpr bool is_narrow(OperandKind kind) {
    return kind == OperandKind::i1 || kind == OperandKind::u1 ||
           (kind >= OperandKind::short_argument && kind <= OperandKind::local);
}

/// The instruction itself, or a longer form of it where its operand does not fit. Nothing when none
/// does: a number of an argument or local above 65535, an alignment above 255. Branches stay, and all
/// whose operand is not narrow.
CLRKIT_API std::optional<Instruction> fitting(Instruction instruction);

/// The number of the argument or local that an instruction of any form loads, stores or takes the
/// address of; nothing for other instructions.
CLRKIT_API std::optional<std::uint32_t> argument_of(Instruction instruction);
CLRKIT_API std::optional<std::uint32_t> local_of(Instruction instruction);

/// In their shortest form. Numbers up to 65535.
CLRKIT_API Instruction load_argument(std::uint16_t number);
CLRKIT_API Instruction store_argument(std::uint16_t number);
CLRKIT_API Instruction load_local(std::uint16_t number);
CLRKIT_API Instruction store_local(std::uint16_t number);
CLRKIT_API Instruction load_constant(std::int32_t value);

}  // namespace clrkit::cil
