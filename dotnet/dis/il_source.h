// What all parts of the disassembler share: the module, its look-ups, the printer of names, the text.
// Not installed.
#pragma once

#include <clrkit/dotnet/dis/disassembler.h>
#include <clrkit/dotnet/dis/flag_words.h>
#include <clrkit/dotnet/dis/gaps.h>
#include <clrkit/dotnet/dis/il_text.h>
#include <clrkit/dotnet/metadata/indexes.h>
#include <clrkit/dotnet/model/instructions.h>
#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/signatures/print_signature.h>

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clrkit::dis {

/// Rows of tables by the row they belong to, whatever their order in the file.
struct RowsByOwner {
    explicit RowsByOwner(const Metadata& metadata);

    KeyIndex constants;
    KeyIndex marshalling;
    KeyIndex security;
    KeyIndex layouts;
    KeyIndex field_offsets;
    KeyIndex field_data;
    KeyIndex imports;
    KeyIndex overrides;
    KeyIndex overrides_by_body;
    KeyIndex interfaces;
    KeyIndex event_maps;
    KeyIndex property_maps;
    KeyIndex accessors;
    KeyIndex generic_parameters;
    KeyIndex constraints;
};

/// Reads names until they add up to more than any module says: rows may share one long name, and
/// even to find its end takes its length.
class NameBudget {
public:
    /// Empty once the budget is spent.
    std::string_view name(const Metadata& metadata, Table table, std::uint32_t rid,
                          unsigned column);
    bool spent() const { return left_ == 0; }

private:
    std::uint64_t left_ = std::uint64_t{256} << 20U;
};

/// The parts of the disassembler append to `text` and say in `gaps` what they cannot.
class IlSource {
public:
    IlSource(const Module& from, Indexes made, const DisassemblyOptions& asked,
             const TextTarget& target);
    IlSource(const IlSource&) = delete;
    IlSource& operator=(const IlSource&) = delete;

    void gap(GapKind kind, Token token) { gaps.add(kind, token); }

    /// Appends a type or member. False, with the gap noted for `owner`, when not all of it could be
    /// said; then there is a comment in it.
    bool type(std::string& to, Token type, Token owner);
    bool member(std::string& to, Token member, Token owner);
    bool signature(std::string& to, ByteSpan blob, BlobKind kind, Token owner);

    bool for_mono() const { return options.dialect == Dialect::mono; }
    /// Appends the words of flags, and notes those for `owner` that the assembler has no word for.
    void flags(std::string& to, std::uint32_t flags, std::span<const FlagWord> words,
               std::uint32_t computed, Token owner) {
        if (append_flags(to, flags, words, computed, options.dialect) != 0) {
            gap(GapKind::flags, owner);
        }
    }

    /// False when the owner, whose members come one after another, has one of that signature.
    bool declare(Token owner, std::string signature);

    /// The full name as it stands in declarations.
    static void type_name(std::string& to, std::string_view name_space, std::string_view name);
    /// A member's own name, made unique where it is in the private scope.
    void member_name(std::string& to, Token member) const;
    /// A module that an image may have and text that leads to it: `[.module x]`.
    std::string_view assembly_alias(std::uint32_t rid) const {
        return rid - 1 < aliases.size() ? std::string_view(aliases[rid - 1]) : std::string_view();
    }
    /// Counts a look at a member of a list; false when there were so many that lists overlap.
    bool visit() {
        if (visits_left_ == 0) return false;
        visits_left_ -= 1;
        return visits_left_ != 0;
    }
    /// `/*06000001*/ ` where tokens are asked for.
    void token_comment(std::string& to, Token token) const;

    const Module& module;
    const Metadata& metadata;
    const DisassemblyOptions& options;
    Indexes indexes;
    RowsByOwner rows;
    std::vector<std::string> aliases;  // of AssemblyRefs
    AssemblerNames names;
    SignaturePrinter printer;
    IlText text;
    Gaps gaps;
    std::vector<bool> attributes_said;  // by row of CustomAttribute
    std::vector<bool> types_said;       // by row of TypeDef
    std::vector<std::uint32_t> data_fields;
    std::string scratch;
    InstructionFinder finder;

private:
    bool said(Token owner);

    std::set<std::string> declared_;
    Token declared_owner_;

    std::uint64_t visits_left_;
};

/// The raw key of an owner in a coded column.
inline std::uint32_t coded(CodedIndex kind, Token token) { return encode(kind, token); }

}  // namespace clrkit::dis
