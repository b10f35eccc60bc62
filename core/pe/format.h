// The PE structures as they stand in a file (Microsoft PE/COFF specification; ECMA-335 II.25).
// Field names are the specification's, spelled in this project's style.
#pragma once

#include <clrkit/core/bytes/endian.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace clrkit::pe {

struct DosHeader {
    le16 magic;  // "MZ"
    std::array<le16, 29> fields;
    le32 pe_offset;  // e_lfanew
};
static_assert(sizeof(DosHeader) == 64);

inline constexpr std::uint16_t dos_magic = 0x5A4D;
inline constexpr std::uint32_t pe_signature = 0x00004550;
inline constexpr std::uint16_t magic_pe32 = 0x10B;
inline constexpr std::uint16_t magic_pe32_plus = 0x20B;

// clang-format off
enum class Machine : std::uint16_t { unknown = 0, i386 = 0x14C, arm = 0x1C0, arm_nt = 0x1C4,
                                     ia64 = 0x200, amd64 = 0x8664, arm64 = 0xAA64,
                                     riscv64 = 0x5064, loongarch64 = 0x6264 };
// clang-format on

struct CoffHeader {
    le16 machine;
    le16 number_of_sections;
    le32 time_date_stamp;
    le32 pointer_to_symbol_table;
    le32 number_of_symbols;
    le16 size_of_optional_header;
    le16 characteristics;
};
static_assert(sizeof(CoffHeader) == 20);

namespace characteristics {
inline constexpr std::uint16_t relocs_stripped = 0x0001;
inline constexpr std::uint16_t executable_image = 0x0002;
inline constexpr std::uint16_t large_address_aware = 0x0020;
inline constexpr std::uint16_t machine_32bit = 0x0100;
inline constexpr std::uint16_t dll = 0x2000;
}  // namespace characteristics

/// The fields of the optional header that do not depend on PE32 or PE32+, before the image base.
struct OptionalHeaderStart {
    le16 magic;
    std::uint8_t major_linker_version;
    std::uint8_t minor_linker_version;
    le32 size_of_code;
    le32 size_of_initialized_data;
    le32 size_of_uninitialized_data;
    le32 address_of_entry_point;
    le32 base_of_code;
};
static_assert(sizeof(OptionalHeaderStart) == 24);

/// The fields between image base and stack sizes; at offset 32 of both kinds of header.
struct OptionalHeaderMiddle {
    le32 section_alignment;
    le32 file_alignment;
    le16 major_operating_system_version;
    le16 minor_operating_system_version;
    le16 major_image_version;
    le16 minor_image_version;
    le16 major_subsystem_version;
    le16 minor_subsystem_version;
    le32 win32_version_value;
    le32 size_of_image;
    le32 size_of_headers;
    le32 check_sum;
    le16 subsystem;
    le16 dll_characteristics;
};
static_assert(sizeof(OptionalHeaderMiddle) == 40);

struct OptionalHeader32 {
    OptionalHeaderStart start;
    le32 base_of_data;
    le32 image_base;
    OptionalHeaderMiddle middle;
    le32 size_of_stack_reserve;
    le32 size_of_stack_commit;
    le32 size_of_heap_reserve;
    le32 size_of_heap_commit;
    le32 loader_flags;
    le32 number_of_rva_and_sizes;
};
static_assert(sizeof(OptionalHeader32) == 96);

struct OptionalHeader64 {
    OptionalHeaderStart start;
    le64 image_base;
    OptionalHeaderMiddle middle;
    le64 size_of_stack_reserve;
    le64 size_of_stack_commit;
    le64 size_of_heap_reserve;
    le64 size_of_heap_commit;
    le32 loader_flags;
    le32 number_of_rva_and_sizes;
};
static_assert(sizeof(OptionalHeader64) == 112);

struct DataDirectory {
    le32 rva;
    le32 size;
    bool empty() const { return rva == 0 && size == 0; }
};
static_assert(sizeof(DataDirectory) == 8);

