// Flags and the assembler's words for them (ECMA-335 II.23.1).
#pragma once

#include <clrkit/dotnet/dis/disassembler.h>

#include <cstdint>
#include <span>
#include <string>

namespace clrkit::dis {

/// A word stands for a value of the bits in `mask`.
struct FlagWord {
    std::uint32_t mask;
    std::uint32_t value;
    const char* word;
    /// mono's assembler does not know the word, or does nothing about it.
    bool runtime_only = false;
};

/// Appends a word and a blank for each value that has one. Returns the bits that the words do not
/// cover.
std::uint32_t append_words(std::string& to, std::uint32_t flags, std::span<const FlagWord> words,
                           Dialect dialect);

/// The same, or where words do not cover all bits and the dialect knows it `flags(0x...) ` alone. Bits
/// in `computed` are left to the assembler. Returns the bits that the text does not say.
std::uint32_t append_flags(std::string& to, std::uint32_t flags, std::span<const FlagWord> words,
                           std::uint32_t computed, Dialect dialect);

/// The words of each table of flags.
namespace words {
extern const std::span<const FlagWord> type;
extern const std::span<const FlagWord> field;
extern const std::span<const FlagWord> method;
extern const std::span<const FlagWord> implementation;
extern const std::span<const FlagWord> pinvoke;
extern const std::span<const FlagWord> generic_parameter;
extern const std::span<const FlagWord> exported_type;
extern const std::span<const FlagWord> assembly;
}  // namespace words

}  // namespace clrkit::dis
