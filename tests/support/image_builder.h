// Builds PE images with CLI metadata out of plain structs whose every field may be set to something
// wrong, so that a malformed file is a few lines of test source. The layout rules and the table of
// columns (ECMA-335 II.22, II.24, II.25) are this file's own: the tests' second opinion on the
// library's. An `optional` left empty is computed; one that is set is written as it stands.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clrkit::test {

using Bytes = std::vector<std::uint8_t>;

/// The bytes of a text, without a terminator.
Bytes bytes_of(std::string_view text);
/// `count` little-endian bytes of `value`.
Bytes little_endian(std::uint64_t value, int count);
/// Appends `part` to `to`.
void append(Bytes& to, const Bytes& part);
/// Overwrites bytes at `offset`, growing `in` when they reach past its end.
void put(Bytes& in, std::uint64_t offset, const Bytes& part);
/// ECMA-335 II.23.2, the shortest form.
Bytes compressed(std::uint32_t value);

// ---------------------------------------------------------------------------------------- tables

namespace table {
enum Id : std::uint8_t {
    Module,
    TypeRef,
    TypeDef,
    FieldPtr,
    Field,
    MethodPtr,
    MethodDef,
    ParamPtr,
    Param,
    InterfaceImpl,
    MemberRef,
    Constant,
    CustomAttribute,
    FieldMarshal,
    DeclSecurity,
    ClassLayout,
    FieldLayout,
    StandAloneSig,
    EventMap,
    EventPtr,
    Event,
    PropertyMap,
    PropertyPtr,
    Property,
    MethodSemantics,
    MethodImpl,
    ModuleRef,
    TypeSpec,
    ImplMap,
    FieldRVA,
    EncLog,
    EncMap,
    Assembly,
    AssemblyProcessor,
    AssemblyOS,
    AssemblyRef,
    AssemblyRefProcessor,
    AssemblyRefOS,
    File,
    ExportedType,
    ManifestResource,
    NestedClass,
    GenericParam,
    MethodSpec,
    GenericParamConstraint,
    Document = 0x30,
    MethodDebugInformation,
    LocalScope,
    LocalVariable,
    LocalConstant,
    ImportScope,
    StateMachineMethod,
    CustomDebugInformation
};
}  // namespace table

/// One value per column; a reference is a row number, a coded index is already encoded.
using Row = std::vector<std::uint32_t>;

/// A coded index (ECMA-335 II.24.2.6), by the name the standard gives its kind.
std::uint32_t coded(std::string_view kind, table::Id target, std::uint32_t rid);
/// A metadata token.
constexpr std::uint32_t token(table::Id of, std::uint32_t rid) {
    return std::uint32_t{of} << 24U | rid;
}

/// The contents of a #~ or #- stream (II.24.2.6).
struct TablesSpec {
    std::uint32_t reserved = 0;
    std::uint8_t major_version = 2;
    std::uint8_t minor_version = 0;
    std::optional<std::uint8_t> heap_sizes;  // 1 strings, 2 guids, 4 blobs are wide; other bits too
    std::uint8_t reserved2 = 1;
    std::optional<std::uint64_t> valid;
    std::uint64_t sorted = 0x16003301FA00;  // what compilers write
    std::map<int, std::vector<Row>> rows;
    /// Stands for the rows of a table (also one that the standard does not know), in table order.
    std::map<int, Bytes> raw_rows;
    /// Row counts to declare instead of the real ones. Column widths follow what is declared.
    std::map<int, std::uint32_t> declared_rows;
    /// Row counts of the image a Portable PDB belongs to: they widen columns and are not written.
    std::map<int, std::uint32_t> referenced_rows;
    /// Widths, 1 to 4 bytes, for (table, column), instead of the ones the counts ask for.
    std::map<std::pair<int, int>, int> widths;
    /// Every index takes four bytes, whatever the counts ask for (as #JTD has it).
    bool all_wide = false;
    /// Written behind the row counts, with bit 0x40 of the heap sizes.
    std::optional<std::uint32_t> extra_data;
    /// Written behind the last row.
    Bytes trailing;

    /// Appends a row and returns its number, 1 for the first.
    std::uint32_t add(table::Id to, Row row);
    /// A row that is there already.
    Row& row(table::Id of, std::uint32_t rid);

    std::uint32_t row_count(int of) const;
    /// What II.24.2.6 says of a column's width, in bytes.
    int column_width(int of, int column) const;
    int row_size(int of) const;
    /// Where the parts of the encoded stream begin.
    std::uint32_t row_counts_offset() const { return 24; }
    std::uint32_t rows_offset() const;
    std::uint32_t table_offset(int of) const;
    std::uint32_t cell_offset(int of, std::uint32_t rid, int column) const;
    Bytes encode() const;
};

// -------------------------------------------------------------------------------------- metadata

