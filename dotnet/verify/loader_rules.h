// What the loaders check before they take an image: CoreCLR, which is the strictest, Windows and
// Mono. An image that breaks none of these rules loads everywhere; what is written is held to them.
// docs/verify.md lists them for readers.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/error.h>
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/module/state.h>
#include <clrkit/dotnet/verify/finding.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace clrkit {

/// In the order of their codes.
enum class LoaderRule : std::uint8_t {
    // PE01: headers
    pe_signature,
    header_place,
    optional_header_size,
    magic,
    machine,
    coff_flags,
    file_alignment,
    section_alignment,
    size_of_image,
    size_of_headers,
    image_base,
    stack_and_heap,
    directory_count,
    checksum,
    subsystem,
    file_layout,
    // PE02: sections
    section_count,
    section_header_room,
    section_flags,
    writable_code,
    section_address,
    section_file_alignment,
    section_order,
    section_file_order,
    section_in_image,
    section_in_file,
    section_raw_size,
    section_gap,
    flat_sections,
    // PE03: data directories
    directory_range,
    managed_directories,
    debug_data,
    certificate_place,
    address_table_directory,
    // PE04: CLR header
    clr_header_place,
    clr_header_size,
    runtime_version,
    metadata_place,
    clr_directory_place,
    native_directory_place,
    clr_flags,
    native_parts,
    signature_present,
    native_header,
    entry_point,
    bitness,
    alignment,
    // PE05: images of IL only
    import_table,
    import_dll,
    import_function,
    relocation_flag,
    relocation_block,
    relocation_place,
    entry_thunk,
    shared_section,
    section_rights,
    win32_version,
    // PE06: metadata
    root_signature,
    root_version,
    version_string,
    root_flags,
    stream_header,
    stream_name,
    stream_range,
    stream_overlap,
    table_stream,
    stream_twice,
    schema_version,
    table_rows,
    pointer_tables,
    known_tables,
    module_row,
    string_heap,
    guid_heap,
    // PE07: what the tables lead to
    method_body,
    field_data,
    resource,
    count_  // number of rules
};

inline constexpr std::size_t loader_rule_count = static_cast<std::size_t>(LoaderRule::count_);

struct LoaderRuleInfo {
    LoaderRule rule;
    const char* code;
    /// What must hold.
    const char* sentence;
    /// Who asks for it.
    const char* source;
};

