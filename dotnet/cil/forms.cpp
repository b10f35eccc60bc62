// Families of opcodes that differ in how their operand is encoded.
#include <clrkit/dotnet/cil/forms.h>

#include <array>

namespace clrkit::cil {
namespace {

/// Opcodes for variables: `macros` of them from `macro` on have their number in the opcode.
struct Family {
    std::uint16_t macro;
    std::uint16_t macros;
    std::uint16_t one_byte;
    std::uint16_t two_bytes;
    bool argument;
};
constexpr std::array families{
    Family{0x02, 4, 0x0E, 0xFE09, true}, Family{0, 0, 0x0F, 0xFE0A, true},
    Family{0, 0, 0x10, 0xFE0B, true},    Family{0x06, 4, 0x11, 0xFE0C, false},
    Family{0, 0, 0x12, 0xFE0D, false},   Family{0x0A, 4, 0x13, 0xFE0E, false},
};
constexpr std::uint16_t constant_macro = 0x15;  // ldc.i4.m1; those of 0 to 8 follow
constexpr std::uint16_t constant_macros = 10;
constexpr std::uint16_t constant_one_byte = 0x1F;
constexpr std::uint16_t constant = 0x20;

constexpr bool in_run(std::uint16_t opcode, std::uint16_t first, std::uint16_t count) {
    return opcode >= first && opcode - first < count;
}

const Family* family_of(std::uint16_t opcode) {
    // All variable opcodes, and nothing else, lie in these two runs.
    if (!in_run(opcode, 0x02, 0x12) && !in_run(opcode, 0xFE09, 6)) return nullptr;
    for (const Family& family : families) {
        if (opcode == family.one_byte || opcode == family.two_bytes ||
            in_run(opcode, family.macro, family.macros)) {
            return &family;
        }
    }
    return nullptr;
}

std::uint32_t number_of(const Family& family, Instruction instruction) {
    return in_run(instruction.opcode, family.macro, family.macros)
               ? std::uint32_t{instruction.opcode} - family.macro
               : instruction.operand;
}

bool is_constant(std::uint16_t opcode) { return in_run(opcode, constant_macro, 12); }

std::uint32_t constant_of(Instruction instruction) {
    return in_run(instruction.opcode, constant_macro, constant_macros)
               ? std::uint32_t{instruction.opcode} - constant_macro - 1U
               : instruction.operand;
}

constexpr bool fits_signed_byte(std::uint32_t value) {
    return static_cast<std::uint32_t>(static_cast<std::int8_t>(value)) == value;
}

Instruction variable(const Family& family, std::uint32_t number) {
    if (number < family.macros) return {static_cast<std::uint16_t>(family.macro + number), 0, 0};
    return {number <= 0xFF ? family.one_byte : family.two_bytes, 0, number};
}

}  // namespace

Instruction shortest(Instruction instruction) {
    if (const Family* family = family_of(instruction.opcode)) {
        return variable(*family, number_of(*family, instruction));
    }
    if (is_constant(instruction.opcode)) {
        return load_constant(static_cast<std::int32_t>(constant_of(instruction)));
    }
    return instruction;
}

Instruction longest(Instruction instruction) {
    if (const Family* family = family_of(instruction.opcode)) {
        return {family->two_bytes, instruction.flags, number_of(*family, instruction)};
    }
    if (is_constant(instruction.opcode)) {
        return {constant, instruction.flags, constant_of(instruction)};
    }
    instruction.opcode = long_branch(instruction.opcode);
    return instruction;
}

std::optional<Instruction> fitting(Instruction instruction) {
    switch (operand_of(instruction.opcode)) {
        case OperandKind::u1:
            if (instruction.operand > 0xFF) return std::nullopt;
            return instruction;
        case OperandKind::i1:
            return fits_signed_byte(instruction.operand) ? instruction : longest(instruction);
        case OperandKind::short_argument:
        case OperandKind::short_local:
            if (instruction.operand > 0xFF) instruction = longest(instruction);
            [[fallthrough]];
        case OperandKind::argument:
        case OperandKind::local:
            if (instruction.operand > 0xFFFF) return std::nullopt;
            return instruction;
        default: return instruction;
    }
}

std::optional<std::uint32_t> argument_of(Instruction instruction) {
    const Family* family = family_of(instruction.opcode);
    if (family == nullptr || !family->argument) return std::nullopt;
    return number_of(*family, instruction);
}

std::optional<std::uint32_t> local_of(Instruction instruction) {
    const Family* family = family_of(instruction.opcode);
    if (family == nullptr || family->argument) return std::nullopt;
    return number_of(*family, instruction);
}

Instruction load_argument(std::uint16_t number) { return variable(families[0], number); }
Instruction store_argument(std::uint16_t number) { return variable(families[2], number); }
Instruction load_local(std::uint16_t number) { return variable(families[3], number); }
Instruction store_local(std::uint16_t number) { return variable(families[5], number); }

Instruction load_constant(std::int32_t value) {
    if (value >= -1 && value <= 8) {
        return {static_cast<std::uint16_t>(constant_macro + 1 + value), 0, 0};
    }
    const auto bits = static_cast<std::uint32_t>(value);
    return {fits_signed_byte(bits) ? constant_one_byte : constant, 0, bits};
}

}  // namespace clrkit::cil
