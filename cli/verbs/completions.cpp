// clrkit completions: scripts that complete verbs and options, made from the tables of the verbs.
#include "frame/arguments.h"
#include "frame/help.h"
#include "frame/message.h"
#include "frame/sink.h"

#include <unistd.h>

#include <algorithm>
#include <string>

namespace clrkit::cli {
namespace {

/// "auto|always|never" with another character between.
std::string choices_with(std::string_view choices, char between) {
    std::string out(choices);
    std::ranges::replace(out, '|', between);
    return out;
}

/// Both spellings of an option, "-o --output".
std::string spellings(const Option& option) {
    std::string out = "--" + std::string(option.name);
    if (option.letter != 0) out = std::string{'-', option.letter, ' '} + out;
    return out;
}

bool takes_word(const Option& option) {
    return option.kind != OptionKind::flag && option.kind != OptionKind::optional_text;
}

// Help texts hold no character that is special inside the quotes used below, except these.
std::string quoted(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
        } else {
            out += c;
        }
    }
    return out;
}

// -------------------------------------------------------------------------------------------- bash

/// The values that may follow an option, as a case of the script.
void print_bash_values(const Verb& verb, Sink& out) {
    OptionRange(verb).each([&](const Option& option) {
        if (!takes_word(option)) return;
        std::string pattern = spellings(option);
        std::ranges::replace(pattern, ' ', '|');
        out.print("        {}:{}) ", verb.name,
                  option.letter == 0 ? pattern
                                     : pattern.substr(0, 2) + "|" + std::string(verb.name) + ":" +
                                           pattern.substr(3));
        if (!option.choices.empty()) {
            out.print("COMPREPLY=($(compgen -W '{}' -- \"$current\"))",
                      choices_with(option.choices, ' '));
        } else if (option.completes == Completes::file) {
            out.write("COMPREPLY=($(compgen -f -- \"$current\"))");
        } else if (option.completes == Completes::folder) {
            out.write("COMPREPLY=($(compgen -d -- \"$current\"))");
        } else {
            out.write("COMPREPLY=()");
        }
        out.write("; return ;;\n");
    });
}

void print_bash(Sink& out) {
    out.write(
        "# bash completion of clrkit; source it, or put it into\n"
        "# ~/.local/share/bash-completion/completions/clrkit\n"
        "_clrkit() {\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    local verb=${COMP_WORDS[1]} verbs='help");
    for (const Verb* verb : all_verbs()) out.print(" {}", verb->name);
    out.write(
        "' options='' operands=''\n"
        "    compopt -o filenames 2>/dev/null\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ] || { [ \"$verb\" = help ] && [ \"$COMP_CWORD\" -eq 2 ]; "
        "}; then\n"
        "        COMPREPLY=($(compgen -W \"$verbs --help --version\" -- \"$current\"))\n"
        "        return\n"
        "    fi\n"
        "    case $verb:$previous in\n");
    for (const Verb* verb : all_verbs()) print_bash_values(*verb, out);
    out.write("    esac\n    case $verb in\n");
    for (const Verb* verb : all_verbs()) {
        out.print("        {}) options='", verb->name);
        bool first = true;
        OptionRange(*verb).each([&](const Option& option) {
            out.print("{}{}", first ? "" : " ", spellings(option));
            first = false;
        });
        out.print("' operands='{}' ;;\n", choices_with(verb->operand_choices, ' '));
    }
    out.write(
        "    esac\n"
        "    case $current in\n"
        "        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
        "        *) if [ -n \"$operands\" ]; then\n"
        "               COMPREPLY=($(compgen -W \"$operands\" -- \"$current\"))\n"
        "           else\n"
        "               COMPREPLY=($(compgen -f -- \"$current\"))\n"
        "           fi ;;\n"
        "    esac\n"
        "}\n"
        "complete -F _clrkit clrkit\n");
}

// --------------------------------------------------------------------------------------------- zsh