// clang-format off
inline constexpr std::array<LoaderRuleInfo, loader_rule_count> loader_rules{{
    {LoaderRule::pe_signature, "PE0101", "The PE signature is the four bytes P, E, 0, 0.", "CoreCLR, Windows, Mono"},
    {LoaderRule::header_place, "PE0102", "The PE header begins at a multiple of four.", "Windows"},
    {LoaderRule::optional_header_size, "PE0103", "The optional header has 0xE0 bytes in PE32 and 0xF0 in PE32+.", "CoreCLR, Mono"},
    {LoaderRule::magic, "PE0104", "32-bit machines have PE32 headers, 64-bit machines PE32+.", "Windows"},
    {LoaderRule::machine, "PE0105", "The machine is one that a runtime exists for, in plain or, with ReadyToRun code, masked with its system's number.", "CoreCLR"},
    {LoaderRule::coff_flags, "PE0106", "The COFF flags say executable image and do not say system file.", "Windows; CoreCLR"},
    {LoaderRule::file_alignment, "PE0107", "FileAlignment is a power of two from 512 to 65536.", "CoreCLR, Windows"},
    {LoaderRule::section_alignment, "PE0108", "SectionAlignment is a power of two and not below FileAlignment; below a page the two are equal.", "CoreCLR; Windows"},
    {LoaderRule::size_of_image, "PE0109", "SizeOfImage is a multiple of SectionAlignment and ends where the last section ends.", "CoreCLR; the format"},
    {LoaderRule::size_of_headers, "PE0110", "SizeOfHeaders is a multiple of FileAlignment and lies inside both the file and SizeOfImage.", "CoreCLR"},
    {LoaderRule::image_base, "PE0111", "The image base is a multiple of 64 KiB.", "CoreCLR, Windows"},
    {LoaderRule::stack_and_heap, "PE0112", "No more of stack and heap is committed than reserved.", "CoreCLR"},
    {LoaderRule::directory_count, "PE0113", "There are 16 data directories.", "CoreCLR; ECMA-335 II.25.2.3.2"},
    {LoaderRule::checksum, "PE0114", "A checksum that is not zero is right.", "Windows, for what it checks at boot"},
    {LoaderRule::subsystem, "PE0115", "The subsystem of an executable is GUI or console.", "ECMA-335 II.25.2.3.2"},
    {LoaderRule::file_layout, "PE0116", "The parts stand where the section table says, and not as they would stand in memory.", "CoreCLR"},

    {LoaderRule::section_count, "PE0201", "There are 1 to 96 sections, and the file holds all their headers.", "CoreCLR; Windows"},
    {LoaderRule::section_header_room, "PE0202", "The section headers end before SizeOfHeaders does.", "CoreCLR"},
    {LoaderRule::section_flags, "PE0203", "Section flags are those for contents, memory rights, sharing, paging, caching and discarding.", "CoreCLR"},
    {LoaderRule::writable_code, "PE0204", "No section holds code and is writable, or is both executable and writable in an image of IL only.", "CoreCLR; hardened systems"},
    {LoaderRule::section_address, "PE0205", "Section addresses are multiples of SectionAlignment.", "CoreCLR on Windows, Windows"},
    {LoaderRule::section_file_alignment, "PE0206", "File offset and file size of a section are multiples of FileAlignment.", "CoreCLR"},
    {LoaderRule::section_order, "PE0207", "Sections ascend in memory and do not overlap, each rounded up to SectionAlignment.", "CoreCLR, Windows"},
    {LoaderRule::section_file_order, "PE0208", "Sections ascend in the file and do not overlap.", "CoreCLR"},
    {LoaderRule::section_in_image, "PE0209", "Sections end before SizeOfImage does.", "CoreCLR, Windows"},
    {LoaderRule::section_in_file, "PE0210", "The raw data of a section lies inside the file.", "CoreCLR, Windows, Mono"},
    {LoaderRule::section_raw_size, "PE0211", "A section has no more raw data than memory, the latter rounded up to SectionAlignment.", "CoreCLR"},
    {LoaderRule::section_gap, "PE0212", "Sections follow one another in memory without a gap, the first one behind the headers.", "Windows"},
    {LoaderRule::flat_sections, "PE0213", "With sections aligned below a page, each stands in the file where it stands in memory.", "Windows"},

    {LoaderRule::directory_range, "PE0301", "A data directory lies inside one section, in its memory and in its raw data; in an image of IL only that section is not shared.", "CoreCLR"},
    {LoaderRule::managed_directories, "PE0302", "An image of IL only has no data directories but imports, resources, certificate, relocations, debug, import addresses and CLR header.", "CoreCLR"},
    {LoaderRule::debug_data, "PE0303", "The debug directory is a whole number of entries, and both addresses of an entry lead to the same data.", "debuggers"},
    {LoaderRule::certificate_place, "PE0304", "The certificate table begins at a multiple of eight and ends with the file.", "Windows, for signed files"},
    {LoaderRule::address_table_directory, "PE0305", "The directory of import addresses holds the import address table.", "Windows"},

    {LoaderRule::clr_header_place, "PE0401", "The CLR header lies inside one section that is readable and not writable.", "CoreCLR"},
    {LoaderRule::clr_header_size, "PE0402", "The CLR header has at least 72 bytes, by its directory and by its own size field.", "CoreCLR"},
    {LoaderRule::runtime_version, "PE0403", "The runtime version in the CLR header is 2, or 0.0 in composite images.", "CoreCLR"},
    {LoaderRule::metadata_place, "PE0404", "The metadata lies inside one section that is not writable.", "CoreCLR"},
    {LoaderRule::clr_directory_place, "PE0405", "Resources, strong-name signature and code manager table lie each inside one section that is not writable.", "CoreCLR"},
    {LoaderRule::native_directory_place, "PE0406", "Vtable fixups, export jumps and native header lie each inside one section.", "CoreCLR"},
    {LoaderRule::clr_flags, "PE0407", "The CLR header has no flags but the ones that are defined.", "CoreCLR"},
    {LoaderRule::native_parts, "PE0408", "An image of IL only has no vtable fixups, no export jumps and no native entry point.", "CoreCLR"},
    {LoaderRule::signature_present, "PE0409", "An image whose flags say that it is signed has room for a signature.", "CoreCLR"},
    {LoaderRule::native_header, "PE0410", "Only an image with the IL-library flag has a native header, and it is that of ReadyToRun code.", "CoreCLR"},
    {LoaderRule::entry_point, "PE0411", "The entry point is a method or file that exists, or an address in a section if it is native; an executable has one.", "CoreCLR; ECMA-335 II.25.3.3.2"},
    {LoaderRule::bitness, "PE0412", "PE32+ images do not ask for 32 bits; who prefers 32 bits says so with both flags.", "ECMA-335 II.25.3.3.1, Windows"},
    {LoaderRule::alignment, "PE0413", "CLR header and metadata root begin at multiples of four.", "ECMA-335 II.24.2.1, II.25.3.3"},

    {LoaderRule::import_table, "PE0501", "An image of IL only with imports, relocations or an entry point has an import table of one descriptor, not bound, and a terminator of zeros.", "CoreCLR"},
    {LoaderRule::import_dll, "PE0502", "The one import is from mscoree.dll.", "CoreCLR"},
    {LoaderRule::import_function, "PE0503", "It is one function by name, _CorExeMain or, in a library, _CorDllMain.", "CoreCLR; ECMA-335 II.25.3.1"},
    {LoaderRule::relocation_flag, "PE0504", "Relocations are there exactly where the COFF flags do not say that they are stripped; a library with imports has some.", "CoreCLR"},
    {LoaderRule::relocation_block, "PE0505", "The relocations are one block that fills its directory, in a readable section that is not writable: one entry as wide as an address of the machine, then padding.", "CoreCLR"},
    {LoaderRule::relocation_place, "PE0506", "What is relocated is the entry thunk.", "Windows, ECMA-335 II.25.3.2"},
    {LoaderRule::entry_thunk, "PE0507", "On i386 the entry point is a jump through the first slot of the import address table.", "CoreCLR on x86"},
    {LoaderRule::shared_section, "PE0508", "An image of IL only shares no section between processes.", "CoreCLR"},
    {LoaderRule::section_rights, "PE0509", "Every section of an image of IL only may be read, written or executed.", "CoreCLR"},
    {LoaderRule::win32_version, "PE0510", "Win32VersionValue is 0 in an executable of IL only.", "CoreCLR"},

    {LoaderRule::root_signature, "PE0601", "The metadata begins with BSJB and has room for its root.", "CoreCLR, Mono"},
    {LoaderRule::root_version, "PE0602", "The version of the metadata root is 1.1.", "CoreCLR"},
    {LoaderRule::version_string, "PE0603", "The version string ends with a NUL inside the metadata, and its length is a multiple of four, at most 255 without padding.", "ECMA-335 II.24.2.1"},
    {LoaderRule::root_flags, "PE0604", "The flags of the metadata root are 0.", "CoreCLR"},
    {LoaderRule::stream_header, "PE0605", "Every stream header is followed by enough metadata for one with the longest name: 40 bytes from its start.", "CoreCLR"},
    {LoaderRule::stream_name, "PE0606", "A stream's name has 1 to 31 characters.", "CoreCLR"},
    {LoaderRule::stream_range, "PE0607", "A stream begins behind the stream headers and lies inside the metadata; all together are no longer than what is left there.", "CoreCLR"},
    {LoaderRule::stream_overlap, "PE0608", "Streams do not overlap.", "CoreCLR"},
    {LoaderRule::table_stream, "PE0609", "There is one table stream, #~ or #-, and no #Schema before it.", "CoreCLR"},
    {LoaderRule::stream_twice, "PE0610", "No two heaps have the same name.", "ECMA-335 II.24.2.2"},
    {LoaderRule::schema_version, "PE0611", "The version of the table stream is 2.0 or 1.0.", "CoreCLR; .NET 10 refuses 1.1 too"},
    {LoaderRule::table_rows, "PE0612", "The table stream holds all the rows that it declares.", "CoreCLR"},
    {LoaderRule::pointer_tables, "PE0613", "There are no pointer tables in #~.", "CoreCLR; ECMA-335 II.22"},
    {LoaderRule::known_tables, "PE0614", "Every table with rows is one that the version of the table stream knows.", "CoreCLR; Mono"},
    {LoaderRule::module_row, "PE0615", "There is one Module row and at most one Assembly row.", "ECMA-335 II.22.2, II.22.30"},
    {LoaderRule::string_heap, "PE0616", "The string heap ends with a NUL.", "ECMA-335 II.24.2.3"},
    {LoaderRule::guid_heap, "PE0617", "There is a GUID heap with at least one GUID.", "Mono"},

    {LoaderRule::method_body, "PE0701", "A method's body has a readable header and lies inside one section, exception tables included.", "CoreCLR"},
    {LoaderRule::field_data, "PE0702", "A field's data lies inside one section, and in its raw data unless the section is writable.", "whoever reads the field; Mono"},
    {LoaderRule::resource, "PE0703", "An embedded resource lies inside the resources of the CLR header.", "CoreCLR"},
}};
// clang-format on

