// Every instruction of a module, body after body, by a linear sweep: for searches and counts that need
// no more than opcodes and operands.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/error.h>
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/cil/opcodes.h>
#include <clrkit/dotnet/cil/walk.h>
#include <clrkit/dotnet/module/state.h>

#include <cstdint>
#include <vector>

namespace clrkit {

/// A body's code, and the first method that has it.
struct CodeOf {
    Token method;
    ByteSpan code;
};

/// The bodies of a module, each once however many methods share it, in the order of the methods.
struct Bodies {
    std::vector<CodeOf> all;
    /// Methods whose body has no readable extent.
    std::uint32_t unreadable = 0;
};

/// Error: `output_budget` when bodies that overlap add up to more than the limits allow to read;
/// `out_of_memory`.
CLRKIT_API Result<Bodies> bodies_of(const ModuleState& state, const Limits& limits = {});

/// One instruction where it stands.
struct InstructionSite {
    std::uint32_t offset;  // in the code
    const cil::Opcode* opcode;
    /// What follows the opcode; of a switch the count alone.
    ByteSpan operand;

    /// A metadata token, or for `ldstr` that of a literal.
    Token token() const { return Token(load_le<std::uint32_t>(operand.data())); }
};

/// Calls `visit(InstructionSite)` for each instruction. False where the sweep met an undefined opcode
/// or a cut operand before the end.
template <class Visit>
bool for_each_instruction(ByteSpan code, Visit visit) {
    const std::uint32_t end =
        cil::walk(code, [&](cil::OperandKind kind, std::uint32_t start, std::uint32_t operand) {
            const bool wide = code[start] == cil::two_byte_prefix;
            const auto value = static_cast<std::uint16_t>(wide ? 0xFE00U | code[start + 1]
                                                               : std::uint32_t{code[start]});
            visit(InstructionSite{start, cil::find_opcode(value),
                                  code.subspan(operand, cil::operand_size(kind))});
        });
    return end == code.size();
}

}  // namespace clrkit
