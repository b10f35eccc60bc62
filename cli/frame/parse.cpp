// The one file that includes CLI11, because it takes ten seconds to compile. Only the options of the
// verb that was chosen are declared to it: that is most of what parsing costs at start.
#include "frame/arguments.h"
#include "frame/nearest.h"
#include "frame/response_file.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <deque>

namespace clrkit::cli {
namespace {

/// An option as CLI11 fills it in.
struct Slot {
    const Option* option = nullptr;
    std::vector<std::string> values;
    std::int64_t count = 0;
};

std::string spelled(const Option& option) { return "--" + std::string(option.name); }

std::string declared(const Option& option) {
    std::string names = spelled(option);
    if (option.letter != 0) names += std::string(",-") + option.letter;
    return names;
}

void declare(CLI::App& app, const Option& option, std::deque<Slot>& slots) {
    Slot& slot = slots.emplace_back(Slot{&option, {}, 0});
    if (option.kind == OptionKind::flag || option.kind == OptionKind::optional_text) {
        app.add_flag(declared(option), slot.count)->disable_flag_override();
        return;
    }
    // Extra arguments off: else CLI11 would take "[a,b]" apart and swallow the operands.
    app.add_option(declared(option), slot.values)->allow_extra_args(false)->expected(1)->take_all();
}

/// Takes the value out of `--name=value` and `-n=value`, for options whose value is optional: CLI11
/// would take the next word. A flag has no value to take.
Usage<void> take_optional_values(const OptionRange& options, std::vector<std::string>& words,
                                 std::vector<std::pair<const Option*, std::string>>& values) {
    for (std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || !word.starts_with('-')) continue;
        const std::string name = word.substr(0, equals);
        const Option* chosen = nullptr;
        options.each([&](const Option& option) {
            const char letter[3] = {'-', option.letter, 0};
            if (name == spelled(option) || name == letter) chosen = &option;
        });
        if (chosen == nullptr) continue;
        if (chosen->kind == OptionKind::flag) return misuse(name + " takes no value");
        if (chosen->kind != OptionKind::optional_text) continue;
        std::string value = word.substr(equals + 1);
        if (value.empty()) return misuse(name + "= has no value");
        values.emplace_back(chosen, std::move(value));
        word = spelled(*chosen);
    }
    return {};
}

UsageError unknown_option(const OptionRange& options, const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    Nearest nearest(name);
    options.each([&](const Option& option) { nearest.offer(spelled(option)); });
    UsageError error{"no option " + name, {}};
    if (!nearest.best().empty()) {
        error.hint = "did you mean " + nearest.best() + "?";
    } else if (word[1] >= '0' && word[1] <= '9') {
        error.hint = "behind -- nothing is an option: -- " + word;
    }
    return error;
}

bool is_choice(std::string_view choices, std::string_view value) {
    while (!choices.empty()) {
        const std::size_t end = std::min(choices.find('|'), choices.size());
        if (choices.substr(0, end) == value) return true;
        choices.remove_prefix(std::min(end + 1, choices.size()));
    }
    return false;
}

Usage<void> check_values(const Option& option, const std::vector<std::string>& values) {
    if (option.kind != OptionKind::list && values.size() > 1) {
        return misuse(spelled(option) + " is given more than once");
    }
    for (const std::string& value : values) {
        if (option.kind == OptionKind::number && !parse_number(value)) {
            return misuse(spelled(option) + " takes a number, not '" + value + "'");
        }
        if (option.kind == OptionKind::choice && !is_choice(option.choices, value)) {
            return misuse(spelled(option) + " takes one of " + std::string(option.choices) +
                          ", not '" + value + "'");
        }
        if (value.empty()) return misuse(spelled(option) + " has an empty value");
    }
    return {};
}

/// Runs CLI11 over the words. Operands and options it does not know come back in `rest`.
Usage<void> run_parser(const OptionRange& options, std::vector<std::string> words,
                       std::deque<Slot>& slots, std::vector<std::string>& rest) {
    try {
        CLI::App app;
        app.set_help_flag();
        app.allow_extras();
        options.each([&](const Option& option) { declare(app, option, slots); });
        std::ranges::reverse(words);  // as CLI11 wants them
        app.parse(std::move(words));
        rest = app.remaining();
    } catch (const CLI::ArgumentMismatch& error) {
        // "--limit: 1 required TEXT missing"
        const std::string text = error.what();
        return misuse(text.substr(0, text.find(':')) + " needs a value");
    } catch (const CLI::Error& error) {
        return misuse(error.what());
    }
    return {};
}

}  // namespace

Usage<Arguments> parse(const Verb& verb, std::span<const char* const> words) {
    const OptionRange options(verb);
    std::vector<std::string> before;
    std::vector<std::string> behind;  // what stands behind "--" is never an option
    if (auto split = expand_words(words, before, behind); !split) {
        return std::unexpected(split.error());
    }
    std::vector<std::pair<const Option*, std::string>> optional_values;
    if (auto taken = take_optional_values(options, before, optional_values); !taken) {
        return std::unexpected(taken.error());
    }
    std::deque<Slot> slots;
    std::vector<std::string> rest;
    if (auto run = run_parser(options, std::move(before), slots, rest); !run) {
        return std::unexpected(run.error());
    }
    Arguments arguments(verb);
    for (std::string& word : rest) {
        if (word.size() > 1 && word[0] == '-')
            return std::unexpected(unknown_option(options, word));
        arguments.add_operand(std::move(word));
    }
    for (std::string& word : behind) arguments.add_operand(std::move(word));
    for (Slot& slot : slots) {
        for (auto& [option, value] : optional_values) {
            if (option == slot.option) slot.values.push_back(std::move(value));
        }
        if (slot.count == 0 && slot.values.empty()) continue;
        if (auto good = check_values(*slot.option, slot.values); !good) {
            return std::unexpected(good.error());
        }
        arguments.add(*slot.option, std::move(slot.values));
    }
    if ((verb.takes & takes_json) != 0 && arguments.has("json") && arguments.has("jsonl")) {
        return misuse("only one of --json and --jsonl is possible");
    }
    return arguments;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

const Arguments::Given* Arguments::find(std::string_view name) const {
    assert(OptionRange(*verb_).find(name) != nullptr);
    for (const Given& given : given_) {
        if (given.option->name == name) return &given;
    }
    return nullptr;
}

std::string_view Arguments::text(std::string_view name) const {
    const Given* given = find(name);
    return given != nullptr && !given->values.empty() ? std::string_view(given->values.front())
                                                      : std::string_view{};
}

std::optional<std::uint64_t> Arguments::number(std::string_view name) const {
    return has(name) ? parse_number(text(name)) : std::nullopt;
}

std::span<const std::string> Arguments::list(std::string_view name) const {
    const Given* given = find(name);
    return given != nullptr ? std::span<const std::string>(given->values)
                            : std::span<const std::string>{};
}

}  // namespace clrkit::cli
