// What `grep` looks for: a fixed text, an extended regular expression, a number.
#pragma once

#include "frame/arguments.h"

#include <clrkit/core/bytes/span.h>
#include <clrkit/dotnet/cil/opcodes.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace clrkit::cli {

/// What a pattern has to be.
enum class PatternKind : std::uint8_t {
    any,
    number,
    opcode,  // the beginning of a name at least, unless it is an expression
};

class Pattern {
public:
    /// From the first operand, with -E, -i and -x.
    static Usage<Pattern> read(const Arguments& arguments, PatternKind kind);
    ~Pattern();
    Pattern(Pattern&& other) noexcept;
    Pattern& operator=(Pattern&& other) noexcept;

    /// In the text; with -x all of it.
    bool matches(std::string_view text) const;
    /// All of the text, unless the pattern is an expression.
    bool names(std::string_view text) const;
    /// The value of a `ldc` instruction: its operand of that kind, little-endian.
    bool equals(cil::OperandKind kind, ByteSpan operand) const;
    bool equals(std::int64_t value) const;
    bool equals(float value) const;
    bool equals(double value) const;

private:
    struct Expression;
    Pattern();
    Usage<void> read_numbers(bool needs_one);
    Usage<void> compile();

    std::string text_;
    bool whole_ = false;
    bool any_case_ = false;
    std::unique_ptr<Expression> expression_;  // with -E
    std::optional<std::int64_t> integer_;
    std::optional<float> single_;
    std::optional<double> double_;
};

}  // namespace clrkit::cli
