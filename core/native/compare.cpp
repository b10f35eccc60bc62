// What is compared is what both read by the same rules. Names of sections that stand in a string
// table, and DLLs whose names LIEF takes for noise, are left out.
#include <clrkit/core/native/compare.h>

#include <clrkit/core/pe/imports.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace clrkit::native {
namespace {

/// Beyond that the readers speak of different files.
constexpr std::size_t most_differences = 32;

class Comparison {
public:
    template <class Number>
    void same(std::string_view what, Number ours, Number theirs) {
        if (ours != theirs) add(fmt::format("{} 0x{:X} here, 0x{:X} there", what, ours, theirs));
    }
    void same_count(std::string_view what, std::uint64_t ours, std::uint64_t theirs) {
        if (ours != theirs) add(fmt::format("{} {} here, {} there", ours, what, theirs));
    }
    void same_text(std::string_view what, std::string_view ours, std::string_view theirs) {
        if (ours != theirs) add(fmt::format("{} '{}' here, '{}' there", what, ours, theirs));
    }
    std::vector<std::string> take() {
        if (left_out_ != 0) differences_.push_back(fmt::format("and {} more", left_out_));
        return std::move(differences_);
    }

private:
    void add(std::string difference) {
        if (differences_.size() < most_differences) {
            differences_.push_back(std::move(difference));
        } else {
            ++left_out_;
        }
    }

    std::vector<std::string> differences_;
    std::size_t left_out_ = 0;
};

void compare_sections(const pe::Image& ours, const Facts& theirs, Comparison& out) {
    const auto sections = ours.sections();
    out.same_count("sections", sections.size(), theirs.sections.count);
    const std::size_t common = std::min(sections.size(), theirs.sections.items.size());
    for (std::size_t i = 0; i < common; ++i) {
        const pe::SectionHeader& mine = sections[i];
        const Section& other = theirs.sections.items[i];
        const auto of = [&](std::string_view what) {
            return fmt::format("{} of section {}", what, i + 1);
        };
        const std::string_view name = mine.name_view();
        if (!name.starts_with('/')) out.same_text(of("name"), name, other.name);
        out.same<std::uint64_t>(of("RVA"), mine.virtual_address, other.rva);
        out.same<std::uint64_t>(of("virtual size"), mine.virtual_size, other.virtual_size);
        out.same<std::uint64_t>(of("raw size"), mine.size_of_raw_data, other.size);
        out.same<std::uint64_t>(of("raw offset"), mine.pointer_to_raw_data, other.offset);
    }
}

/// LIEF passes over DLLs with names shorter than that, or that are not printable ASCII.
bool is_name_for_lief(ByteSpan name) {
    return name.size() >= 4 &&
           std::ranges::all_of(name, [](std::uint8_t byte) { return byte >= 0x20 && byte < 0x7F; });
}

void compare_imports(const pe::Image& ours, const Facts& theirs, Comparison& out) {
    const pe::Imports imports = pe::Imports::read(ours);
    if (!imports.complete) return;  // where to stop is then anybody's guess
    const auto named = std::ranges::count_if(
        imports.dlls, [](const pe::ImportedDll& dll) { return is_name_for_lief(dll.name); });
    out.same_count("imported DLLs", static_cast<std::uint64_t>(named), theirs.imports.count);
}

}  // namespace

std::vector<std::string> disagreements(const pe::Image& ours, const Facts& theirs) {
    Comparison out;
    out.same<std::uint32_t>("machine", ours.coff().machine, theirs.machine);
    out.same_text("format", ours.is_pe32_plus() ? "PE32+" : "PE32",
                  theirs.pe32_plus ? "PE32+" : "PE32");
    out.same<std::uint32_t>("entry point", ours.optional_start().address_of_entry_point,
                            theirs.entry_point);
    compare_sections(ours, theirs, out);
    compare_imports(ours, theirs, out);
    const pe::DataDirectory certificates = ours.directory(pe::Directory::certificate);
    const bool certificate = certificates.rva != 0 && certificates.size != 0;
    out.same_text("certificate", certificate ? "present" : "absent",
                  theirs.certificate ? "present" : "absent");
    return out.take();
}

}  // namespace clrkit::native
