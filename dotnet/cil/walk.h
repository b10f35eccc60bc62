// A linear sweep over the code of one method body: sizes and operands only, no instruction objects.
#pragma once

#include <clrkit/core/bytes/endian.h>
#include <clrkit/dotnet/cil/opcodes.h>

#include <cstdint>

namespace clrkit::cil {

inline constexpr std::uint8_t two_byte_prefix = 0xFE;

/// Where one instruction ends.
struct MeasuredInstruction {
    /// `undefined` for an undefined opcode and a cut operand.
    OperandKind kind = OperandKind::undefined;
    std::uint32_t operand = 0;  // offset in the code of what follows the opcode
    std::uint32_t end = 0;
};

/// Measures the instruction at `at`, which lies in the code.
inline MeasuredInstruction measure_instruction(ByteSpan code, std::uint32_t at) {
    const std::uint8_t* const data = code.data();
    const auto size = static_cast<std::uint32_t>(code.size());
    std::uint32_t opcode = data[at];
    std::uint32_t operand = at + 1;
    if (opcode == two_byte_prefix) {
        if (operand == size) return {};
        opcode = 256U + data[operand++];
    }
    const OperandKind kind = opcode_table::operands[opcode];
    if (kind == OperandKind::none) return {kind, operand, operand};
    const std::uint32_t width = operand_size(kind);
    if (kind == OperandKind::undefined || size - operand < width) return {};
    std::uint32_t end = operand + width;
    if (kind == OperandKind::switch_) {
        const auto targets = load_le<std::uint32_t>(data + operand);
        if (targets > (size - end) / 4) return {};
        end += targets * 4;
    }
    return {kind, operand, end};
}

/// Calls `visit(kind, start, operand)` for every instruction: offsets in the code of the opcode and of
/// what follows it. Returns the offset of the first byte that is no whole instruction: an undefined
/// opcode or a cut operand; the code's size when there is none.
template <class Visit>
std::uint32_t walk(ByteSpan code, Visit visit) {
    const auto size = static_cast<std::uint32_t>(code.size());
    std::uint32_t at = 0;
    while (at < size) {
        const MeasuredInstruction instruction = measure_instruction(code, at);
        if (instruction.kind == OperandKind::none) {
            // Half of all; what `visit` does of it is known while it is compiled.
            visit(OperandKind::none, at, instruction.operand);
        } else {
            if (instruction.kind == OperandKind::undefined) return at;
            visit(instruction.kind, at, instruction.operand);
        }
        at = instruction.end;
    }
    return at;
}

/// The opcode of a measured instruction, as Opcode::value.
inline std::uint16_t opcode_at(ByteSpan code, std::uint32_t start) {
    if (code[start] != two_byte_prefix) return code[start];
    return static_cast<std::uint16_t>(0xFE00U | code[start + 1]);
}

/// Calls `visit(target)` for every place that a measured branch or switch leads to: an offset in the
/// code, or out of it. Nothing for other instructions.
template <class Visit>
void for_each_target(ByteSpan code, OperandKind kind, std::uint32_t operand, Visit visit) {
    const std::uint8_t* const at = code.data() + operand;
    if (kind == OperandKind::short_branch) {
        visit(std::int64_t{operand} + 1 + static_cast<std::int8_t>(*at));
    } else if (kind == OperandKind::branch) {
        visit(std::int64_t{operand} + 4 + static_cast<std::int32_t>(load_le<std::uint32_t>(at)));
    } else if (kind == OperandKind::switch_) {
        const auto count = load_le<std::uint32_t>(at);
        const std::int64_t base = std::int64_t{operand} + 4 + std::int64_t{count} * 4;
        for (std::uint32_t i = 1; i <= count; ++i) {
            visit(base +
                  static_cast<std::int32_t>(load_le<std::uint32_t>(at + std::size_t{i} * 4)));
        }
    }
}

}  // namespace clrkit::cil
