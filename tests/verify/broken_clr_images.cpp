// Images that break the rules for the CLR header, for the native parts of an image of IL only, for
// metadata and for what it leads to.
#include "verify/broken_images.h"

namespace clrkit::test {
namespace {

constexpr auto error = Severity::error;
constexpr auto warning = Severity::warning;

template <class Change>
BrokenImage broken(const char* name, LoaderRule rule, Severity severity, Dotnet dotnet,
                   Change change) {
    ImageSpec image = minimal();
    change(image);
    return {name, rule, severity, dotnet, build(image)};
}

template <class Change>
BrokenImage broken_thunk(const char* name, LoaderRule rule, Severity severity, Dotnet dotnet,
                         Change change) {
    ThunkImage thunk;
    change(thunk);
    return {name, rule, severity, dotnet, build(thunk.image)};
}

std::uint32_t size_of(const Bytes& bytes) { return static_cast<std::uint32_t>(bytes.size()); }

/// One more field, of type int32, whose data is at `rva`, and which Main reads before it does the rest.
void add_field_data(ImageSpec& image, std::uint32_t rva) {
    Heaps& heaps = image.metadata.heaps;
    TablesSpec& tables = image.metadata.tables;
    constexpr std::uint32_t is_static_with_data = 0x0116;
    const std::uint32_t field = tables.add(
        table::Field, {is_static_with_data, heaps.string("data"), heaps.blob({0x06, 0x08})});
    tables.add(table::FieldRVA, {rva, field});
    Bytes code{0x7E};  // ldsfld
    append(code, little_endian(token(table::Field, field), 4));
    code.push_back(0x26);  // pop
    code.insert(code.end(), image.area.bytes.begin() + 1, image.area.bytes.begin() + 14);
    tables.row(table::MethodDef, 1)[0] = image.area.add(tiny_body(code));
}

/// A second section, which `characteristics` describe, with two bytes of data and much memory.
void add_section(ImageSpec& image, std::uint32_t characteristics) {
    SectionSpec data;
    data.data = Bytes(2, 0x11);
    data.virtual_size = 0x1000;
    data.characteristics = characteristics;
    image.pe.sections.push_back(data);
}

}  // namespace

ThunkImage::ThunkImage() {
    Area& area = image.area;
    Bytes name{0, 0};
    append(name, bytes_of("_CorExeMain"));
    name.push_back(0);
    function_name = area.add(name, 2);
    dll_name = area.add(bytes_of(std::string_view("mscoree.dll\0", 12)));
    Bytes slots = little_endian(function_name, 4);
    slots.resize(16);  // two slots of either width
    lookup_table = area.add(slots, 8);
    address_table = area.add(slots, 8);
    Bytes table = little_endian(lookup_table, 4);
    append(table, Bytes(8));
    append(table, little_endian(dll_name, 4));
    append(table, little_endian(address_table, 4));
    append(table, Bytes(20));
    descriptor = area.add(table);
    Bytes jump{0xFF, 0x25};
    append(jump, little_endian(image.pe.image_base + address_table, 4));
    thunk = area.add(jump, 8);

    Bytes block = little_endian(thunk & ~0xFFFU, 4);
    append(block, little_endian(12, 4));
    append(block, little_endian(0x3000U | ((thunk + 2) & 0xFFFU), 2));
    append(block, Bytes(2));
    SectionSpec section;
    section.name = bytes_of(".reloc");
    section.data = block;
    section.characteristics = 0x42000040;
    section.virtual_address = 0x4000;
    image.pe.sections.push_back(section);

    image.pe.characteristics = 0x0102;
    image.pe.address_of_entry_point = thunk;
    image.pe.directories[1] = {descriptor, 40};
    image.pe.directories[5] = {0x4000, 12};
    image.pe.directories[12] = {address_table, 8};
}

void ThunkImage::put_at(std::uint32_t rva, const Bytes& bytes) {
    put(image.area.bytes, rva - image.area.base, bytes);
}

ImageSpec thunk_of_64_bits() {
    ThunkImage thunk;
    ImageSpec& image = thunk.image;
    image.pe.pe32_plus = true;
    image.pe.machine = 0x8664;
    image.pe.characteristics = 0x0022;
    Bytes jump{0x48, 0xA1};
    append(jump, little_endian(image.pe.image_base + thunk.address_table, 8));
    append(jump, {0xFF, 0xE0});
    thunk.put_at(thunk.thunk, jump);
    const std::uint32_t place = thunk.thunk + 2;
    put(thunk.relocations(), 8, little_endian(0xA000U | (place & 0xFFFU), 2));
    return image;
}

std::vector<BrokenImage> broken_clr_headers() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken("a CLR header in a writable section", clr_header_place, error, refuses,
               [](ImageSpec& i) { i.pe.sections[0].characteristics = 0xC0000040; }),
        broken("a CLR header that may only be executed", clr_header_place, error, refuses,
               [](ImageSpec& i) { i.pe.sections[0].characteristics = 0x20000020; }),
        broken("a CLR header's directory past its section", clr_header_place, error, refuses,
               [](ImageSpec& i) { i.pe.directories[14] = {0x2000, 0x1000}; }),
        broken("a CLR header's directory of 71 bytes", clr_header_size, error, refuses,
               [](ImageSpec& i) { i.pe.directories[14] = {0x2000, 71}; }),
        broken("a CLR header that says 71 bytes", clr_header_size, error, refuses,
               [](ImageSpec& i) { i.clr.size = 71; }),
        broken("runtime version 1", runtime_version, error, refuses,
               [](ImageSpec& i) { i.clr.major_runtime_version = 1; }),
        broken("runtime version 3", runtime_version, error, refuses,
               [](ImageSpec& i) { i.clr.major_runtime_version = 3; }),
        broken("metadata past its section", metadata_place, error, refuses,
               [](ImageSpec& i) { i.clr.metadata = {i.metadata_rva(), 0x1000}; }),
        broken("metadata in a writable section", metadata_place, error, refuses,
               [](ImageSpec& i) {
                   SectionSpec data;
                   data.data = i.metadata.encode();
                   data.characteristics = 0xC0000040;
                   data.virtual_address = 0x4000;
                   i.clr.metadata = {0x4000, size_of(data.data)};
                   i.pe.sections.push_back(data);
               }),
        broken("resources outside every section", clr_directory_place, error, refuses,
               [](ImageSpec& i) { i.clr.resources = {0x9000, 4}; }),
        broken("resources with a size and no address", clr_directory_place, error, refuses,
               [](ImageSpec& i) { i.clr.resources = {0, 4}; }),
        broken("a signature in a writable section", clr_directory_place, error, refuses,
               [](ImageSpec& i) {
                   add_section(i, 0xC0000040);
                   i.clr.strong_name_signature = {0x4000, 2};
               }),
    };
}

