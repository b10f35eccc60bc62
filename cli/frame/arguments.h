// What the user asked of a verb: its options by name, and what stands beside them.
#pragma once

#include "frame/verb.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clrkit::cli {

/// A mistake in the command line, for `complain`.
struct UsageError {
    std::string sentence;
    std::string hint;  // may be empty
};
template <class T>
using Usage = std::expected<T, UsageError>;
inline std::unexpected<UsageError> misuse(std::string sentence, std::string hint = {}) {
    return std::unexpected(UsageError{std::move(sentence), std::move(hint)});
}

class Arguments {
public:
    explicit Arguments(const Verb& verb) : verb_(&verb) {}

    const Verb& verb() const { return *verb_; }
    /// What is no option, in order.
    const std::vector<std::string>& operands() const { return operands_; }

    // An option that the verb does not have is never given; debug builds assert that it has it.

    bool has(std::string_view name) const { return find(name) != nullptr; }
    /// The value; empty when the option was not given.
    std::string_view text(std::string_view name) const;
    std::optional<std::uint64_t> number(std::string_view name) const;
    /// Every value, in order.
    std::span<const std::string> list(std::string_view name) const;

    void add(const Option& option, std::vector<std::string> values) {
        given_.push_back({&option, std::move(values)});
    }
    void add_operand(std::string operand) { operands_.push_back(std::move(operand)); }

private:
    struct Given {
        const Option* option;
        std::vector<std::string> values;
    };
    const Given* find(std::string_view name) const;

    const Verb* verb_;
    std::vector<Given> given_;
    std::vector<std::string> operands_;
};

/// Parses the words behind the verb: expands response files, checks numbers and choices, names the
/// nearest option for one that does not exist.
Usage<Arguments> parse(const Verb& verb, std::span<const char* const> words);

/// A number without sign, all of `text`.
std::optional<std::uint64_t> parse_number(std::string_view text);

}  // namespace clrkit::cli
