// From a Body to bytes (ECMA-335 II.25.4). By default every form is kept, so that an unedited body
// becomes the bytes it was; what no longer fits its form takes a longer one, and nothing is cut off.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/buffers/write_buffer.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/cil/body.h>
#include <clrkit/dotnet/cil/branch_sizing.h>
#include <clrkit/dotnet/signatures/contexts.h>

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace clrkit::cil {

/// For writing a body: where the bytes go, what becomes of tokens.
struct BodyWriteContext {
    WriteBuffer& output;
    /// New rows by old ones, for tokens in the code, of locals and of caught types; null keeps them.
    /// Literals (0x70...) stay: whoever moves them changes the operands first.
    const TokenMap* tokens = nullptr;
    /// RVA modulo 4 of where the body begins, for the data sections. A fat body should have 0.
    std::uint8_t alignment = 0;
};
static_assert(sizeof(BodyWriteContext) <= 24 && std::is_trivially_copyable_v<BodyWriteContext>);

enum class Forms : std::uint8_t {
    keep,      // as they are; longer where they do not fit
    optimize,  // the shortest: branches, arguments, locals, constants, header, clauses
    expand,    // the longest
};

/// What a body became, in bytes.
struct AssembledBody {
    std::uint64_t size = 0;  // all of it
    std::uint32_t header_size = 0;
    std::uint32_t code_size = 0;
    /// The header, the code or a section has another size than when the body was read.
    bool reformed = false;
};

/// Where an instruction was and is, as offsets in the code.
struct MovedOffset {
    std::uint32_t before = 0;
    std::uint32_t after = 0;
};

/// Writes one body after the other; its buffers grow to the largest and stay.
class Assembler {
public:
    /// Appends a body to the output. An opaque one is copied, only the padding before its sections
    /// follows the alignment, and its tokens stay. So are raw regions. Errors, nothing is written
    /// then: `body_unreadable` for an opaque body of unknown size; `body_opaque` where tokens would
    /// move in an opaque one; `label_outside`, also for an operand that is no index of the body;
    /// `value_too_wide` for a number that no form takes, more than 699,050 clauses in a section, more
    /// than 256 sections or one whose bytes are not what it says, code past 2 GiB; `unsupported` for
    /// an undefined opcode; `out_of_memory`.
    CLRKIT_API Result<AssembledBody> write(const Body& body, const BodyWriteContext& context,
                                           Forms forms = Forms::keep);

    /// Offsets of the instructions of the body that was written last, and of the end of the code.
    /// Empty for an opaque one.
    std::span<const std::uint32_t> offsets() const { return offsets_; }
    /// Of a body that was read with its offsets, in the order of the code, the end of the code not
    /// among them. For debug information.
    CLRKIT_API void moved_offsets(const Body& body, std::vector<MovedOffset>& to) const;

private:
    struct Section {
        const BodySection* from = nullptr;  // null: a new one
        std::uint32_t first = 0;            // clause
        std::uint32_t clauses = 0;
        bool fat = false;
        std::uint32_t padding = 0;
        std::uint64_t size = 0;  // without the padding
    };
    Result<AssembledBody> copy(const Body& body, const BodyWriteContext& context);
    static Result<std::uint64_t> pooled_size(const Body& body, Instruction instruction);
    Status lay_out(const Body& body, Forms forms);
    static Status check_section(const BodySection& section);
    Status plan_sections(const Body& body, Forms forms);
    static std::uint64_t declared_size(const Section& section);
    bool fits_small(const Body& body, const Section& section) const;
    bool wants_fat_header(const Body& body, Forms forms) const;
    std::uint64_t place_sections(std::uint64_t end, std::uint32_t alignment);
    bool is_reformed(const Body& body, std::uint32_t header_size) const;

    std::uint8_t* write_header(std::uint8_t* to, const Body& body, const BodyWriteContext& context,
                               bool fat) const;
    std::uint8_t* write_code(std::uint8_t* to, const Body& body, const BodyWriteContext& context,
                             Forms forms) const;
    std::uint8_t* write_section(std::uint8_t* to, const Body& body, const BodyWriteContext& context,
                                const Section& section, bool more) const;
    std::uint8_t* write_clause(std::uint8_t* to, const ExceptionClause& clause,
                               const BodyWriteContext& context, bool fat) const;

    std::vector<std::uint32_t> offsets_;
    std::vector<ShortBranch> branches_;
    std::vector<Label> widened_;
    std::vector<Section> sections_;
};

}  // namespace clrkit::cil
