// The options that verbs share, each group one table.
#include "frame/verb.h"

namespace clrkit::cli {
namespace {

using enum OptionKind;

constexpr std::array input_options{
    Option{"recursive", 'r', flag, {}, "search folders for .NET files", "Input"},
    Option{"files-from",
           0,
           text,
           "FILE",
           "also read paths from FILE, one a line or NUL-separated; - is standard input",
           "Input",
           {},
           Completes::file},
    Option{"jobs", 'j', number, "N",
           "work on N files at once, 0: one a processor; output keeps the order of input", "Input"},
    Option{"keep-going", 'k', flag, {}, "after a failure go on with the next file", "Input"},
};

constexpr std::array output_options{
    Option{"output", 'o', text, "FILE", "write to FILE", "Output", {}, Completes::file},
    Option{"output-dir",
           'O',
           text,
           "DIR",
           "write each file into DIR under its own name, with -r under its folders too",
           "Output",
           {},
           Completes::folder},
    Option{"in-place", 'i', optional_text, "SUFFIX",
           "replace the input; with =SUFFIX keep the old file under that ending", "Output"},
    Option{"force", 'f', flag, {}, "replace an output that exists", "Output"},
    Option{"drop-signature",
           0,
           flag,
           {},
           "where a strong name goes stale: remove it, leaving the file delay-signed",
           "Output"},
    Option{"public-sign",
           0,
           flag,
           {},
           "where a strong name goes stale: remove it, leaving the file public-signed",
           "Output"},
    Option{"quiet", 'q', flag, {}, "do not report what was written", "Output"},
};

constexpr std::array listing_options{
    Option{"limit", 0, number, "N", "list at most N entries (10000); 0 lists all", "Printing"},
};

constexpr std::array json_options{
    Option{"json", 0, flag, {}, "print one JSON document", "Printing"},
    Option{"jsonl", 0, flag, {}, "print one JSON object a line for each file", "Printing"},
};

constexpr std::array general_options{
    Option{"color", 0, choice, "WHEN", "colour the text", "Printing", "auto|always|never"},
    Option{"help", 'h', flag, {}, "show this help", "Printing"},
};

}  // namespace

OptionRange::OptionRange(const Verb& verb) {
    parts_[0] = verb.options;
    if ((verb.takes & takes_inputs) != 0) parts_[1] = input_options;
    if ((verb.takes & takes_outputs) != 0) parts_[2] = output_options;
    if ((verb.takes & takes_listing) != 0) parts_[3] = listing_options;
    if ((verb.takes & takes_json) != 0) parts_[4] = json_options;
    parts_[5] = general_options;
}

const Option* OptionRange::find(std::string_view name) const {
    for (const auto& part : parts_) {
        for (const Option& option : part) {
            if (option.name == name) return &option;
        }
    }
    return nullptr;
}

}  // namespace clrkit::cli