/// In an _arguments specification a colon and a bracket end a part.
std::string zsh_text(std::string_view text) {
    std::string out;
    for (const char c : quoted(text)) {
        if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

/// The text with its quotes doubled by `quoted` kept whole: '\'' must not be escaped once more.
std::string zsh_help(std::string_view text) {
    std::string plain(text);
    std::erase(plain, '\'');
    return zsh_text(plain);
}

std::string zsh_value(const Option& option) {
    if (!takes_word(option)) return {};
    std::string out = ":" + zsh_text(option.metavar.empty() ? "VALUE" : option.metavar) + ":";
    if (!option.choices.empty()) return out + "(" + choices_with(option.choices, ' ') + ")";
    if (option.completes == Completes::file) return out + "_files";
    if (option.completes == Completes::folder) return out + "_files -/";
    return out;
}

void print_zsh_option(const Option& option, Sink& out) {
    const std::string many = option.kind == OptionKind::list ? "*" : "";
    const std::string spec = "[" + zsh_help(option.help) + "]" + zsh_value(option);
    out.print("                '{}--{}{}' \\\n", many, option.name, spec);
    if (option.letter != 0) out.print("                '{}-{}{}' \\\n", many, option.letter, spec);
}

void print_zsh(Sink& out) {
    out.write(
        "#compdef clrkit\n"
        "# zsh completion of clrkit; put it into a folder of $fpath as _clrkit\n"
        "_clrkit() {\n"
        "    local -a verbs=(\n"
        "        'help:tell more of a verb'\n");
    for (const Verb* verb : all_verbs()) {
        out.print("        '{}:{}'\n", verb->name, zsh_help(verb->summary));
    }
    out.write(
        "    )\n"
        "    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
        "        _describe verb verbs\n"
        "        return\n"
        "    fi\n"
        "    local verb=$words[2]\n"
        "    shift words\n"
        "    (( CURRENT-- ))\n"
        "    case $verb in\n");
    for (const Verb* verb : all_verbs()) {
        out.print("        {})\n            _arguments -s \\\n", verb->name);
        OptionRange(*verb).each([&](const Option& option) { print_zsh_option(option, out); });
        if (verb->operand_choices.empty()) {
            out.write("                '*:file:_files' ;;\n");
        } else {
            out.print("                '1:operand:({})' ;;\n",
                      choices_with(verb->operand_choices, ' '));
        }
    }
    out.write(
        "    esac\n"
        "}\n"
        "_clrkit \"$@\"\n");
}

// -------------------------------------------------------------------------------------------- fish

void print_fish_option(const Verb& verb, const Option& option, Sink& out) {
    out.print("complete -c clrkit -n '__fish_seen_subcommand_from {}' -l {}", verb.name,
              option.name);
    if (option.letter != 0) out.print(" -s {}", option.letter);
    if (takes_word(option)) {
        out.write(option.completes == Completes::file ? " -r -F" : " -x");
        if (!option.choices.empty()) out.print(" -a '{}'", choices_with(option.choices, ' '));
        if (option.completes == Completes::folder) out.write(" -a '(__fish_complete_directories)'");
    }
    std::string help(option.help);
    std::erase(help, '\'');
    out.print(" -d '{}'\n", help);
}

void print_fish(Sink& out) {
    out.write(
        "# fish completion of clrkit; put it into ~/.config/fish/completions/clrkit.fish\n"
        "complete -c clrkit -n __fish_use_subcommand -f -l help -d 'show the verbs'\n"
        "complete -c clrkit -n __fish_use_subcommand -f -l version -d 'which clrkit this is'\n"
        "complete -c clrkit -n __fish_use_subcommand -f -a help -d 'tell more of a verb'\n");
    for (const Verb* verb : all_verbs()) {
        out.print("complete -c clrkit -n __fish_use_subcommand -f -a {} -d '{}'\n", verb->name,
                  verb->summary);
        OptionRange(*verb).each(
            [&](const Option& option) { print_fish_option(*verb, option, out); });
        if (!verb->operand_choices.empty()) {
            out.print("complete -c clrkit -n '__fish_seen_subcommand_from {}' -f -a '{}'\n",
                      verb->name, choices_with(verb->operand_choices, ' '));
        }
    }
}

int run(const Arguments& arguments) {
    const auto& operands = arguments.operands();
    Sink out(STDOUT_FILENO);
    if (operands.size() == 1 && operands[0] == "bash") {
        print_bash(out);
    } else if (operands.size() == 1 && operands[0] == "zsh") {
        print_zsh(out);
    } else if (operands.size() == 1 && operands[0] == "fish") {
        print_fish(out);
    } else {
        return refuse({"which shell: bash, zsh or fish?", {}}, &arguments.verb());
    }
    out.flush();
    return out.problem() == 0 ? exit_done : exit_failed;
}

}  // namespace

extern constinit const Verb completions_verb;
constinit const Verb completions_verb{
    "completions",
    "a script that completes verbs and options in a shell",
    "bash|zsh|fish",
    {{{"source <(clrkit completions bash)", "in this bash"},
      {"clrkit completions zsh > ~/.zfunc/_clrkit", "a folder of $fpath"},
      {"clrkit completions fish > ~/.config/fish/completions/clrkit.fish", "from then on"}}},
    {},
    0,
    run,
    "bash|zsh|fish",
};

}  // namespace clrkit::cli
