// Messages on standard error.
#include "frame/message.h"

#include "frame/sink.h"
#include "frame/text.h"

#include <unistd.h>

namespace clrkit::cli {

std::string complaint(std::string_view sentence, std::string_view hint) {
    const bool on = colors().err;
    std::string out = red("clrkit:", on) + " " + shown(sentence) + "\n";
    if (!hint.empty()) out += cyan("hint:", on) + " " + shown(hint) + "\n";
    return out;
}

std::string complaint(const Error& error, std::string_view subject, std::string_view addition) {
    const char* hint = hint_for(error.code);
    std::string sentence = render(error, subject);
    sentence += addition;
    return complaint(sentence, hint != nullptr ? hint : "");
}

void complain(std::string_view text) {
    Sink err(STDERR_FILENO);
    err.write(text);
    err.flush();
}

int refuse(const UsageError& error, const Verb* verb) {
    std::string hint = error.hint;
    if (hint.empty() && verb != nullptr) hint = "clrkit help " + std::string(verb->name);
    complain(complaint(error.sentence, hint));
    return exit_failed;
}

}  // namespace clrkit::cli
