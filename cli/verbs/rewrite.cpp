// clrkit rewrite: opens and writes, with no edit between: the same bytes, or all of them anew.
#include "frame/writing.h"
#include "verbs/second_reader.h"

namespace clrkit::cli {
namespace {

constexpr std::array options{
    Option{"emit",
           0,
           OptionKind::flag,
           {},
           "write every part from its parsed form instead of copying it"},
    Option{"check",
           0,
           OptionKind::flag,
           {},
           "before writing, have LIEF read the result; where it disagrees nothing is written"},
};

int run(const Arguments& arguments) {
    SaveOptions save;
    if (arguments.has("emit")) save.emit = Emit::all;
    const auto no_edit = [](Job&, Module&, std::vector<Deed>&) { return true; };
    const CheckAction check = arguments.has("check") ? second_reader_agrees : CheckAction{};
    return run_edits(arguments, no_edit, save, check);
}

}  // namespace

extern constinit const Verb rewrite_verb;
constinit const Verb rewrite_verb{
    "rewrite",
    "open and write: byte for byte, or every part anew",
    "INPUT...",
    {{{"clrkit rewrite App.dll -o copy.dll", "the same bytes, once they parsed"},
      {"clrkit rewrite --emit App.dll -o App2.dll", "headers, tables and heaps written anew"},
      {"clrkit rewrite -r bin -O out -j 4", "a whole folder, four files at a time"}}},
    options,
    takes_inputs | takes_outputs | takes_json,
    run,
    {},
};

}  // namespace clrkit::cli
