// Help texts.
#include "frame/help.h"

#include <algorithm>
#include <string>
#include <vector>

namespace clrkit::cli {
namespace {

constexpr std::size_t width = 96;

/// Words of `text`, wrapped and indented behind the first line.
void print_wrapped(std::string_view text, std::size_t indent, Sink& out) {
    std::size_t column = indent;
    bool first = true;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        if (!first && column + 1 + word.size() > width) {
            out.print("\n{:{}}", "", indent);
            column = indent;
        } else if (!first) {
            out.put(' ');
            ++column;
        }
        out.write(word);
        column += word.size();
        first = false;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    out.put('\n');
}

void print_examples(const Verb& verb, Sink& out) {
    std::size_t longest = 0;
    for (const Example& example : verb.examples)
        longest = std::max(longest, example.command.size());
    for (const Example& example : verb.examples) {
        out.print("  {:<{}}  # {}\n", example.command, longest, example.says);
    }
}

constexpr std::size_t help_column = 29;

void print_option(const Option& option, Sink& out) {
    const std::string signature = signature_of(option);
    out.print("  {}", signature);
    if (signature.size() + 4 > help_column) {
        out.print("\n{:{}}", "", help_column);
    } else {
        out.print("{:{}}", "", help_column - 2 - signature.size());
    }
    print_wrapped(option.help, help_column, out);
}

}  // namespace

std::string signature_of(const Option& option) {
    std::string text = option.letter != 0 ? std::string{'-', option.letter, ',', ' '} : "    ";
    text += "--" + std::string(option.name);
    if (option.kind == OptionKind::flag) return text;
    const std::string_view value = option.choices.empty() ? option.metavar : option.choices;
    if (option.kind == OptionKind::optional_text) return text + "[=" + std::string(value) + "]";
    return text + " " + std::string(value);
}

void print_help(const Verb& verb, Sink& out) {
    print_examples(verb, out);
    out.print("\nclrkit {} [OPTIONS] {}\n", verb.name, verb.operands);
    print_wrapped(verb.summary, 0, out);
    const OptionRange options(verb);
    std::vector<std::string_view> groups;
    options.each([&](const Option& option) {
        if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
    });
    for (const std::string_view group : groups) {
        out.print("\n{}:\n", group.empty() ? "Options" : group);
        options.each([&](const Option& option) {
            if (option.group == group) print_option(option, out);
        });
    }
    if ((verb.takes & takes_inputs) != 0) {
        out.write(
            "\nAn INPUT is a file, a folder with -r, or a pattern in quotes: 'bin/**/*.dll'.\n"
            "@FILE stands for the words in FILE; behind -- nothing is an option.\n");
    }
    out.write("Exit code: 0 done, 1 the answer is no, 2 failed.\n");
}

void print_overview(Sink& out) {
    out.write(
        "  clrkit info App.dll                          # what it is\n"
        "  clrkit set --version 2.0.0.0 App.dll -o out/App.dll\n"
        "                                               # change one thing, keep every other byte\n"
        "  clrkit info -r --jsonl bin | jq .name        # a whole folder, for programs\n"
        "\nclrkit VERB [OPTIONS] INPUT...\n"
        "Reads, edits and rewrites .NET assemblies, without a .NET runtime.\n\nVerbs:\n");
    for (const Verb* verb : all_verbs()) {
        out.print("  {:<13}", verb->name);
        print_wrapped(verb->summary, 15, out);
    }
    out.write("\nclrkit help VERB tells more; clrkit --version says which clrkit this is.\n");
}

}  // namespace clrkit::cli