std::vector<BrokenImage> broken_clr_contents() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken("vtable fixups outside every section", native_directory_place, error, refuses,
               [](ImageSpec& i) { i.clr.vtable_fixups = {0x9000, 0}; }),
        broken("an unknown flag", clr_flags, error, refuses,
               [](ImageSpec& i) { i.clr.flags = 0x41; }),
        broken("vtable fixups in an image of IL only", native_parts, error, refuses,
               [](ImageSpec& i) { i.clr.vtable_fixups = {i.area.add(Bytes(8)), 8}; }),
        broken("export jumps in an image of IL only", native_parts, error, refuses,
               [](ImageSpec& i) { i.clr.export_address_table_jumps = {i.area.add(Bytes(8)), 8}; }),
        broken("a native entry point in an image of IL only", native_parts, error, refuses,
               [](ImageSpec& i) { i.clr.flags = 0x11; }),
        broken("signed without a signature", signature_present, error, refuses,
               [](ImageSpec& i) { i.clr.flags = 9; }),
        broken("a native header without the flag", native_header, error, refuses,
               [](ImageSpec& i) { i.clr.managed_native_header = {i.area.add(Bytes(8)), 8}; }),
        broken("a native header of another kind", native_header, warning, runs,
               [](ImageSpec& i) {
                   i.clr.flags = 5;
                   i.clr.managed_native_header = {i.area.add(Bytes(16)), 16};
               }),
        broken("an entry point that is no method", entry_point, error, refuses,
               [](ImageSpec& i) { i.clr.entry_point = token(table::TypeDef, 2); }),
        broken("an entry point that does not exist", entry_point, error, refuses,
               [](ImageSpec& i) { i.clr.entry_point = token(table::MethodDef, 9); }),
        broken("an executable without an entry point", entry_point, warning, refuses,
               [](ImageSpec& i) { i.clr.entry_point = 0; }),
        broken("a native entry point in no section", entry_point, error, not_asked,
               [](ImageSpec& i) {
                   i.clr.flags = 0x10;
                   i.clr.entry_point = 0x9000;
               }),
        broken("64 bits that require 32", bitness, warning, not_asked,
               [](ImageSpec& i) {
                   i.pe.pe32_plus = true;
                   i.pe.machine = 0x8664;
                   i.clr.flags = 3;
               }),
        broken("32 bits preferred, not required", bitness, warning, runs,
               [](ImageSpec& i) { i.clr.flags = 0x20001; }),
        broken("64 bits for a machine of 32", bitness, warning, runs,
               [](ImageSpec& i) {
                   i.pe.pe32_plus = true;
                   i.pe.machine = 0x8664;
               }),
        broken("unaligned metadata", alignment, warning, runs,
               [](ImageSpec& i) {
                   const Bytes root = i.metadata.encode();
                   i.area.add(Bytes(1));
                   i.clr.metadata = {i.area.add(root, 1), size_of(root)};
               }),
    };
}