/// The four heaps, as bytes that grow. Offsets come back from `add`; bytes may be put in by hand.
struct Heaps {
    Bytes strings{0};
    Bytes user_strings{0};
    Bytes guids;
    Bytes blobs{0};

    std::uint32_t string(std::string_view text);  // offset; 0 for the empty one
    std::uint32_t user_string(std::u16string_view text);
    std::uint32_t blob(const Bytes& contents);
    std::uint32_t guid(const std::array<std::uint8_t, 16>& value);  // index, 1 for the first
};

enum class Contents : std::uint8_t { bytes, tables, strings, user_strings, guids, blobs };

struct StreamSpec {
    Bytes name;  // without its NUL
    Contents contents = Contents::bytes;
    Bytes bytes;  // the contents when they come from none of the builders
    /// NUL and padding of the name; by default as many NULs as bring it to a multiple of four.
    std::optional<Bytes> name_padding;
    std::optional<std::uint32_t> offset;  // declared, from the metadata root
    std::optional<std::uint32_t> size;    // declared
    /// Count the bytes that align the next stream as part of this one, as compilers do.
    bool padding_counts = true;
};

StreamSpec stream(std::string_view name, Contents contents);
StreamSpec stream(std::string_view name, Bytes contents);

/// A metadata root with its streams (II.24.2.1); alone, the bytes of a Portable PDB.
struct MetadataSpec {
    std::uint32_t signature = 0x424A5342;  // BSJB
    std::uint16_t major_version = 1;
    std::uint16_t minor_version = 1;
    std::uint32_t reserved = 0;
    Bytes version = bytes_of(std::string_view("v4.0.30319\0\0", 12));  // with its padding
    std::optional<std::uint32_t> version_length;
    std::uint8_t flags = 0;
    std::uint8_t padding = 0;
    std::optional<std::uint16_t> stream_count;
    std::vector<StreamSpec> streams;  // in this order, names may repeat
    Bytes trailing;                   // behind the last stream
    Heaps heaps;
    TablesSpec tables;

    /// #~ #Strings #US #GUID #Blob.
    static std::vector<StreamSpec> usual_streams();
    /// The first stream of that name.
    StreamSpec& named(std::string_view name);
    void remove(std::string_view name);

    /// Offsets from the root.
    std::uint32_t stream_header_offset(std::size_t index) const;
    std::uint32_t stream_offset(std::size_t index) const;
    std::uint32_t stream_offset(std::string_view name) const;
    Bytes encode() const;

private:
    Bytes contents_of(const StreamSpec& spec) const;
};

// ----------------------------------------------------------------------------------- CLR header, PE

struct DirectorySpec {
    std::uint32_t rva = 0;
    std::uint32_t size = 0;
};

/// The CLR header (II.25.3.3).
struct ClrSpec {
    std::uint32_t size = 72;
    std::uint16_t major_runtime_version = 2;
    std::uint16_t minor_runtime_version = 5;
    std::optional<DirectorySpec> metadata;
    std::uint32_t flags = 1;  // ILONLY
    std::uint32_t entry_point = 0;
    DirectorySpec resources;
    DirectorySpec strong_name_signature;
    DirectorySpec code_manager_table;
    DirectorySpec vtable_fixups;
    DirectorySpec export_address_table_jumps;
    DirectorySpec managed_native_header;

    /// `metadata_at` is what the metadata directory says unless the spec has its own.
    Bytes encode(DirectorySpec metadata_at) const;
};

struct SectionSpec {
    Bytes name = bytes_of(".data");  // cut or padded to eight bytes
    Bytes data;
    std::optional<std::uint32_t> virtual_size;
    std::optional<std::uint32_t> virtual_address;
    std::optional<std::uint32_t> raw_size;
    std::optional<std::uint32_t> raw_pointer;
    std::uint32_t characteristics = 0x60000020;
    /// Where the data is written, when that is not where `raw_pointer` says.
    std::optional<std::uint32_t> placed_at;
    /// CLR header, code, data and metadata of an ImageSpec go here instead of `data`.
    bool holds_image = false;
};

/// Bytes written over the finished file.
struct Patch {
    std::uint64_t offset;
    Bytes bytes;
};

struct PeSpec {
    Bytes dos;  // everything before the PE header; the constructor's is the usual 128 bytes
    std::optional<std::uint32_t> pe_offset;  // e_lfanew as declared
    std::uint32_t pe_placed_at = 0x80;
    std::uint32_t signature = 0x00004550;

    std::uint16_t machine = 0x14C;
    std::optional<std::uint16_t> number_of_sections;
    std::uint32_t time_date_stamp = 0;
    std::uint32_t pointer_to_symbol_table = 0;
    std::uint32_t number_of_symbols = 0;
    std::optional<std::uint16_t> size_of_optional_header;
    std::uint16_t characteristics = 0x0103;  // relocations stripped, executable, 32 bits