// clang-format off
enum class Directory : std::uint8_t { export_table, import_table, resource, exception, certificate,
                                      base_relocation, debug, architecture, global_pointer, tls,
                                      load_config, bound_import, import_address_table,
                                      delay_import, clr_header, reserved };
// clang-format on
inline constexpr std::size_t directory_count = 16;

struct SectionHeader {
    std::array<char, 8> name;
    le32 virtual_size;
    le32 virtual_address;
    le32 size_of_raw_data;
    le32 pointer_to_raw_data;
    le32 pointer_to_relocations;
    le32 pointer_to_linenumbers;
    le16 number_of_relocations;
    le16 number_of_linenumbers;
    le32 characteristics;

    /// The name up to its first NUL; all eight bytes when it has none.
    std::string_view name_view() const {
        const std::string_view all{name.data(), name.size()};
        return all.substr(0, all.find('\0'));
    }
};
static_assert(sizeof(SectionHeader) == 40);

namespace section_flags {
inline constexpr std::uint32_t code = 0x20;
inline constexpr std::uint32_t initialized_data = 0x40;
inline constexpr std::uint32_t discardable = 0x02000000;
inline constexpr std::uint32_t execute = 0x20000000;
inline constexpr std::uint32_t read = 0x40000000;
inline constexpr std::uint32_t write = 0x80000000;
}  // namespace section_flags

struct DebugDirectoryEntry {
    le32 characteristics;
    le32 time_date_stamp;
    le16 major_version;
    le16 minor_version;
    le32 type;
    le32 size_of_data;
    le32 address_of_raw_data;
    le32 pointer_to_raw_data;
};
static_assert(sizeof(DebugDirectoryEntry) == 28);

struct ImportDescriptor {
    le32 import_lookup_table;
    le32 time_date_stamp;
    le32 forwarder_chain;
    le32 name;
    le32 import_address_table;
};
static_assert(sizeof(ImportDescriptor) == 20);

struct ResourceDirectoryHeader {
    le32 characteristics;
    le32 time_date_stamp;
    le16 major_version;
    le16 minor_version;
    le16 number_of_named_entries;
    le16 number_of_id_entries;
};
static_assert(sizeof(ResourceDirectoryHeader) == 16);

struct ResourceDirectoryEntry {
    le32 name_or_id;  // high bit: offset of a name
    le32 offset;      // high bit: of a directory, else of a data entry
};
static_assert(sizeof(ResourceDirectoryEntry) == 8);

struct ResourceDataEntry {
    le32 rva;
    le32 size;
    le32 code_page;
    le32 reserved;
};
static_assert(sizeof(ResourceDataEntry) == 16);

/// The CLR header, IMAGE_COR20_HEADER (ECMA-335 II.25.3.3).
struct ClrHeader {
    le32 size;  // cb
    le16 major_runtime_version;
    le16 minor_runtime_version;
    DataDirectory metadata;
    le32 flags;
    le32 entry_point;  // a token, or with `native_entry_point` an RVA
    DataDirectory resources;
    DataDirectory strong_name_signature;
    DataDirectory code_manager_table;
    DataDirectory vtable_fixups;
    DataDirectory export_address_table_jumps;
    DataDirectory managed_native_header;
};
static_assert(sizeof(ClrHeader) == 72);

namespace clr_flags {
inline constexpr std::uint32_t il_only = 0x00000001;
inline constexpr std::uint32_t required_32bit = 0x00000002;
inline constexpr std::uint32_t il_library = 0x00000004;
inline constexpr std::uint32_t strong_name_signed = 0x00000008;
inline constexpr std::uint32_t native_entry_point = 0x00000010;
inline constexpr std::uint32_t track_debug_data = 0x00010000;
inline constexpr std::uint32_t preferred_32bit = 0x00020000;
}  // namespace clr_flags

}  // namespace clrkit::pe