std::vector<BrokenImage> broken_native_parts() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken_thunk("no import table", import_table, error, refuses,
                     [](ThunkImage& t) { t.image.pe.directories[1] = {0, 0}; }),
        broken_thunk("no room for the import terminator", import_table, error, refuses,
                     [](ThunkImage& t) { t.image.pe.directories[1].size = 39; }),
        broken_thunk("no import lookup table", import_table, error, refuses,
                     [](ThunkImage& t) { t.put_at(t.descriptor, Bytes(4)); }),
        broken_thunk("a bound import", import_table, error, refuses,
                     [](ThunkImage& t) { t.put_at(t.descriptor + 4, {1}); }),
        broken_thunk("a second import", import_table, error, refuses,
                     [](ThunkImage& t) { t.put_at(t.descriptor + 36, {1}); }),
        broken_thunk("an import address table outside", import_table, error, refuses,
                     [](ThunkImage& t) { t.put_at(t.descriptor + 16, little_endian(0x9000, 4)); }),
        broken_thunk("another DLL", import_dll, error, refuses,
                     [](ThunkImage& t) { t.put_at(t.dll_name, bytes_of("MSCOREE.dlx")); }),
        broken_thunk("another function", import_function, error, refuses,
                     [](ThunkImage& t) { t.put_at(t.function_name + 2, bytes_of("_CorExeMane")); }),
        broken_thunk("a function by ordinal", import_function, error, refuses,
                     [](ThunkImage& t) { t.put_at(t.lookup_table + 3, {0x80}); }),
        broken_thunk(
            "two functions", import_function, error, refuses,
            [](ThunkImage& t) { t.put_at(t.lookup_table + 4, little_endian(t.function_name, 4)); }),
        broken_thunk("a library's function in an executable", import_function, warning, runs,
                     [](ThunkImage& t) { t.put_at(t.function_name + 2, bytes_of("_CorDllMain")); }),
        {"two functions in slots of 64 bits", import_function, warning, runs, build([] {
             ImageSpec image = thunk_of_64_bits();
             const ThunkImage where;
             put(image.area.bytes, where.lookup_table + 8 - image.area.base,
                 little_endian(where.function_name, 8));
             return image;
         }())},
        broken_thunk("an address table outside its directory", address_table_directory, warning,
                     runs, [](ThunkImage& t) { t.image.pe.directories[12] = {t.thunk, 4}; }),
    };
}

