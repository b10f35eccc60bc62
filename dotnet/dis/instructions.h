// The code of one method body, instruction by instruction, with operands as text. Not installed.
#pragma once

#include <clrkit/dotnet/cil/body_extent.h>
#include <clrkit/dotnet/cil/opcodes.h>
#include <clrkit/dotnet/dis/il_source.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clrkit::dis {

/// A body that was measured, and where its instructions begin.
class Code {
public:
    /// Nothing where the body cannot be read.
    static std::optional<Code> of(IlSource& source, MethodDef method);

    const cil::BodyExtent& extent() const { return extent_; }
    ByteSpan body() const { return body_; }
    ByteSpan bytes() const { return body_.subspan(extent_.header_size, extent_.code_size); }
    std::uint32_t alignment() const { return alignment_; }
    /// Where the next instruction starts at or behind an offset: what is in front of it is none.
    std::uint32_t next_start(std::uint32_t offset) const;
    bool starts_at(std::uint64_t offset) const {
        return offset < starts_.size() && starts_[static_cast<std::size_t>(offset)];
    }
    /// True where a label may stand.
    bool has_label(std::uint64_t offset) const {
        return starts_at(offset) || offset == extent_.code_size;
    }

private:
    cil::BodyExtent extent_;
    ByteSpan body_;
    std::uint32_t alignment_ = 0;
    std::vector<bool> starts_;
};

/// One instruction of `Code`.
struct Instruction {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    const cil::Opcode* opcode = nullptr;
    ByteSpan operand;
    /// The operand where it is a token.
    Token token;
};

/// Reads the instruction at `offset`, which has to start one.
Instruction instruction_at(const Code& code, std::uint32_t offset);

/// Appends the operand, with nothing in front of it. False where it cannot be said, with the gap noted:
/// then the instruction has to be written as bytes.
bool append_operand(IlSource& source, const Code& code, const Instruction& instruction,
                    Token method, std::string& to);

/// `IL_0000`.
void append_label(std::string& to, std::uint64_t offset);

}  // namespace clrkit::dis
