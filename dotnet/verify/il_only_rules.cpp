// PE05: what little native code an image of IL only may have: one import, a jump through it, and the
// jump's relocation. ReadyToRun images are exempt.
#include <clrkit/core/pe/imports.h>
#include <clrkit/core/pe/relocations.h>
#include <clrkit/dotnet/verify/loader_checks.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace clrkit::verify {
namespace {

using pe::DataDirectory;
using pe::Directory;
using pe::ImportDescriptor;

constexpr std::uint32_t section_shared = 0x10000000;
constexpr std::uint32_t any_right =
    pe::section_flags::execute | pe::section_flags::read | pe::section_flags::write;
constexpr std::uint32_t ordinal = 0x80000000;
constexpr std::size_t relocation_header = 8;
constexpr std::string_view dll_name = "mscoree.dll";
constexpr std::string_view exe_main = "_CorExeMain";
constexpr std::string_view dll_main = "_CorDllMain";

/// True when the bytes begin with `text`, in any case, and a NUL.
bool is_name(ByteSpan bytes, std::string_view text) {
    if (bytes.size() <= text.size() || bytes[text.size()] != 0) return false;
    const auto lower = [](auto c) {
        return c >= 'A' && c <= 'Z' ? static_cast<int>(c) + 32 : static_cast<int>(c);
    };
    return std::ranges::equal(bytes.first(text.size()), text, {}, lower, lower);
}

bool is_zero(const ImportDescriptor& descriptor) {
    return descriptor.import_lookup_table == 0 && descriptor.time_date_stamp == 0 &&
           descriptor.forwarder_chain == 0 && descriptor.name == 0 &&
           descriptor.import_address_table == 0;
}

void check_function(LoaderChecker& checker, const ImportDescriptor& descriptor, std::uint64_t at) {
    constexpr auto rule = LoaderRule::import_function;
    const std::uint32_t table = descriptor.import_lookup_table;
    if (!checker.require_range(rule, Severity::error, table, 8, at)) return;
    const std::uint8_t* slots = checker.view.from(table).data();
    const auto entry = load_le<std::uint32_t>(slots);
    checker.require(entry != 0 && load_le<std::uint32_t>(slots + 4) == 0, rule, at,
                    "mscoree.dll is not asked for exactly one function");
    if (entry == 0) return;
    if (checker.image.is_pe32_plus()) {
        // CoreCLR looks at 32 bits of each slot, and so at the first slot only.
        const ByteSpan all = checker.view.from(table);
        checker.expect(all.size() >= 16 && load_le<std::uint64_t>(all.data() + 8) == 0, rule, at,
                       "the lookup table does not end behind its one slot");
    }
    if ((entry & ordinal) != 0) {
        checker.error(rule, at, "the function is imported by ordinal");
        return;
    }
    constexpr std::size_t hint = 2;
    if (!checker.require_range(rule, Severity::error, entry, hint + exe_main.size() + 1, at))
        return;
    const ByteSpan name = checker.view.from(entry).subspan(hint);
    const bool is_exe_main = is_name(name, exe_main);
    const bool is_dll_main = is_name(name, dll_main);
    checker.require(is_exe_main || is_dll_main, rule, at,
                    "the function is neither _CorExeMain nor _CorDllMain");
    if (is_exe_main || is_dll_main) {
        checker.expect(is_dll_main == checker.is_dll(), rule, at,
                       "the function is that of the other kind of image");
    }
}

/// The import descriptor, when there is one to look further at.
const ImportDescriptor* check_import_table(LoaderChecker& checker) {
    constexpr auto rule = LoaderRule::import_table;
    const DataDirectory directory = checker.image.directory(Directory::import_table);
    const std::uint64_t at = checker.directory_offset(Directory::import_table);
    if (directory.rva == 0) {
        checker.error(rule, at, "there is no import table, but an entry point or relocations");
        return nullptr;
    }
    // That the directory lies in a section is a rule of its own.
    if (checker.view.check(directory.rva, directory.size) != RangeFault::none) return nullptr;
    const pe::SectionHeader* section = checker.view.section_of(directory.rva);
    checker.require((section->characteristics & pe::section_flags::write) == 0, rule, at,
                    "the import table lies in a writable section");
    checker.require(directory.size >= 2 * sizeof(ImportDescriptor), rule, at,
                    "the import table has no room for a terminator");
    const ByteSpan bytes = checker.view.from(directory.rva);
    const auto* first = view_at<ImportDescriptor>(bytes, 0);
    const auto* second = view_at<ImportDescriptor>(bytes, sizeof(ImportDescriptor));
    if (first == nullptr || second == nullptr) return nullptr;
    const std::uint64_t first_at = checker.view.offset_of(bytes);
    const bool complete =
        first->import_lookup_table != 0 && first->name != 0 && first->import_address_table != 0;
    const bool bound = first->time_date_stamp != 0 ||
                       (first->forwarder_chain != 0 && first->forwarder_chain != UINT32_MAX);
    checker.require(complete, rule, first_at, "the import descriptor is not complete");
    checker.require(!bound, rule, first_at, "the import is bound or forwarded");
    checker.require(is_zero(*second), rule, first_at + sizeof(ImportDescriptor),
                    "a second import follows, or no zeros");
    return complete ? first : nullptr;
}

const ImportDescriptor* check_imports(LoaderChecker& checker) {
    const ImportDescriptor* import = check_import_table(checker);
    if (import == nullptr) return nullptr;
    const std::uint64_t at = static_cast<std::uint64_t>(
        reinterpret_cast<const std::uint8_t*>(import) - checker.image.bytes().data());
    if (checker.require_range(LoaderRule::import_dll, Severity::error, import->name,
                              dll_name.size() + 1, at)) {
        checker.require(is_name(checker.view.from(import->name), dll_name), LoaderRule::import_dll,
                        at, "the import is from another DLL");
    }
    check_function(checker, *import, at);
    checker.require_range(LoaderRule::import_table, Severity::error, import->import_address_table,
                          8, at);
    return import;
}

void check_relocation_block(LoaderChecker& checker, const DataDirectory& directory) {
    constexpr auto rule = LoaderRule::relocation_block;
    const std::uint64_t at = checker.directory_offset(Directory::base_relocation);
    if (checker.view.check(directory.rva, directory.size) != RangeFault::none) return;
    const std::uint32_t rights = checker.view.section_of(directory.rva)->characteristics;
    checker.require((rights & pe::section_flags::write) == 0, rule, at,
                    "the relocations lie in a writable section");
    checker.require((rights & pe::section_flags::read) != 0, rule, at,
                    "the relocations lie in a section that is not readable");
    const ByteSpan bytes = checker.view.from(directory.rva);
    if (bytes.size() < relocation_header) {
        checker.error(rule, at, "there is no room for a relocation block");
        return;
    }
    const std::uint64_t block_at = checker.view.offset_of(bytes);
    const auto size = load_le<std::uint32_t>(bytes.data() + 4);
    if (size != directory.size) {
        checker.error(rule, block_at + 4, "the first block does not fill the directory");
        return;
    }
    if (size < relocation_header + 2) {
        checker.error(rule, block_at + 4, "the relocation block has no entry");
        return;
    }
    const bool wide =
        checker.image.coff().machine == static_cast<std::uint16_t>(pe::Machine::amd64);
    const auto wanted = wide ? pe::RelocationType::dir64 : pe::RelocationType::highlow;
    const auto type_at = [&](std::size_t offset) {
        return pe::Relocation{load_le<std::uint16_t>(bytes.data() + offset)}.type();
    };
    checker.require(type_at(relocation_header) == wanted, rule, block_at + relocation_header,
                    "the first relocation is not that of an address");
    for (std::size_t offset = relocation_header + 2; offset + 2 <= size; offset += 2) {
        checker.require(type_at(offset) == pe::RelocationType::absolute, rule, block_at + offset,
                        "a second relocation follows");
    }
}

void check_relocations(LoaderChecker& checker) {
    const DataDirectory directory = checker.image.directory(Directory::base_relocation);
    const bool stripped =
        (checker.image.coff().characteristics & pe::characteristics::relocs_stripped) != 0;
    const std::uint64_t flags_at = checker.coff_offset(offsetof(pe::CoffHeader, characteristics));
    if (directory.rva == 0) {
        checker.require(stripped, LoaderRule::relocation_flag, flags_at,
                        "there are no relocations, and the flags do not say so");
        checker.require(!checker.is_dll(), LoaderRule::relocation_flag, flags_at,
                        "a library has an import and no relocations");
        return;
    }
    checker.require(!stripped, LoaderRule::relocation_flag, flags_at,
                    "there are relocations, and the flags say that there are none");
    check_relocation_block(checker, directory);
    const auto thunk = pe::EntryThunk::read(checker.image);
    checker.expect(
        pe::relocates_only_thunk(pe::Relocations::read(checker.image), thunk ? &*thunk : nullptr),
        LoaderRule::relocation_place, checker.directory_offset(Directory::base_relocation),
        "something else than the entry thunk is relocated");
}

void check_entry_thunk(LoaderChecker& checker, const ImportDescriptor& import) {
    if (checker.image.coff().machine != static_cast<std::uint16_t>(pe::Machine::i386)) return;
    constexpr auto rule = LoaderRule::entry_thunk;
    constexpr std::uint32_t size = 6;  // of the jump
    const std::uint32_t entry = checker.image.optional_start().address_of_entry_point;
    const std::uint64_t at =
        checker.image.optional_offset() + offsetof(pe::OptionalHeaderStart, address_of_entry_point);
    if (entry == 0) {
        checker.error(rule, at, "there are imports and no entry point");
        return;
    }
    if (!checker.require_range(rule, Severity::error, entry, size, at)) return;
    const std::uint8_t* code = checker.view.from(entry).data();
    const auto target = load_le<std::uint32_t>(code + 2);
    const auto base = static_cast<std::uint32_t>(checker.image.image_base());
    const bool jumps = code[0] == 0xFF && code[1] == 0x25;
    checker.require(jumps && target - base == import.import_address_table, rule, at,
                    "the entry point is no jump through the import address table");
}

}  // namespace