std::vector<BrokenImage> broken_relocations() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken_thunk("relocations that are said to be stripped", relocation_flag, error, refuses,
                     [](ThunkImage& t) { t.image.pe.characteristics = 0x0103; }),
        broken_thunk("no relocations, not said to be stripped", relocation_flag, error, refuses,
                     [](ThunkImage& t) { t.image.pe.directories[5] = {0, 0}; }),
        broken_thunk("a library without relocations", relocation_flag, error, refuses,
                     [](ThunkImage& t) {
                         t.image.pe.directories[5] = {0, 0};
                         t.image.pe.characteristics = 0x2103;
                     }),
        broken_thunk("a relocation of 64 bits on i386", relocation_block, error, refuses,
                     [](ThunkImage& t) { put(t.relocations(), 9, {0xA0}); }),
        broken_thunk("a second relocation", relocation_block, error, refuses,
                     [](ThunkImage& t) { put(t.relocations(), 11, {0x30}); }),
        broken_thunk("a block smaller than its directory", relocation_block, error, refuses,
                     [](ThunkImage& t) { put(t.relocations(), 4, {10}); }),
        broken_thunk("a block without an entry", relocation_block, error, refuses,
                     [](ThunkImage& t) {
                         put(t.relocations(), 4, {8});
                         t.image.pe.directories[5].size = 8;
                     }),
        broken_thunk("relocations in a writable section", relocation_block, error, refuses,
                     [](ThunkImage& t) { t.image.pe.sections[1].characteristics = 0xC2000040; }),
        broken_thunk("something else relocated", relocation_place, warning, runs,
                     [](ThunkImage& t) { put(t.relocations(), 8, {0x00, 0x30}); }),
        broken_thunk("other code at the entry point", entry_thunk, error, runs,
                     [](ThunkImage& t) { t.put_at(t.thunk, {0xC3}); }),
        broken_thunk("a jump through another slot", entry_thunk, error, runs,
                     [](ThunkImage& t) {
                         t.put_at(t.thunk + 2, little_endian(0x400000U + t.lookup_table, 4));
                     }),
        broken_thunk("imports and no entry point", entry_thunk, error, runs,
                     [](ThunkImage& t) { t.image.pe.address_of_entry_point = 0; }),
        broken("a shared section", shared_section, error, refuses,
               [](ImageSpec& i) { add_section(i, 0x50000040); }),
        broken("a section without rights", section_rights, error, refuses,
               [](ImageSpec& i) { add_section(i, 0x00000040); }),
        broken("a version of Windows", win32_version, error, refuses,
               [](ImageSpec& i) { i.pe.win32_version_value = 1; }),
    };
}

std::vector<BrokenImage> broken_metadata() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken("metadata of 15 bytes", root_signature, error, refuses,
               [](ImageSpec& i) { i.clr.metadata = {i.metadata_rva(), 15}; }),
        broken("a root of version 2.1", root_version, error, refuses,
               [](ImageSpec& i) { i.metadata.major_version = 2; }),
        broken("a version string past the metadata", root_signature, error, refuses,
               [](ImageSpec& i) { i.clr.metadata = {i.metadata_rva(), 24}; }),
        broken("a version string without a NUL", version_string, warning, runs,
               [](ImageSpec& i) { i.metadata.version = bytes_of("v4.0.30319.."); }),
        broken("a version string of 300 bytes", version_string, warning, runs,
               [](ImageSpec& i) { i.metadata.version.resize(300); }),
        broken("flags in the root", root_flags, error, refuses,
               [](ImageSpec& i) { i.metadata.flags = 1; }),
        broken("metadata that ends behind its stream headers", stream_header, error, refuses,
               [](ImageSpec& i) {
                   const std::uint32_t last = i.metadata.stream_header_offset(4);
                   i.clr.metadata = {i.metadata_rva(), last + 20};
               }),
        broken("a stream without a name", stream_name, error, refuses,
               [](ImageSpec& i) { i.metadata.streams.push_back(stream("", Bytes(4))); }),
        broken("a stream's name of 32 characters", stream_name, error, refuses,
               [](ImageSpec& i) {
                   i.metadata.streams.push_back(stream(std::string(32, 'n'), Bytes(4)));
               }),
    };
}

std::vector<BrokenImage> broken_streams() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken("a stream outside the metadata", stream_range, error, refuses,
               [](ImageSpec& i) {
                   i.metadata.streams.push_back(stream("#X", Bytes(4)));
                   i.metadata.streams.back().offset = 0x100000;
               }),
        broken("a stream in the headers", stream_range, error, refuses,
               [](ImageSpec& i) {
                   i.metadata.streams.push_back(stream("#X", Bytes(4)));
                   i.metadata.streams.back().offset = 0;
               }),
        broken("streams that overlap", stream_overlap, error, refuses,
               [](ImageSpec& i) {
                   i.metadata.streams.push_back(stream("#X", Bytes(8)));
                   i.metadata.streams.back().offset = i.metadata.stream_offset("#Strings");
               }),
        broken("two table streams", table_stream, error, refuses,
               [](ImageSpec& i) { i.metadata.streams.push_back(stream("#-", Contents::tables)); }),
        broken("#Schema before the tables", table_stream, error, refuses,
               [](ImageSpec& i) {
                   i.metadata.streams.insert(i.metadata.streams.begin(),
                                             stream("#Schema", Bytes(4)));
               }),
        broken("#Schema behind the tables", table_stream, warning, not_asked,
               [](ImageSpec& i) { i.metadata.streams.push_back(stream("#Schema", Bytes(4))); }),
        broken(
            "two streams of one name", stream_twice, warning, runs,
            [](ImageSpec& i) { i.metadata.streams.push_back(stream("#Blob", Contents::blobs)); }),
    };
}

