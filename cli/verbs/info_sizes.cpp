// Sizes by kind of content, by table and by section. Kinds are sums over the claims of the coverage:
// where parts overlap, they add up to more than the file.
#include "verbs/info_sizes.h"

#include "frame/text.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace clrkit::cli {
namespace {

struct Size {
    std::string_view name;
    std::uint64_t bytes = 0;
    std::uint64_t parts = 0;
};

/// By kind, largest first.
std::vector<Size> by_kind(const Coverage& coverage) {
    std::array<Size, static_cast<std::size_t>(pe::ClaimKind::count_)> sums{};
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i].name = pe::name_of(static_cast<pe::ClaimKind>(i));
    }
    for (const pe::Claim& claim : coverage.claims) {
        Size& sum = sums[static_cast<std::size_t>(claim.kind)];
        sum.bytes += claim.size;
        ++sum.parts;
    }
    std::vector<Size> sizes;
    for (const Size& sum : sums) {
        if (sum.parts != 0) sizes.push_back(sum);
    }
    std::ranges::stable_sort(sizes, std::ranges::greater{}, &Size::bytes);
    return sizes;
}

/// By table, in their order; the parts are rows.
std::vector<Size> by_table(const Module& module) {
    std::vector<Size> sizes;
    const Tables& tables = module.metadata().tables();
    for (std::size_t slot = 0; slot < table_slots; ++slot) {
        const auto table = static_cast<Table>(slot);
        const TableLayout& layout = tables.layout(table);
        if (layout.rows == 0 || !schema::known(table)) continue;
        sizes.push_back(
            {tables.spec(table).name, std::uint64_t{layout.rows} * layout.row_size, layout.rows});
    }
    return sizes;
}

std::vector<Size> by_section(const Module& module) {
    std::vector<Size> sizes;
    for (const pe::SectionHeader& section : module.image().sections()) {
        sizes.push_back({section.name_view(), section.size_of_raw_data, 1});
    }
    return sizes;
}

void print_block(Sink& out, std::string_view label, std::string_view part,
                 const std::vector<Size>& sizes) {
    if (sizes.empty()) return;
    out.print("  {}\n", bold(label, colors().out));
    for (const Size& size : sizes) {
        out.print("    {:<24}{:>12}", shown(size.name), size.bytes);
        if (!part.empty() && size.parts > 1) out.print("  in {} {}", size.parts, part);
        out.put('\n');
    }
}

void write_block(Json& out, std::string_view label, std::string_view part,
                 const std::vector<Size>& sizes) {
    out.begin_array(label);
    for (const Size& size : sizes) {
        out.begin_object();
        out.name("name", size.name);
        out.member("bytes", size.bytes);
        if (!part.empty()) out.member(part, size.parts);
        out.end_object();
    }
    out.end_array();
}

}  // namespace

void print_sizes(Sink& out, const Module& module, const Coverage& coverage) {
    print_block(out, "bytes by kind", "parts", by_kind(coverage));
    print_block(out, "bytes by table", "rows", by_table(module));
    print_block(out, "bytes by section", {}, by_section(module));
}

void write_sizes(Json& out, const Module& module, const Coverage& coverage) {
    out.begin_object("sizes");
    write_block(out, "kinds", "parts", by_kind(coverage));
    write_block(out, "tables", "rows", by_table(module));
    write_block(out, "sections", {}, by_section(module));
    out.end_object();
}

}  // namespace clrkit::cli
