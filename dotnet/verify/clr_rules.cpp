// PE04: the CLR header and what it points at.
#include <clrkit/dotnet/verify/loader_checks.h>

#include <cstddef>

namespace clrkit::verify {
namespace {

using pe::ClrHeader;
using pe::DataDirectory;

namespace flags = pe::clr_flags;

constexpr std::uint32_t known_flags = flags::il_only | flags::required_32bit | flags::il_library |
                                      flags::strong_name_signed | flags::native_entry_point |
                                      flags::track_debug_data | flags::preferred_32bit;

bool section_has(const LoaderChecker& checker, std::uint32_t rva, std::uint32_t right) {
    const pe::SectionHeader* section = checker.view.section_of(rva);
    return section != nullptr && (section->characteristics & right) != 0;
}

/// One of the CLR header's directories, which may be absent.
void check_place(LoaderChecker& checker, LoaderRule rule, const DataDirectory& directory,
                 std::size_t field, bool writable) {
    const std::uint64_t at = checker.clr_offset(field);
    if (directory.rva == 0) {
        checker.require(directory.size == 0, rule, at, "it has a size and no address");
        return;
    }
    if (!checker.require_range(rule, Severity::error, directory.rva, directory.size, at)) return;
    checker.require(writable || !section_has(checker, directory.rva, pe::section_flags::write),
                    rule, at, "it lies in a writable section");
}

/// False when the loader finds no header, or another one than the module.
bool check_header_place(LoaderChecker& checker) {
    const DataDirectory directory = checker.image.directory(pe::Directory::clr_header);
    const std::uint64_t at = checker.directory_offset(pe::Directory::clr_header);
    checker.require(directory.size >= sizeof(ClrHeader), LoaderRule::clr_header_size, at,
                    "the directory is smaller than a CLR header");
    checker.require(checker.clr.size >= sizeof(ClrHeader), LoaderRule::clr_header_size,
                    checker.clr_offset(0), "the CLR header says that it is smaller than it is");
    bool found = checker.require_range(LoaderRule::clr_header_place, Severity::error, directory.rva,
                                       directory.size, at);
    if (checker.view.check(directory.rva, sizeof(ClrHeader)) != RangeFault::none) {
        if (found) {
            checker.error(LoaderRule::clr_header_place, at, "its section ends inside it");
        }
        return false;
    }
    checker.require(!section_has(checker, directory.rva, pe::section_flags::write),
                    LoaderRule::clr_header_place, at, "it lies in a writable section");
    checker.require(section_has(checker, directory.rva, pe::section_flags::read),
                    LoaderRule::clr_header_place, at, "it lies in a section that is not readable");
    found = checker.view.offset_of(checker.view.from(directory.rva)) ==
            checker.state.container.clr_offset;
    checker.require(found, LoaderRule::file_layout, at,
                    "the section table leads to another CLR header");
    return found;
}

/// Likewise for the metadata.
bool check_metadata_place(LoaderChecker& checker) {
    const DataDirectory directory = checker.clr.metadata;
    const std::uint64_t at = checker.clr_offset(offsetof(ClrHeader, metadata));
    if (directory.rva == 0) {
        checker.error(LoaderRule::metadata_place, at, "there is no metadata");
        return false;
    }
    const bool whole = checker.require_range(LoaderRule::metadata_place, Severity::error,
                                             directory.rva, directory.size, at);
    if (!checker.unversioned) {
        checker.require(!section_has(checker, directory.rva, pe::section_flags::write),
                        LoaderRule::metadata_place, at, "it lies in a writable section");
    }
    const ByteSpan bytes = checker.view.from(directory.rva);
    if (bytes.empty()) return false;
    const bool found = checker.view.offset_of(bytes) == checker.state.container.metadata_offset;
    checker.require(found, LoaderRule::file_layout, at, "the section table leads to other bytes");
    return found && whole;
}

void check_flags(LoaderChecker& checker) {
    const std::uint32_t stored = checker.clr.flags;
    const std::uint64_t at = checker.clr_offset(offsetof(ClrHeader, flags));
    checker.require((stored & ~known_flags) == 0, LoaderRule::clr_flags, at,
                    "the CLR header has flags that are not defined");
    const bool wants_32 = (stored & flags::required_32bit) != 0;
    checker.expect(!(wants_32 && checker.image.is_pe32_plus()), LoaderRule::bitness, at,
                   "a PE32+ image requires 32 bits");
    checker.expect(wants_32 || (stored & flags::preferred_32bit) == 0, LoaderRule::bitness, at,
                   "32 bits are preferred without the flag that goes with it");
    const std::uint16_t coff = checker.image.coff().characteristics;
    checker.expect(
        !checker.image.is_pe32_plus() || (coff & pe::characteristics::machine_32bit) == 0,
        LoaderRule::bitness, checker.coff_offset(offsetof(pe::CoffHeader, characteristics)),
        "a PE32+ image is marked for a 32-bit machine");
    if ((stored & flags::strong_name_signed) != 0) {
        checker.require(checker.clr.strong_name_signature.rva != 0, LoaderRule::signature_present,
                        at, "the image is marked as signed and has no signature");
    }
}

void check_native_parts(LoaderChecker& checker) {
    const ClrHeader& clr = checker.clr;
    check_place(checker, LoaderRule::native_directory_place, clr.vtable_fixups,
                offsetof(ClrHeader, vtable_fixups), true);
    check_place(checker, LoaderRule::native_directory_place, clr.export_address_table_jumps,
                offsetof(ClrHeader, export_address_table_jumps), true);
    check_place(checker, LoaderRule::native_directory_place, clr.managed_native_header,
                offsetof(ClrHeader, managed_native_header), true);
    if (checker.il_only) {
        checker.require(clr.vtable_fixups.size == 0, LoaderRule::native_parts,
                        checker.clr_offset(offsetof(ClrHeader, vtable_fixups)),
                        "an image of IL only has vtable fixups");
        checker.require(clr.export_address_table_jumps.size == 0, LoaderRule::native_parts,
                        checker.clr_offset(offsetof(ClrHeader, export_address_table_jumps)),
                        "an image of IL only has export jumps");
        checker.require((clr.flags & flags::native_entry_point) == 0, LoaderRule::native_parts,
                        checker.clr_offset(offsetof(ClrHeader, flags)),
                        "an image of IL only has a native entry point");
    }
    if (clr.managed_native_header.size == 0 || checker.unversioned) return;
    const std::uint64_t at = checker.clr_offset(offsetof(ClrHeader, managed_native_header));
    checker.require((clr.flags & flags::il_library) != 0, LoaderRule::native_header, at,
                    "an image without the IL-library flag has a native header");
    checker.expect(checker.ready_to_run, LoaderRule::native_header, at,
                   "the native header is not that of ReadyToRun code");
}

void check_entry_point(LoaderChecker& checker) {
    const std::uint32_t stored = checker.clr.entry_point;
    const std::uint64_t at = checker.clr_offset(offsetof(ClrHeader, entry_point));
    if ((checker.clr.flags & flags::native_entry_point) != 0) {
        if (!checker.il_only) {
            checker.require(stored != 0 && checker.view.section_of(stored) != nullptr,
                            LoaderRule::entry_point, at,
                            "the native entry point lies in no section");
        }
        return;
    }
    if (stored == 0) {
        checker.expect(checker.is_dll() || !checker.il_only, LoaderRule::entry_point, at,
                       "an executable has no entry point");
        return;
    }
    const Token token(stored);
    const bool right_table = token.table() == Table::MethodDef || token.table() == Table::File;
    if (right_table && checker.state.metadata.tables().has(token)) return;
    checker.error(LoaderRule::entry_point, at, "the entry point is no method and no file", stored);
}

}  // namespace

bool check_clr_header(LoaderChecker& checker) {
    // Laid out as in memory: the section table leads to nothing, and that was reported.
    if (checker.state.container.kind != ContainerKind::pe_file) return false;
    if (!check_header_place(checker)) return false;
    const ClrHeader& clr = checker.clr;
    checker.require(clr.major_runtime_version == 2 || checker.unversioned,
                    LoaderRule::runtime_version,
                    checker.clr_offset(offsetof(ClrHeader, major_runtime_version)),
                    "the runtime version is not 2");
    const bool found = check_metadata_place(checker);
    check_place(checker, LoaderRule::clr_directory_place, clr.resources,
                offsetof(ClrHeader, resources), false);
    check_place(checker, LoaderRule::clr_directory_place, clr.strong_name_signature,
                offsetof(ClrHeader, strong_name_signature), false);
    check_place(checker, LoaderRule::clr_directory_place, clr.code_manager_table,
                offsetof(ClrHeader, code_manager_table), false);
    check_flags(checker);
    check_native_parts(checker);
    check_entry_point(checker);
    const std::uint32_t header = checker.image.directory(pe::Directory::clr_header).rva;
    checker.expect(header % 4 == 0, LoaderRule::alignment,
                   checker.directory_offset(pe::Directory::clr_header),
                   "the CLR header is not aligned");
    checker.expect(clr.metadata.rva % 4 == 0, LoaderRule::alignment,
                   checker.clr_offset(offsetof(ClrHeader, metadata)),
                   "the metadata root is not aligned");
    return found;
}

}  // namespace clrkit::verify
