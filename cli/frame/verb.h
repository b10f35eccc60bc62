// What a verb is: plain constexpr data. Parser, help and completions are all made from it, so a verb
// is one file with a table of options and one row in verbs.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace clrkit::cli {

class Arguments;

enum class OptionKind : std::uint8_t {
    flag,
    text,           // one value; given twice it is an error
    number,         // likewise, a decimal number
    choice,         // likewise, one of `choices`
    list,           // one value each time it is given
    optional_text,  // a value only after `=`
};

/// Names the shells know how to complete.
enum class Completes : std::uint8_t { nothing, file, folder };

// GCC 12 warns of an aggregate's members that are neither named nor have an initializer.
// NOLINTBEGIN(readability-redundant-member-init)
struct Option {
    std::string_view name;  // without its dashes
    char letter = 0;
    OptionKind kind = OptionKind::flag;
    std::string_view metavar{};
    std::string_view help{};
    std::string_view group{};    // heading in the help; empty: the verb's own options
    std::string_view choices{};  // "auto|always|never"
    Completes completes = Completes::nothing;
};

struct Example {
    std::string_view command;
    std::string_view says;
};

/// Groups of options that verbs share; see common_options.cpp.
enum Takes : std::uint8_t {
    takes_inputs = 1,   // -r, --files-from, -j, --keep-going
    takes_outputs = 2,  // -o, -O, -i, -f and the choice about signatures
    takes_listing = 4,  // --limit
    takes_json = 8,     // --json, --jsonl
};

struct Verb {
    std::string_view name;
    std::string_view summary;
    std::string_view operands;  // as in the usage line: "INPUT..."
    std::array<Example, 3> examples;
    std::span<const Option> options;
    std::uint8_t takes = 0;
    /// Returns the exit code.
    int (*run)(const Arguments& arguments) = nullptr;
    /// Words the shells complete operands with; empty for files.
    std::string_view operand_choices{};
    // NOLINTEND(readability-redundant-member-init)
};

/// Every verb, in the order of the help.
std::span<const Verb* const> all_verbs();
/// Null when there is none of that name.
const Verb* find_verb(std::string_view name);

/// The verb's own options, then the shared ones it takes.
class OptionRange {
public:
    explicit OptionRange(const Verb& verb);
    template <class Visit>
    void each(Visit visit) const {
        for (const auto& part : parts_)
            for (const Option& option : part) visit(option);
    }
    const Option* find(std::string_view name) const;

private:
    std::array<std::span<const Option>, 6> parts_{};
};

}  // namespace clrkit::cli