    bool pe32_plus = false;  // the layout of the optional header
    std::optional<std::uint16_t> magic;
    std::uint16_t linker_version = 8;
    std::optional<std::uint32_t> size_of_code;
    std::uint32_t size_of_initialized_data = 0;
    std::uint32_t size_of_uninitialized_data = 0;
    std::uint32_t address_of_entry_point = 0;
    std::uint32_t base_of_code = 0x2000;
    std::uint32_t base_of_data = 0;
    std::uint64_t image_base = 0x400000;
    std::uint32_t section_alignment = 0x2000;
    std::uint32_t file_alignment = 0x200;
    std::uint32_t operating_system_version = 4;
    std::uint32_t image_version = 0;
    std::uint32_t subsystem_version = 4;
    std::uint32_t win32_version_value = 0;
    std::optional<std::uint32_t> size_of_image;
    std::optional<std::uint32_t> size_of_headers;
    std::uint32_t check_sum = 0;
    std::uint16_t subsystem = 3;  // console
    std::uint16_t dll_characteristics = 0x8540;
    std::uint64_t size_of_stack_reserve = 0x100000;
    std::uint64_t size_of_stack_commit = 0x1000;
    std::uint64_t size_of_heap_reserve = 0x100000;
    std::uint64_t size_of_heap_commit = 0x1000;
    std::uint32_t loader_flags = 0;
    std::uint32_t number_of_rva_and_sizes = 16;
    std::size_t directory_slots = 16;          // how many are really there
    std::map<int, DirectorySpec> directories;  // by index; the others are zero
    Bytes optional_header_tail;                // between the directories and the sections

    std::vector<SectionSpec> sections;
    Bytes overlay;      // behind the last section
    Bytes certificate;  // behind the overlay, with its directory
    std::vector<Patch> patches;

    PeSpec();

    std::uint32_t coff_offset() const { return pe_placed_at + 4; }
    std::uint32_t optional_offset() const { return pe_placed_at + 24; }
    std::uint32_t directories_offset() const {
        return optional_offset() + (pe32_plus ? 112U : 96U);
    }
    std::uint32_t directory_offset(int index) const {
        return directories_offset() + 8 * static_cast<std::uint32_t>(index);
    }
    std::uint32_t sections_offset() const {
        return directories_offset() + 8 * static_cast<std::uint32_t>(directory_slots) +
               static_cast<std::uint32_t>(optional_header_tail.size());
    }
    std::uint32_t section_header_offset(std::size_t index) const {
        return sections_offset() + 40 * static_cast<std::uint32_t>(index);
    }
};

Bytes build(const PeSpec& spec);

/// Code and data of an image: `add` says at which RVA the bytes will be.
struct Area {
    std::uint32_t base = 0x2050;
    Bytes bytes;

    std::uint32_t add(const Bytes& contents, std::uint32_t alignment = 4);
};

/// A whole image. The section that holds it has the CLR header, then `area`, then the metadata.
struct ImageSpec {
    PeSpec pe;
    ClrSpec clr;
    MetadataSpec metadata;
    Area area;

    /// Where the parts are when the section is where `area.base` supposes.
    std::uint32_t clr_rva() const { return area.base - 0x50; }
    std::uint32_t metadata_rva() const;
    /// The file offset of an RVA inside the section that holds the image, as built.
    std::uint32_t offset_of(std::uint32_t rva) const;
    std::uint32_t clr_offset() const { return offset_of(clr_rva()); }
    std::uint32_t metadata_offset() const { return offset_of(metadata_rva()); }
    std::uint32_t tables_offset() const;
    /// What the section that holds the image holds.
    Bytes contents() const;
};

Bytes build(const ImageSpec& spec);

/// A method body with a tiny header (II.25.4.2).
Bytes tiny_body(const Bytes& code);
/// A method body with a fat header and no sections behind it (II.25.4.3).
Bytes fat_body(const Bytes& code, std::uint16_t max_stack = 8, std::uint32_t locals = 0);

/// An executable of one type with one method, that prints "minimal" and returns 42. Mono and .NET
/// both run it. `minimal_rows` names what is in it; code and data begin at `area_rva`.
ImageSpec minimal(std::uint32_t area_rva = 0x2050);

namespace minimal_rows {
inline constexpr std::uint32_t object_ref = 1;   // TypeRef System.Object
inline constexpr std::uint32_t console_ref = 2;  // TypeRef System.Console
inline constexpr std::uint32_t module_type = 1;  // TypeDef <Module>
inline constexpr std::uint32_t program = 2;      // TypeDef Minimal.Program
inline constexpr std::uint32_t main = 1;         // MethodDef Main
inline constexpr std::uint32_t write_line = 1;   // MemberRef Console.WriteLine
}  // namespace minimal_rows

/// A Portable PDB with one document and one method without sequence points.
MetadataSpec minimal_pdb();

}  // namespace clrkit::test