std::vector<BrokenImage> broken_tables() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken("tables of version 3.0", schema_version, error, refuses,
               [](ImageSpec& i) { i.metadata.tables.major_version = 3; }),
        broken("tables of version 1.1", schema_version, error, refuses,
               [](ImageSpec& i) {
                   i.metadata.tables.major_version = 1;
                   i.metadata.tables.minor_version = 1;
               }),
        broken("rows outside the stream", table_rows, error, refuses,
               [](ImageSpec& i) { i.metadata.tables.declared_rows[table::EncLog] = 100; }),
        broken("FieldPtr in #~", pointer_tables, error, refuses,
               [](ImageSpec& i) { i.metadata.tables.add(table::FieldPtr, {1}); }),
        broken("ParamPtr in #~", pointer_tables, warning, runs,
               [](ImageSpec& i) { i.metadata.tables.add(table::ParamPtr, {1}); }),
        broken("a table of 2.0 in tables of 1.0", known_tables, error, refuses,
               [](ImageSpec& i) {
                   i.metadata.tables.major_version = 1;
                   i.metadata.tables.add(table::GenericParam, {0, 0, 0, 0});
               }),
        broken("an unknown table", known_tables, warning, runs,
               [](ImageSpec& i) {
                   i.metadata.tables.declared_rows[0x3E] = 1;
                   i.metadata.tables.raw_rows[0x3E] = Bytes(4);
               }),
        broken("no Module row", module_row, warning, runs,
               [](ImageSpec& i) { i.metadata.tables.rows.erase(table::Module); }),
        broken("two Module rows", module_row, warning, runs,
               [](ImageSpec& i) {
                   i.metadata.tables.add(table::Module, i.metadata.tables.row(table::Module, 1));
               }),
        broken("two Assembly rows", module_row, warning, runs,
               [](ImageSpec& i) {
                   i.metadata.tables.add(table::Assembly,
                                         i.metadata.tables.row(table::Assembly, 1));
               }),
        broken("a string heap without its last NUL", string_heap, warning, runs,
               [](ImageSpec& i) {
                   append(i.metadata.heaps.strings, bytes_of("cut off."));
                   i.metadata.heaps.strings.resize(i.metadata.heaps.strings.size() / 4 * 4);
               }),
        broken("no GUID", guid_heap, warning, runs,
               [](ImageSpec& i) { i.metadata.heaps.guids.clear(); }),
    };
}

std::vector<BrokenImage> broken_addresses() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken("a body outside every section", method_body, error, refuses,
               [](ImageSpec& i) { i.metadata.tables.row(table::MethodDef, 1)[0] = 0x9000; }),
        broken("a body past its section", method_body, error, refuses,
               [](ImageSpec& i) {
                   Bytes body = fat_body({0x2A});
                   put(body, 4, little_endian(0x10000, 4));
                   i.metadata.tables.row(table::MethodDef, 1)[0] = i.area.add(body);
               }),
        broken("a fat header of two words", method_body, error, refuses,
               [](ImageSpec& i) {
                   Bytes body = fat_body({0x2A});
                   put(body, 1, {0x20});
                   i.metadata.tables.row(table::MethodDef, 1)[0] = i.area.add(body);
               }),
        broken("field data outside every section", field_data, warning, runs,
               [](ImageSpec& i) { add_field_data(i, 0x9000); }),
        broken("field data past the raw data of a read-only section", field_data, warning, runs,
               [](ImageSpec& i) {
                   add_section(i, 0x40000040);
                   add_field_data(i, 0x4800);
               }),
        broken("field data without an address", field_data, warning, runs,
               [](ImageSpec& i) { add_field_data(i, 0); }),
        broken("a resource outside the resources", resource, error, runs,
               [](ImageSpec& i) {
                   i.clr.resources = {i.area.add(Bytes(8)), 8};
                   i.metadata.tables.add(table::ManifestResource,
                                         {5, 1, i.metadata.heaps.string("r"), 0});
               }),
    };
}

std::vector<BrokenImage> broken_images() {
    std::vector<BrokenImage> all;
    for (auto* some : {&broken_headers, &broken_sizes, &broken_sections, &broken_section_places,
                       &broken_directories, &broken_clr_headers, &broken_clr_contents,
                       &broken_native_parts, &broken_relocations, &broken_metadata, &broken_streams,
                       &broken_tables, &broken_addresses}) {
        for (BrokenImage& each : some()) all.push_back(std::move(each));
    }
    return all;
}

}  // namespace clrkit::test