static_assert([] {
    for (std::size_t i = 0; i < loader_rule_count; ++i) {
        if (loader_rules[i].rule != static_cast<LoaderRule>(i)) return false;
    }
    return true;
}());

constexpr const LoaderRuleInfo& info_of(LoaderRule rule) {
    return loader_rules[static_cast<std::size_t>(rule)];
}

/// What the rules found.
struct LoaderFindings {
    struct Count {
        std::uint32_t errors = 0;
        std::uint32_t warnings = 0;
    };
    /// Most findings listed for one rule; the rest are counted only.
    static constexpr std::uint32_t listed_at_most = 64;

    /// By rule, then as found.
    std::vector<Finding> list;
    /// All findings, listed or not, by rule.
    std::array<Count, loader_rule_count> counts{};

    const Count& count(LoaderRule rule) const { return counts[static_cast<std::size_t>(rule)]; }
    CLRKIT_API std::uint64_t errors() const;
    CLRKIT_API std::uint64_t warnings() const;
};

/// Checks an opened image as it is now, edits included, against every rule, in O(rows log sections).
/// Findings are values, not errors. Errors: `out_of_memory`; `unsupported` for bare metadata;
/// `limit_reached` when method bodies overlap so much that measuring them would pass the budget of
/// output.
CLRKIT_API Result<LoaderFindings> check_loader_rules(const ModuleState& state,
                                                     const Limits& limits = {});

}  // namespace clrkit
