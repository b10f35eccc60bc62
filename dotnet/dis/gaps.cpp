// The sentences of gaps.
#include <clrkit/dotnet/dis/gaps.h>

#include <numeric>

namespace clrkit::dis {
namespace {

constexpr std::array<std::string_view, gap_kinds> sentences{
    "a dot in a type's own name: the assembler takes what is in front of it for a namespace",
    "a name that is not UTF-8",
    "a name longer than the assembler takes",
    "a reference to a type of this module that it does not define",
    "System.Object, String, ValueType or Enum in a scope where the assembler does not look",
    "flags that the assembler has no word for or sets as it likes",
    "flags of an assembly that have no word",
    "an exported type or resource whose implementation is not there",
    "rows of a table that has no syntax",
    "an attribute on something that cannot have one in text",
    "an attribute whose constructor cannot be named",
    "a resource whose data is not there",
    "field data that is not in the file",
    "field data whose size the module does not tell: as much as there may be was taken",
    "bytes behind the data of a field that belong to nothing, and are too many to be data",
    "an entry point that the text cannot name",
    "types nested too deeply, or in one another",
    "a version number of 65535, which the assembler takes for none",
    "an exported type that is not forwarded to an assembly: the assembler leaves it out",
    "a resource outside the file, or one whose name cannot be a file's, as this assembler needs it",
    "a file without a hash: the assembler leaves it out",
    "generic parameters that do not match their numbers or the signature",
    "more than one layout, or none where fields have offsets: the assembler makes one",
    "a member that is declared twice",
    "a base type or interface where the assembler allows none, or a value type that is not sealed",
    "a field with a native import",
    "a constant that has no text, or more than one constant",
    "more than one marshalling descriptor, or an empty one",
    "a native type that the assembler has no words for",
    "a security action that has no word",
    "a permission set, of which the assembler makes another one, or none",
    "parameter rows missing, out of order or out of range: the assembler makes one for each "
    "parameter",
    "a parameter without a name: the assembler gives it one",
    "special for the runtime by a flag and not by its name, or the reverse",
    "native or unmanaged code: the assembler refuses the method",
    "a body without code: the assembler leaves it out",
    "a body of a method that should have none: the assembler refuses it",
    "an override that cannot be named",
    "an accessor that is no method of this module, or the second of its kind",
    "an event without both accessors: the assembler refuses it",
    "an event without a type: the assembler refuses it",
    "a native import without a module, or of a method that is not marked as one",
    "a signature that has no text",
    "an exception clause that has no text or that the assembler refuses",
    "an instruction whose token leads nowhere: written as bytes",
    "a vararg method called by its definition: the assembler makes a reference of it",
    "a literal with half a character at its end",
    "a 4-byte signalling NaN, which the assembler makes a quiet one",
    "locals whose signature has no text",
    "pinned locals: the assembler forgets that they are",
    "a body that cannot be read",
    "a processor that the assembler does not know",
    "native code, exports or vtable fixups",
    "a CLR header or metadata of another version than the assembler writes",
    "flags of the CLR header, of which the assembler knows one",
    "more text than the limit allows: it breaks off",
};

constexpr std::uint64_t tokens_shown = 20;

}  // namespace

std::string_view text_of(GapKind kind) { return sentences[static_cast<std::size_t>(kind)]; }

std::uint64_t Gaps::total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

void Gaps::print(IlText& text) const {
    if (empty()) return;
    text.empty_line();
    text.line("// What this text does not say as the file does:");
    for (std::size_t i = 0; i < gap_kinds; ++i) {
        if (counts_[i] == 0) continue;
        std::string& line = text.begin_line();
        line += "//   ";
        append_number(line, counts_[i]);
        line += " x ";
        line += sentences[i];
        std::uint64_t shown = 0;
        for (const Gap& gap : list_) {
            if (static_cast<std::size_t>(gap.kind) != i || gap.token == Token()) continue;
            if (shown++ == tokens_shown) break;
            line += shown == 1 ? ": 0x" : ", 0x";
            append_hex(line, gap.token.value(), 8);
        }
        if (shown > tokens_shown) line += ", ...";
        text.end_line();
    }
}

}  // namespace clrkit::dis
