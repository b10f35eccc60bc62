// PE03: data directories.
#include <clrkit/core/pe/debug_directory.h>
#include <clrkit/dotnet/verify/loader_checks.h>

#include <array>
#include <cstddef>

namespace clrkit::verify {
namespace {

using pe::DataDirectory;
using pe::Directory;

constexpr std::uint32_t section_shared = 0x10000000;
constexpr std::uint64_t certificate_unit = 8;

/// What an image of IL only may have.
bool is_managed(Directory which) {
    switch (which) {
        case Directory::import_table:
        case Directory::resource:
        case Directory::certificate:
        case Directory::base_relocation:
        case Directory::debug:
        case Directory::import_address_table:
        case Directory::clr_header: return true;
        default: return false;
    }
}

/// Directories whose address is none in memory, or leads into the headers.
bool is_outside_sections(Directory which) {
    return which == Directory::certificate || which == Directory::bound_import;
}

void check_directory(LoaderChecker& checker, Directory which) {
    const DataDirectory directory = checker.image.directory(which);
    const std::uint64_t at = checker.directory_offset(which);
    if (directory.rva == 0) return;
    if (checker.plain_il) {
        checker.require(is_managed(which), LoaderRule::managed_directories, at,
                        "an image of IL only has a directory of native code or data");
    }
    // The CLR header has a rule of its own.
    if (is_outside_sections(which) || which == Directory::clr_header) return;
    const Severity severity = checker.plain_il ? Severity::error : Severity::warning;
    if (!checker.require_range(LoaderRule::directory_range, severity, directory.rva, directory.size,
                               at)) {
        return;
    }
    if (checker.plain_il) {
        const pe::SectionHeader* section = checker.view.section_of(directory.rva);
        checker.require((section->characteristics & section_shared) == 0,
                        LoaderRule::directory_range, at, "it lies in a shared section");
    }
}

void check_debug(LoaderChecker& checker) {
    const DataDirectory directory = checker.image.directory(Directory::debug);
    if (directory.rva == 0) return;
    checker.expect(directory.size % sizeof(pe::DebugDirectoryEntry) == 0, LoaderRule::debug_data,
                   checker.directory_offset(Directory::debug),
                   "the size of the debug directory is no whole number of entries");
    const ByteSpan bytes = checker.view.from(directory.rva);
    const ByteSpan file = checker.image.bytes();
    for (std::uint64_t at = 0; at < directory.size; at += sizeof(pe::DebugDirectoryEntry)) {
        const auto* entry = view_at<pe::DebugDirectoryEntry>(bytes, at);
        if (entry == nullptr) return;
        const std::uint32_t size = entry->size_of_data;
        if (size == 0) continue;
        const std::uint64_t offset = checker.view.offset_of(bytes) + at;
        checker.expect(fits(file.size(), entry->pointer_to_raw_data, size), LoaderRule::debug_data,
                       offset, "debug data lies outside the file");
        if (entry->address_of_raw_data == 0) continue;
        const ByteSpan data = checker.view.from(entry->address_of_raw_data);
        checker.expect(
            data.size() >= size && checker.view.offset_of(data) == entry->pointer_to_raw_data,
            LoaderRule::debug_data, offset,
            "the address of debug data leads elsewhere than its offset");
    }
}

void check_certificate(LoaderChecker& checker) {
    const DataDirectory directory = checker.image.directory(Directory::certificate);
    if (directory.rva == 0 || directory.size == 0) return;
    const std::uint64_t at = checker.directory_offset(Directory::certificate);
    const std::uint64_t size = checker.image.bytes().size();
    checker.expect(directory.rva % certificate_unit == 0, LoaderRule::certificate_place, at,
                   "the certificate table is not aligned");
    checker.expect(std::uint64_t{directory.rva} + directory.size == size,
                   LoaderRule::certificate_place, at,
                   "the certificate table does not end where the file ends");
}

void check_address_table(LoaderChecker& checker) {
    const DataDirectory imports = checker.image.directory(Directory::import_table);
    const DataDirectory directory = checker.image.directory(Directory::import_address_table);
    if (imports.rva == 0 || directory.rva == 0) return;
    const auto* descriptor = view_at<pe::ImportDescriptor>(checker.view.from(imports.rva), 0);
    if (descriptor == nullptr || descriptor->import_address_table == 0) return;
    const std::uint32_t table = descriptor->import_address_table;
    checker.expect(table >= directory.rva && table - directory.rva < directory.size,
                   LoaderRule::address_table_directory,
                   checker.directory_offset(Directory::import_address_table),
                   "the import address table lies outside its directory");
}

}  // namespace

void check_directories(LoaderChecker& checker) {
    for (std::uint32_t i = 0; i < checker.image.directory_entries(); ++i) {
        check_directory(checker, static_cast<Directory>(i));
    }
    check_debug(checker);
    check_certificate(checker);
    check_address_table(checker);
}

}  // namespace clrkit::verify
