// A linear sweep over the code of one method body: sizes and operands only, no instruction objects.
#pragma once

#include <clrkit/core/bytes/endian.h>
#include <clrkit/dotnet/cil/opcodes.h>

#include <cstdint>

namespace clrkit::cil {

inline constexpr std::uint8_t two_byte_prefix = 0xFE;

/// Calls `visit(kind, start, operand)` for every instruction: offsets in the code of the opcode and of
/// what follows it. Returns the offset of the first byte that is no whole instruction: an undefined
/// opcode or a cut operand; the code's size when there is none.
template <class Visit>
std::uint32_t walk(ByteSpan code, Visit visit) {
    const std::uint8_t* const data = code.data();
    const auto size = static_cast<std::uint32_t>(code.size());
    std::uint32_t at = 0;
    while (at < size) {
        std::uint32_t opcode = data[at];
        std::uint32_t operand = at + 1;
        if (opcode == two_byte_prefix) {
            if (operand == size) return at;
            opcode = 256U + data[operand++];
        }
        const OperandKind kind = opcode_table::operands[opcode];
        if (kind == OperandKind::none) {
            visit(kind, at, operand);
            at = operand;
            continue;
        }
        const std::uint32_t width = operand_size(kind);
        if (kind == OperandKind::undefined || size - operand < width) return at;
        std::uint32_t next = operand + width;
        if (kind == OperandKind::switch_) {
            const auto targets = load_le<std::uint32_t>(data + operand);
            if (targets > (size - next) / 4) return at;
            next += targets * 4;
        }
        visit(kind, at, operand);
        at = next;
    }
    return at;
}

}  // namespace clrkit::cil
