// The table of verbs: one row a verb, in the order of the help.
#include "frame/verb.h"

namespace clrkit::cli {

extern const Verb info_verb;
extern const Verb dump_verb;
extern const Verb dis_verb;
extern const Verb grep_verb;
extern const Verb rewrite_verb;
extern const Verb set_verb;
extern const Verb completions_verb;

namespace {

constexpr std::array table{
    &info_verb, &dump_verb, &dis_verb, &grep_verb, &rewrite_verb, &set_verb, &completions_verb,
};

}  // namespace

std::span<const Verb* const> all_verbs() { return table; }

const Verb* find_verb(std::string_view name) {
    for (const Verb* verb : table) {
        if (verb->name == name) return verb;
    }
    return nullptr;
}

}  // namespace clrkit::cli
