// The command clrkit: finds the verb, parses its options, runs it.
#include "frame/arguments.h"
#include "frame/help.h"
#include "frame/message.h"
#include "frame/nearest.h"
#include "frame/text.h"

#include <clrkit/core/version.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <span>
#include <string_view>

namespace clrkit::cli {
namespace {

/// A standard descriptor that is closed would be given to the next file opened, and what is printed
/// would end up in that file.
void open_standard_descriptors() {
    for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) == -1) (void)open("/dev/null", O_RDWR);
    }
}

void choose_colors(std::string_view when) {
    if (when == "never") return;
    if (when == "always") {
        set_colors({true, true});
        return;
    }
    const char* no_color = std::getenv("NO_COLOR");
    if (no_color != nullptr && *no_color != '\0') return;
    const char* terminal = std::getenv("TERM");
    if (terminal != nullptr && std::string_view(terminal) == "dumb") return;
    set_colors({isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1});
}

int print(void (*text)(Sink&)) {
    Sink out(STDOUT_FILENO);
    text(out);
    out.flush();
    return out.problem() == 0 ? exit_done : exit_failed;
}

int unknown_verb(std::string_view word) {
    Nearest nearest(word);
    for (const Verb* verb : all_verbs()) nearest.offer(verb->name);
    UsageError error{"no verb '" + std::string(word) + "'", "clrkit --help lists the verbs"};
    if (!nearest.best().empty()) {
        error.hint = "did you mean " + nearest.best() + "?";
    } else if (access(std::string(word).c_str(), F_OK) == 0) {
        error.hint = "clrkit info " + std::string(word);
    }
    return refuse(error);
}

int help_on(const Verb& verb) {
    Sink out(STDOUT_FILENO);
    print_help(verb, out);
    out.flush();
    return out.problem() == 0 ? exit_done : exit_failed;
}

int run(std::span<const char* const> words) {
    choose_colors("auto");
    if (words.empty()) {
        Sink err(STDERR_FILENO);
        print_overview(err);
        err.flush();
        return exit_failed;
    }
    const std::string_view first = words[0];
    if (first == "--help" || first == "-h") return print(print_overview);
    if (first == "--version" || first == "-V") {
        return print([](Sink& out) { out.print("clrkit {}\n", version()); });
    }
    if (first == "help") {
        if (words.size() == 1) return print(print_overview);
        const Verb* verb = find_verb(words[1]);
        return verb != nullptr ? help_on(*verb) : unknown_verb(words[1]);
    }
    if (first.starts_with('-')) {
        return refuse({"options stand behind the verb: clrkit VERB " + std::string(first),
                       "clrkit --help lists the verbs"});
    }
    const Verb* verb = find_verb(first);
    if (verb == nullptr) return unknown_verb(first);
    const auto arguments = parse(*verb, words.subspan(1));
    if (!arguments) return refuse(arguments.error(), verb);
    if (arguments->has("help")) return help_on(*verb);
    if (arguments->has("color")) choose_colors(arguments->text("color"));
    return verb->run(*arguments);
}

}  // namespace
}  // namespace clrkit::cli

int main(int count, char** words) {
    using namespace clrkit::cli;
    // A reader that goes away must not end the process in the middle of writing a file.
    std::signal(SIGPIPE, SIG_IGN);
    open_standard_descriptors();
    try {
        const auto all = std::span<const char* const>(words, static_cast<std::size_t>(count));
        return run(count > 0 ? all.subspan(1) : all);
    } catch (const std::exception& error) {
        // Out of memory, in practice: the library returns its errors.
        complain(complaint(error.what()));
        return exit_failed;
    }
}
