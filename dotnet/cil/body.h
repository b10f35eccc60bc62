// A method body that can be looked at and edited (ECMA-335 II.25.4): header, instructions whose
// branches are labels, exception clauses as ranges of labels, data sections. What does not decode stays
// as the bytes it is. `Assembler` writes it.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/cil/body_extent.h>
#include <clrkit/dotnet/cil/instruction.h>
#include <clrkit/dotnet/cil/reached_code.h>
#include <clrkit/dotnet/cil/scan.h>
#include <clrkit/dotnet/metadata/tokens.h>

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace clrkit::cil {

/// For reading a body: where it is, whose it is, where faults go.
struct BodyReadContext {
    /// May be null.
    Diagnostics* diagnostics = nullptr;
    /// Offset of the body in its file, for diagnostics.
    std::uint64_t file_offset = no_offset;
    /// The method, for diagnostics.
    Token owner;
    /// The body's RVA modulo 4: data sections are aligned in memory, not relative to the body.
    std::uint8_t alignment = 0;
    /// Keep the offset that each instruction had: see Body::old_offsets.
    bool offsets = false;
};
static_assert(sizeof(BodyReadContext) <= 24 && std::is_trivially_copyable_v<BodyReadContext>);

/// What the header says beside sizes (II.25.4.2, II.25.4.3).
struct BodyHeader {
    /// Twelve bytes or more, and not one. A tiny header has no locals, sections or init_locals, and
    /// its max_stack is 8; a body that asks for more gets a fat one.
    bool fat = false;
    bool init_locals = false;
    std::uint16_t max_stack = 8;
    /// Bits 5 to 11 of the flags, which mean nothing, where they stand.
    std::uint16_t other_flags = 0;
    /// The StandAloneSig of the locals, or 0, as it stands in the file.
    std::uint32_t locals = 0;
    /// What a header longer than twelve bytes holds behind these, at most 48 bytes, a multiple of
    /// four.
    ByteSpan tail;
};

/// An exception clause (II.25.4.6). Ranges are [begin, end); an end may be the end of the code.
struct ExceptionClause {
    /// 0 catch, 1 filter, 2 finally, 4 fault; others are kept.
    std::uint32_t flags = 0;
    Label try_begin = 0;
    Label try_end = 0;
    Label handler_begin = 0;
    Label handler_end = 0;
    /// A type's token; with is_filter() the Label at which the filter begins; else nothing that
    /// means anything.
    std::uint32_t class_or_filter = 0;

    bool is_filter() const { return (flags & 7U) == 1; }
    bool operator==(const ExceptionClause&) const = default;
};

/// A data section (II.25.4.5).
struct BodySection {
    /// Bits 0 to 5 of its first byte: 1 for exception clauses.
    std::uint8_t kind = 1;
    bool fat = false;
    /// The bytes between what stands before and the section; written again where as many are needed.
    std::uint8_t padding_size = 0;
    std::array<std::uint8_t, 3> padding{};
    /// By how much the declared size exceeds that of the clauses: 4, the header's, in what compilers
    /// write now.
    std::uint8_t excess = 4;
    /// Bytes 2 and 3 of a small one.
    std::uint16_t reserved = 0;
    /// How many of the body's clauses are in it, beginning where those of the section before end.
    /// The last section of clauses takes what is left; see Body::clauses.
    std::uint32_t clauses = 0;
    /// All of a section of another kind, with its header.
    ByteSpan bytes;

    bool is_exceptions() const { return kind == 1; }
};

/// What happens at one place of a body that is edited: `removed` instructions go, others come.
struct Splice {
    Label at = 0;
    std::uint32_t removed = 0;
    /// Their labels are those of the body before any edit, or `local_label`s.
    std::span<const Instruction> inserted;
    /// Whether what led to `at`, or to a removed instruction, leads to the first inserted one now;
    /// else it leads to the instruction behind. Branches and the bounds of clauses are treated
    /// alike, so ranges that touched still do.
    bool takes_labels = true;
};

/// A label inside what a Splice inserts: the instruction of that index in `inserted`.
constexpr Label local_label(std::uint32_t index) { return index | 0x80000000U; }

/// Meant to be read into again and again: its buffers grow to the largest body and stay. Copies are
/// independent, but for the views below. Opaque bodies, raw regions, header tails and sections that hold
/// no clauses are views into the bytes that were read, which must live as long as they are used.
class Body {
public:
    static constexpr std::uint32_t no_old_offset = 0xFFFFFFFF;
    static constexpr std::uint32_t most_instructions = 0x7FFFFFFF;

    /// Reads the body at the start of `bytes`, which reach to the end of their section, in time and
    /// memory linear in its size. Where a sweep from the first byte to the last does not decode all,
    /// what control reaches is decoded and the bytes between are raw regions. False where control
    /// reaches what does not decode: the body is opaque then, and `body_opaque` is reported. May
    /// throw std::bad_alloc.
    CLRKIT_API bool read(ByteSpan bytes, const BodyReadContext& context);
    /// An empty body with a tiny header, as a new object is.
    CLRKIT_API void clear();

    /// Why the body is only bytes. Assemblers copy such a body, edits refuse it.
    Opaque why_opaque() const { return opaque_; }
    bool opaque() const { return opaque_ != Opaque::no; }
    /// The body as it was read; of an opaque one what is written. Empty where not even its size is
    /// known (Opaque::extent), and for one that was not read.
    ByteSpan raw() const { return raw_; }
    /// What `raw` was measured to be.
    const BodyExtent& extent() const { return extent_; }
    /// The alignment that it was read with.
    std::uint32_t alignment() const { return alignment_; }

    BodyHeader& header() { return header_; }
    const BodyHeader& header() const { return header_; }

    /// Of an opaque body those before the fault, to look at: a branch that leads into no instruction
    /// is flagged `offset_operand`.
    std::span<const Instruction> instructions() const { return instructions_; }
    /// To change in place; see `splice` for more or fewer of them.
    std::span<Instruction> instructions() { return instructions_; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(instructions_.size()); }

    /// The eight bytes that an i8 or r8 instruction loads; 0 for an index that is none.
    std::uint64_t wide(std::uint32_t operand) const {
        return operand < wide_.size() ? wide_[operand] : 0;
    }
    /// The bytes of a `raw_region`; empty for an index that is none.
    ByteSpan raw_region_bytes(std::uint32_t operand) const {
        return operand < regions_.size() ? regions_[operand] : ByteSpan{};
    }
    /// Whether control goes around bytes that are no instructions; `code_not_reached` was reported.
    bool has_raw_regions() const { return !regions_.empty(); }
    /// Whether a pooled operand is an index of this body; true for all other instructions.
    CLRKIT_API bool has_pooled(Instruction instruction) const;
    /// The labels of a switch; empty for an index that is none. Valid until the body grows.
    CLRKIT_API std::span<const Label> switch_targets(std::uint32_t operand) const;
    CLRKIT_API std::span<Label> switch_targets(std::uint32_t operand);

    /// In the order of the file, which decides which of several clauses of one range is first. May
    /// be changed freely: those past what the sections count go into the last section that holds
    /// clauses, or into a new one. None in an opaque body.
    std::vector<ExceptionClause>& clauses() { return clauses_; }
    const std::vector<ExceptionClause>& clauses() const { return clauses_; }
    std::vector<BodySection>& sections() { return sections_; }
    const std::vector<BodySection>& sections() const { return sections_; }

    /// Where on request each instruction began before any edit, in the order of `instructions`;
    /// `no_old_offset` for inserted ones. Empty when it was not asked for.
    std::span<const std::uint32_t> old_offsets() const { return offsets_; }

    /// Appends an instruction and returns its label. Branches may lead to labels to come.
    CLRKIT_API Label append(std::uint16_t opcode, std::uint32_t operand = 0);
    Label append(Instruction instruction) {
        return append(instruction.opcode, instruction.operand);
    }
    /// Operands for instructions that are appended or inserted. A switch's labels may be changed
    /// later; no two instructions may share one.
    CLRKIT_API std::uint32_t add_wide(std::uint64_t value);
    CLRKIT_API std::uint32_t add_switch(std::span<const Label> targets);

    /// Makes several edits at once, in time linear in the size of the body, which is as it was when
    /// this fails. `edits` are in the order of their places and do not overlap. Pure insertions go
    /// in front of the prefixes of the instruction that they name; what led behind these, as no
    /// valid code does, still does. Errors: `body_opaque`; `label_outside`, also for an inserted
    /// operand that is no index of this body. May throw std::bad_alloc.
    CLRKIT_API Status splice(std::span<const Splice> edits);
    /// One edit. Takes linear time: for many, `splice`.
    CLRKIT_API Status insert(Label at, std::span<const Instruction> inserted,
                             bool takes_labels = true);
    /// What led to a removed instruction leads to the one behind.
    CLRKIT_API Status remove(Label at, std::uint32_t count = 1);
    /// The first of the prefixes that stand directly before an instruction; else itself.
    CLRKIT_API Label with_prefixes(Label at) const;

private:
    struct Counts {
        std::uint32_t instructions = 0;
        std::uint32_t wide = 0;
        std::uint32_t targets = 0;
    };
    bool fail(const BodyReadContext& context, Opaque why, std::uint64_t offset);
    void read_header(ByteSpan bytes);
    template <class WalkAll>
    void number(ByteSpan code, bool offsets, WalkAll walk_all);
    template <class WalkAll>
    std::uint32_t write_down(ByteSpan code, bool offsets, WalkAll walk_all);
    Opaque sweep(ByteSpan code, bool offsets, std::uint32_t& fault);
    void read_reached(ByteSpan code, const BodyReadContext& context);
    bool read_branch(Instruction& to, std::int64_t target) const;
    bool read_sections(ByteSpan bytes);
    bool add_clause(const Clause& clause);
    bool label_at(std::uint64_t offset, Label& label) const;
    bool label_or_end(std::uint64_t offset, Label& label) const;
    Status check_edits(std::span<const Splice> edits) const;
    void keep(Label old);
    void arrange(std::span<const Splice> edits);
    void move_labels(std::span<const Splice> edits);
    Label new_label(Label old, Label base) const;

    BodyExtent extent_;
    ByteSpan raw_;
    std::uint32_t alignment_ = 0;
    Opaque opaque_ = Opaque::no;
    BodyHeader header_;
    std::vector<Instruction> instructions_;
    std::vector<std::uint32_t> offsets_;
    std::vector<std::uint64_t> wide_;
    std::vector<Label> targets_;  // of every switch: their number, then they
    std::vector<ByteSpan> regions_;
    ReachedCode reached_;
    std::vector<ExceptionClause> clauses_;
    std::vector<BodySection> sections_;
    // Which bytes of code begin an instruction, and how many did before each word of these bits.
    std::vector<std::uint64_t> starts_;
    std::vector<std::uint32_t> ranks_;
    // For edits: new labels by old ones, and the body in the making.
    std::vector<Label> moved_;
    std::vector<Label> places_;
    std::vector<Instruction> edited_;
    std::vector<std::uint32_t> edited_offsets_;
};

}  // namespace clrkit::cil
