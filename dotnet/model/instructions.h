// Every instruction of a module, body after body: for searches and counts that need no more than
// opcodes and operands.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/error.h>
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/cil/body_extent.h>
#include <clrkit/dotnet/cil/opcodes.h>
#include <clrkit/dotnet/cil/reached_code.h>
#include <clrkit/dotnet/cil/scan.h>
#include <clrkit/dotnet/cil/walk.h>
#include <clrkit/dotnet/module/state.h>

#include <cstdint>
#include <vector>

namespace clrkit {

/// A body, and the first method that has it.
struct CodeOf {
    Token method;
    ByteSpan bytes;  // from its header to the end of its section
    cil::BodyExtent extent;
    std::uint32_t alignment = 0;  // its RVA modulo 4

    ByteSpan code() const { return bytes.subspan(extent.header_size, extent.code_size); }
};

/// The bodies of a module, each once however many methods share it, in the order of the methods.
/// What methods have whose code is not IL (II.23.1.11) is none.
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

/// Finds the instructions of one body after the other; its buffers grow to the largest and stay.
class InstructionFinder {
public:
    /// Calls `visit(InstructionSite)` for each instruction, in their order: from the first byte to
    /// the last, or, where that is no sequence of instructions that jumps and clauses lead to, for
    /// each that control reaches (cil::ReachedCode). False where following control fails as well:
    /// then for each up to the first byte that is no whole instruction.
    template <class Visit>
    bool for_each_instruction(const CodeOf& body, Visit visit) {
        const ByteSpan code = body.code();
        const cil::Opaque opaque = scanner_.scan(body.bytes, body.extent, body.alignment,
                                                 [](cil::OperandKind, std::uint32_t) {});
        if (opaque != cil::Opaque::no && reached_.find(body.bytes, body.extent, body.alignment)) {
            reached_.for_each_piece([&](std::uint32_t at, std::uint32_t, bool is_instruction) {
                if (!is_instruction) return;
                const cil::MeasuredInstruction measured = cil::measure_instruction(code, at);
                visit(site(code, measured.kind, at, measured.operand));
            });
            return true;
        }
        cil::walk(code, [&](cil::OperandKind kind, std::uint32_t start, std::uint32_t operand) {
            visit(site(code, kind, start, operand));
        });
        return opaque == cil::Opaque::no;
    }

private:
    static InstructionSite site(ByteSpan code, cil::OperandKind kind, std::uint32_t start,
                                std::uint32_t operand) {
        return {start, cil::find_opcode(cil::opcode_at(code, start)),
                code.subspan(operand, cil::operand_size(kind))};
    }

    cil::Scanner scanner_;
    cil::ReachedCode reached_;
};

}  // namespace clrkit
