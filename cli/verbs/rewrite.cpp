// clrkit rewrite: opens and writes, with no edit between: the same bytes, all of them anew, or a
// rebuilt image.
#include "frame/references.h"
#include "frame/writing.h"
#include "verbs/rebuild.h"
#include "verbs/second_reader.h"

namespace clrkit::cli {
namespace {

constexpr std::array options{
    Option{"rebuild",
           0,
           OptionKind::flag,
           {},
           "a fresh, compact image: new heaps, new layout, nothing unreferenced"},
    Option{"strip-r2r",
           0,
           OptionKind::flag,
           {},
           "with --rebuild, drop ReadyToRun code and what only it refers to"},
    Option{"trust-layout",
           0,
           OptionKind::flag,
           {},
           "with --rebuild, drop bytes of an IL-only image that belong to nothing known"},
    Option{"reassemble",
           0,
           OptionKind::flag,
           {},
           "as --rebuild, and also decode and encode method bodies, attribute arguments, "
           "marshalling, permission sets"},
    Option{"optimize",
           0,
           OptionKind::flag,
           {},
           "with --reassemble, the short forms of instructions, method headers, exception clauses"},
    Option{"expand", 0, OptionKind::flag, {}, "with --reassemble, the long forms"},
    ref_option,
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
    if (arguments.has("rebuild") || arguments.has("reassemble")) return run_rebuilds(arguments);
    for (const auto& [option, whose] :
         {std::pair{"strip-r2r", "--rebuild"}, std::pair{"trust-layout", "--rebuild"},
          std::pair{"ref", "--reassemble"}, std::pair{"optimize", "--reassemble"},
          std::pair{"expand", "--reassemble"}}) {
        if (!arguments.has(option)) continue;
        return refuse({"--" + std::string(option) + " is for " + whose, {}}, &arguments.verb());
    }
    SaveOptions save;
    if (arguments.has("emit")) save.emit = Emit::all;
    const auto no_edit = [](Job&, Module&, std::vector<Deed>&) { return true; };
    const CheckAction check =
        arguments.has("check") ? second_reader_agrees_with_save : CheckAction{};
    return run_edits(arguments, no_edit, save, check);
}

}  // namespace

extern constinit const Verb rewrite_verb;
constinit const Verb rewrite_verb{
    "rewrite",
    "open and write: byte for byte, every part anew, or rebuilt",
    "INPUT...",
    {{{"clrkit rewrite App.dll -o copy.dll", "the same bytes, once they parsed"},
      {"clrkit rewrite --rebuild App.dll -o small.dll", "a fresh, compact image"},
      {"clrkit rewrite --rebuild --strip-r2r -r bin -O out -j 4",
       "a folder, without native code"}}},
    options,
    takes_inputs | takes_outputs | takes_json,
    run,
    {},
};

}  // namespace clrkit::cli
