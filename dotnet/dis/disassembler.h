// IL assembler source of a module (ECMA-335 partition II): what the runtime's ilasm assembles again to
// an image that means the same. What source text cannot say is listed: see Gaps and docs/dis.md.
//
//     auto print = [](std::string_view text) { fwrite(text.data(), 1, text.size(), stdout); };
//     clrkit::dis::TextTarget target(print);
//     auto disassembler = clrkit::dis::Disassembler::create(module, {}, target);
//     if (disassembler) disassembler->module();
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/dis/gaps.h>
#include <clrkit/dotnet/dis/il_text.h>
#include <clrkit/dotnet/model/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace clrkit::dis {

/// Whose assembler reads the text.
enum class Dialect : std::uint8_t {
    runtime,  // the .NET runtime's ilasm
    mono,     // mono's, which knows less
};

struct DisassemblyOptions {
    Dialect dialect = Dialect::runtime;
    /// Tokens as comments.
    bool tokens = false;
    /// The bytes of instructions as comments.
    bool bytes = false;
    /// Names of the files that hold embedded resources: this, then the row's number and `.bin`. Text
    /// for mono's assembler goes by the names of the resources instead: it knows no others.
    std::string resource_prefix = "resource.";
    /// Most bytes of text: bodies and blobs can be shared, so a small file may ask for gigabytes.
    /// 0: sixteen million and thirty-two for each byte of the file; real ones take half of it.
    std::uint64_t text_bytes = 0;
};

/// An embedded resource that the text refers to by the name of a file.
struct ResourceFile {
    std::string name;
    ByteSpan bytes;  // of the module
};

/// One instruction, for those who want it as data.
struct InstructionText {
    std::uint32_t offset = 0;
    /// Empty for bytes that are no instruction.
    std::string_view opcode;
    std::string operand;
    ByteSpan bytes;
    /// The operand's token, or none.
    Token token;
};

class IlSource;

class Disassembler {
public:
    /// `module` and what `target` refers to must outlive it. Errors: those of `Indexes::build`.
    CLRKIT_API static Result<Disassembler> create(const Module& module,
                                                  const DisassemblyOptions& options,
                                                  const TextTarget& target);
    CLRKIT_API Disassembler(Disassembler&& other) noexcept;
    CLRKIT_API ~Disassembler();

    /// All of the module.
    CLRKIT_API void module();
    /// A TypeDef with what is nested in it, or a Field, MethodDef, Property or Event; a row that
    /// does not exist gives nothing.
    CLRKIT_API void item(Token token);
    /// What could not be said, as comments. `module` ends with it.
    CLRKIT_API void print_gaps();

    /// The instructions of a method's body; empty where it has none or it cannot be read. Good until
    /// the next call.
    CLRKIT_API const std::vector<InstructionText>& instructions(MethodDef method);

    /// Finds `Ns.Type`, `Ns.Outer/Inner` or one of these and `::Member`: every TypeDef, Field,
    /// MethodDef, Property and Event of that name.
    CLRKIT_API std::vector<Token> find(std::string_view name) const;
    /// `instance void Ns.Type::Name(int32)`.
    CLRKIT_API std::string name_of(Token member);

    CLRKIT_API const Gaps& gaps() const;
    /// Embedded resources in the order of their rows.
    CLRKIT_API std::vector<ResourceFile> resources() const;

private:
    explicit Disassembler(std::unique_ptr<DisassemblyOptions> options);
    void find_members(TypeDef type, std::string_view name, std::vector<Token>& found) const;

    std::unique_ptr<DisassemblyOptions> options_;
    std::unique_ptr<IlSource> source_;
    std::vector<InstructionText> instructions_;
};

}  // namespace clrkit::dis
