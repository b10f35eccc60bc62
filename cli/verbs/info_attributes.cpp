// Found as the runtime finds them: by the parent, in a table that is sorted by it.
#include "verbs/info_attributes.h"

#include "frame/text.h"
#include "verbs/blob_texts.h"

#include <array>

namespace clrkit::cli {
namespace {

struct Owner {
    Token token;
    const char* name;
};
constexpr std::array owners{Owner{{Table::Assembly, 1}, "assembly"},
                            Owner{{Table::Module, 1}, "module"}};

/// Calls `visit(owner, rid)` for each of the attributes, as far as the limit goes.
template <class Visit>
void each_attribute(Job& job, const Module& module, Visit visit) {
    const std::uint64_t limit = listing_limit(job.arguments());
    std::uint64_t seen = 0;
    for (const Owner& owner : owners) {
        if (!module.metadata().tables().has(owner.token)) continue;
        const RowRange rows = module.metadata().find(
            Table::CustomAttribute, encode(CodedIndex::HasCustomAttribute, owner.token));
        for (std::uint32_t rid = rows.first; rid < rows.end; ++rid) {
            if (seen++ < limit) visit(owner, rid);
        }
    }
    if (seen > limit) job.note_left_out(seen - limit, "attributes");
}

}  // namespace

std::vector<std::string> attribute_lines(Job& job, const Module& module,
                                         const EnumResolver& enums) {
    BlobTexts texts(module.metadata(), enums, BlobTexts::Wanted::few);
    std::vector<std::string> lines;
    each_attribute(job, module, [&](const Owner& owner, std::uint32_t rid) {
        const bool of_module = owner.token.table() == Table::Module;
        lines.push_back((of_module ? "[module] " : "") + shown(texts.attribute(rid)));
    });
    return lines;
}

void write_attributes(Job& job, const Module& module, const EnumResolver& enums) {
    BlobTexts texts(module.metadata(), enums, BlobTexts::Wanted::few);
    Json& out = job.json();
    out.begin_array("attributes");
    each_attribute(job, module, [&](const Owner& owner, std::uint32_t rid) {
        out.begin_object();
        out.text("of", owner.name);
        texts.write_attribute(out, rid);
        out.end_object();
    });
    out.end_array();
}

}  // namespace clrkit::cli