void check_il_only(LoaderChecker& checker) {
    if (!checker.plain_il) return;
    const bool native = checker.image.directory(Directory::import_table).rva != 0 ||
                        checker.image.directory(Directory::base_relocation).rva != 0 ||
                        checker.image.optional_start().address_of_entry_point != 0;
    if (native) {
        const ImportDescriptor* import = check_imports(checker);
        check_relocations(checker);
        if (import != nullptr) check_entry_thunk(checker, *import);
    }
    for (const pe::SectionHeader& section : checker.view.sections()) {
        const std::uint64_t at =
            checker.view.header_offset(section) + offsetof(pe::SectionHeader, characteristics);
        checker.require((section.characteristics & section_shared) == 0, LoaderRule::shared_section,
                        at, "a section is shared between processes");
        checker.require((section.characteristics & any_right) != 0, LoaderRule::section_rights, at,
                        "a section may be neither read nor written nor executed");
    }
    if (!checker.is_dll()) {
        const pe::OptionalHeaderMiddle& middle = checker.image.optional_middle();
        checker.require(
            middle.win32_version_value == 0, LoaderRule::win32_version,
            checker.middle_offset(offsetof(pe::OptionalHeaderMiddle, win32_version_value)),
            "Win32VersionValue is not zero");
    }
}

}  // namespace clrkit::verify
