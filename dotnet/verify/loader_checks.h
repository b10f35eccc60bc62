// What the files of this folder that check loader rules share: the image through the loader's eyes
// and where findings go. Internal.
#pragma once

#include <clrkit/core/error.h>
#include <clrkit/core/limits.h>
#include <clrkit/core/pe/format.h>
#include <clrkit/dotnet/module/state.h>
#include <clrkit/dotnet/verify/loader_rules.h>
#include <clrkit/dotnet/verify/loader_view.h>

#include <cstdint>

namespace clrkit::verify {

class LoaderChecker {
public:
    LoaderChecker(const ModuleState& of, const Limits& budget);

    void error(LoaderRule rule, std::uint64_t offset, const char* text, std::uint32_t token = 0) {
        report(rule, Severity::error, offset, text, token);
    }
    void warn(LoaderRule rule, std::uint64_t offset, const char* text, std::uint32_t token = 0) {
        report(rule, Severity::warning, offset, text, token);
    }
    /// Reports `text` as an error unless `holds`.
    void require(bool holds, LoaderRule rule, std::uint64_t offset, const char* text) {
        if (!holds) error(rule, offset, text);
    }
    /// Likewise as a warning.
    void expect(bool holds, LoaderRule rule, std::uint64_t offset, const char* text) {
        if (!holds) warn(rule, offset, text);
    }
    /// Reports that a range is not inside one section, at the field that names it. True when it is.
    bool require_range(LoaderRule rule, Severity severity, std::uint32_t rva, std::uint64_t size,
                       std::uint64_t offset, std::uint32_t token = 0);
    void report(LoaderRule rule, Severity severity, std::uint64_t offset, const char* text,
                std::uint32_t token);

    /// Offset in the file of a field of the optional header's common middle.
    std::uint64_t middle_offset(std::size_t field) const {
        return image.optional_offset() + 32 + field;
    }
    /// Likewise of the COFF header, the CLR header and a data directory.
    std::uint64_t coff_offset(std::size_t field) const { return image.coff_offset() + field; }
    std::uint64_t clr_offset(std::size_t field) const { return state.container.clr_offset + field; }
    std::uint64_t directory_offset(pe::Directory which) const {
        return image.directory_offset(which).value_or(no_offset);
    }
    bool is_dll() const { return (image.coff().characteristics & pe::characteristics::dll) != 0; }

    const ModuleState& state;
    const pe::Image& image;
    const pe::ClrHeader& clr;
    const Limits& limits;
    LoaderView view;
    /// A ReadyToRun header where the loader finds it. Such images count as IL only.
    bool ready_to_run = false;
    /// ReadyToRun code for another system than Windows, whose loader never sees the image.
    bool foreign = false;
    /// By its flag, or because of ReadyToRun code.
    bool il_only = false;
    /// Without ReadyToRun code: what CoreCLR holds to the stricter rules.
    bool plain_il = false;
    /// The versions of composite images, for which some rules do not hold.
    bool unversioned = false;
    LoaderFindings findings;
};

void check_headers(LoaderChecker& checker);
void check_sections(LoaderChecker& checker);
void check_directories(LoaderChecker& checker);
/// False when the loader would not find the metadata that the module shows.
bool check_clr_header(LoaderChecker& checker);
void check_il_only(LoaderChecker& checker);
void check_metadata(LoaderChecker& checker);
/// Bodies, field data, resources. Error: `limit_reached`.
Status check_addresses(LoaderChecker& checker);

}  // namespace clrkit::verify
