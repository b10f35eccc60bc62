#include "support/image_builder.h"

#include <algorithm>
#include <stdexcept>

namespace clrkit::test {
namespace {

std::uint32_t aligned(std::uint64_t value, std::uint32_t alignment) {
    if (alignment <= 1) return static_cast<std::uint32_t>(value);
    return static_cast<std::uint32_t>((value + alignment - 1) / alignment * alignment);
}

void pad_to(Bytes& bytes, std::size_t size) {
    if (bytes.size() < size) bytes.resize(size);
}

void pad4(Bytes& bytes) { bytes.resize((bytes.size() + 3) / 4 * 4); }

void append_directory(Bytes& out, const DirectorySpec& directory) {
    append(out, little_endian(directory.rva, 4));
    append(out, little_endian(directory.size, 4));
}

std::uint32_t size32(const Bytes& bytes) { return static_cast<std::uint32_t>(bytes.size()); }

}  // namespace

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

Bytes little_endian(std::uint64_t value, int count) {
    Bytes out;
    for (int i = 0; i < count; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    return out;
}

void append(Bytes& to, const Bytes& part) { to.insert(to.end(), part.begin(), part.end()); }

void put(Bytes& in, std::uint64_t offset, const Bytes& part) {
    const auto at = static_cast<std::size_t>(offset);
    pad_to(in, at + part.size());
    std::copy(part.begin(), part.end(), in.begin() + static_cast<std::ptrdiff_t>(at));
}

Bytes compressed(std::uint32_t value) {
    const auto byte = [&](int shift) { return static_cast<std::uint8_t>(value >> shift); };
    if (value < 0x80) return {byte(0)};
    if (value < 0x4000) return {static_cast<std::uint8_t>(0x80 | byte(8)), byte(0)};
    return {static_cast<std::uint8_t>(0xC0 | byte(24)), byte(16), byte(8), byte(0)};
}

// -------------------------------------------------------------------------------------- metadata

std::uint32_t Heaps::string(std::string_view text) {
    if (text.empty()) return 0;
    const std::uint32_t offset = size32(strings);
    append(strings, bytes_of(text));
    strings.push_back(0);
    return offset;
}

std::uint32_t Heaps::user_string(std::u16string_view text) {
    const std::uint32_t offset = size32(user_strings);
    append(user_strings, compressed(static_cast<std::uint32_t>(2 * text.size() + 1)));
    for (const char16_t unit : text) append(user_strings, little_endian(unit, 2));
    user_strings.push_back(0);
    return offset;
}

std::uint32_t Heaps::blob(const Bytes& contents) {
    const std::uint32_t offset = size32(blobs);
    append(blobs, compressed(size32(contents)));
    append(blobs, contents);
    return offset;
}

std::uint32_t Heaps::guid(const std::array<std::uint8_t, 16>& value) {
    guids.insert(guids.end(), value.begin(), value.end());
    return size32(guids) / 16;
}

StreamSpec stream(std::string_view name, Contents contents) {
    StreamSpec spec;
    spec.name = bytes_of(name);
    spec.contents = contents;
    return spec;
}

StreamSpec stream(std::string_view name, Bytes contents) {
    StreamSpec spec;
    spec.name = bytes_of(name);
    spec.bytes = std::move(contents);
    return spec;
}

std::vector<StreamSpec> MetadataSpec::usual_streams() {
    return {stream("#~", Contents::tables), stream("#Strings", Contents::strings),
            stream("#US", Contents::user_strings), stream("#GUID", Contents::guids),
            stream("#Blob", Contents::blobs)};
}

StreamSpec& MetadataSpec::named(std::string_view name) {
    for (StreamSpec& spec : streams) {
        if (spec.name == bytes_of(name)) return spec;
    }
    throw std::logic_error("no stream of that name");
}

void MetadataSpec::remove(std::string_view name) {
    std::erase_if(streams, [&](const StreamSpec& spec) { return spec.name == bytes_of(name); });
}

Bytes MetadataSpec::contents_of(const StreamSpec& spec) const {
    switch (spec.contents) {
        case Contents::bytes: return spec.bytes;
        case Contents::tables: return tables.encode();
        case Contents::strings: return heaps.strings;
        case Contents::user_strings: return heaps.user_strings;
        case Contents::guids: return heaps.guids;
        case Contents::blobs: return heaps.blobs;
    }
    return {};
}

namespace {

Bytes stream_name_field(const StreamSpec& spec) {
    Bytes field = spec.name;
    if (spec.name_padding) {
        append(field, *spec.name_padding);
    } else {
        field.push_back(0);
        pad4(field);
    }
    return field;
}

}  // namespace

std::uint32_t MetadataSpec::stream_header_offset(std::size_t index) const {
    std::size_t at = 16 + version.size() + 4;
    for (std::size_t i = 0; i < index; ++i) at += 8 + stream_name_field(streams.at(i)).size();
    return static_cast<std::uint32_t>(at);
}

std::uint32_t MetadataSpec::stream_offset(std::size_t index) const {
    std::size_t at = aligned(stream_header_offset(streams.size()), 4);
    for (std::size_t i = 0; i < index; ++i) at += aligned(contents_of(streams.at(i)).size(), 4);
    return static_cast<std::uint32_t>(at);
}

std::uint32_t MetadataSpec::stream_offset(std::string_view name) const {
    for (std::size_t i = 0; i < streams.size(); ++i) {
        if (streams[i].name == bytes_of(name)) return stream_offset(i);
    }
    throw std::logic_error("no stream of that name");
}

Bytes MetadataSpec::encode() const {
    Bytes out = little_endian(signature, 4);
    append(out, little_endian(major_version, 2));
    append(out, little_endian(minor_version, 2));
    append(out, little_endian(reserved, 4));
    append(out, little_endian(version_length.value_or(size32(version)), 4));
    append(out, version);
    out.push_back(flags);
    out.push_back(padding);
    append(out,
           little_endian(stream_count.value_or(static_cast<std::uint16_t>(streams.size())), 2));
    Bytes contents;
    std::uint32_t at = stream_offset(std::size_t{0});
    for (const StreamSpec& spec : streams) {
        Bytes part = contents_of(spec);
        const std::uint32_t exact = size32(part);
        pad4(part);
        append(out, little_endian(spec.offset.value_or(at), 4));
        append(out,
               little_endian(spec.size.value_or(spec.padding_counts ? size32(part) : exact), 4));
        append(out, stream_name_field(spec));
        at += size32(part);
        append(contents, part);
    }
    pad4(out);
    append(out, contents);
    append(out, trailing);
    return out;
}

// ----------------------------------------------------------------------------------- CLR header, PE

Bytes ClrSpec::encode(DirectorySpec metadata_at) const {
    Bytes out = little_endian(size, 4);
    append(out, little_endian(major_runtime_version, 2));
    append(out, little_endian(minor_runtime_version, 2));
    append_directory(out, metadata.value_or(metadata_at));
    append(out, little_endian(flags, 4));
    append(out, little_endian(entry_point, 4));
    for (const DirectorySpec& directory :
         {resources, strong_name_signature, code_manager_table, vtable_fixups,
          export_address_table_jumps, managed_native_header}) {
        append_directory(out, directory);
    }
    return out;
}

PeSpec::PeSpec() {
    dos = bytes_of("MZ");
    append(dos, {0x90, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0xB8, 0});
    pad_to(dos, 0x40);
    append(dos,
           {0x0E, 0x1F, 0xBA, 0x0E, 0x00, 0xB4, 0x09, 0xCD, 0x21, 0xB8, 0x01, 0x4C, 0xCD, 0x21});
    append(dos, bytes_of("This program cannot be run in DOS mode.\r\r\n$"));
    pad_to(dos, 0x80);
}

namespace {

/// Sections with every address decided.
std::vector<SectionSpec> placed(const PeSpec& spec, std::uint32_t headers_size) {
    std::vector<SectionSpec> out = spec.sections;
    std::uint32_t rva =
        spec.section_alignment <= 1 ? 0x2000 : aligned(0x1001, spec.section_alignment);
    std::uint32_t file = headers_size;
    for (SectionSpec& section : out) {
        const std::uint32_t size = size32(section.data);
        if (!section.virtual_size) section.virtual_size = size;
        if (!section.virtual_address) section.virtual_address = rva;
        if (!section.raw_size) section.raw_size = aligned(size, spec.file_alignment);
        if (!section.raw_pointer) section.raw_pointer = size == 0 ? 0 : file;
        if (!section.placed_at) section.placed_at = section.raw_pointer;
        const std::uint64_t extent = std::max(*section.virtual_size, size);
        rva = aligned(std::uint64_t{*section.virtual_address} + extent,
                      std::max(spec.section_alignment, 0x1000U));
        if (size != 0)
            file = aligned(std::uint64_t{*section.placed_at} + size, spec.file_alignment);
    }
    return out;
}

Bytes encode_section_header(const SectionSpec& section) {
    Bytes out = section.name;
    out.resize(8);
    append(out, little_endian(*section.virtual_size, 4));
    append(out, little_endian(*section.virtual_address, 4));
    append(out, little_endian(*section.raw_size, 4));
    append(out, little_endian(*section.raw_pointer, 4));
    append(out, Bytes(12));
    append(out, little_endian(section.characteristics, 4));
    return out;
}

Bytes encode_coff(const PeSpec& spec, std::uint16_t optional_size) {
    Bytes out = little_endian(spec.signature, 4);
    append(out, little_endian(spec.machine, 2));
    append(
        out,
        little_endian(
            spec.number_of_sections.value_or(static_cast<std::uint16_t>(spec.sections.size())), 2));
    append(out, little_endian(spec.time_date_stamp, 4));
    append(out, little_endian(spec.pointer_to_symbol_table, 4));
    append(out, little_endian(spec.number_of_symbols, 4));
    append(out, little_endian(spec.size_of_optional_header.value_or(optional_size), 2));
    append(out, little_endian(spec.characteristics, 2));
    return out;
}

/// The optional header without its directories.
Bytes encode_optional(const PeSpec& spec, const std::vector<SectionSpec>& sections,
                      std::uint32_t headers_size) {
    const int word = spec.pe32_plus ? 8 : 4;
    std::uint32_t code = 0;
    std::uint32_t image_size = aligned(headers_size, spec.section_alignment);
    for (const SectionSpec& section : sections) {
        code += *section.raw_size;
        image_size = std::max(
            image_size, aligned(std::uint64_t{*section.virtual_address} + *section.virtual_size,
                                spec.section_alignment));
    }
    Bytes out = little_endian(spec.magic.value_or(spec.pe32_plus ? 0x20B : 0x10B), 2);
    append(out, little_endian(spec.linker_version, 2));
    append(out, little_endian(spec.size_of_code.value_or(code), 4));
    append(out, little_endian(spec.size_of_initialized_data, 4));
    append(out, little_endian(spec.size_of_uninitialized_data, 4));
    append(out, little_endian(spec.address_of_entry_point, 4));
    append(out, little_endian(spec.base_of_code, 4));
    if (!spec.pe32_plus) append(out, little_endian(spec.base_of_data, 4));
    append(out, little_endian(spec.image_base, word));
    append(out, little_endian(spec.section_alignment, 4));
    append(out, little_endian(spec.file_alignment, 4));
    append(out, little_endian(spec.operating_system_version, 4));
    append(out, little_endian(spec.image_version, 4));
    append(out, little_endian(spec.subsystem_version, 4));
    append(out, little_endian(spec.win32_version_value, 4));
    append(out, little_endian(spec.size_of_image.value_or(image_size), 4));
    append(out, little_endian(spec.size_of_headers.value_or(headers_size), 4));
    append(out, little_endian(spec.check_sum, 4));
    append(out, little_endian(spec.subsystem, 2));
    append(out, little_endian(spec.dll_characteristics, 2));
    for (const std::uint64_t size : {spec.size_of_stack_reserve, spec.size_of_stack_commit,
                                     spec.size_of_heap_reserve, spec.size_of_heap_commit}) {
        append(out, little_endian(size, word));
    }
    append(out, little_endian(spec.loader_flags, 4));
    append(out, little_endian(spec.number_of_rva_and_sizes, 4));
    return out;
}

}  // namespace

Bytes build(const PeSpec& spec) {
    const std::uint32_t headers_end = spec.section_header_offset(spec.sections.size());
    const std::uint32_t headers_size = aligned(headers_end, spec.file_alignment);
    const std::vector<SectionSpec> sections = placed(spec, headers_size);

    Bytes body;  // sections, overlay, certificate
    pad_to(body, headers_size);
    for (const SectionSpec& section : sections) {
        if (section.data.empty()) continue;
        put(body, *section.placed_at, section.data);
        pad_to(body, aligned(body.size(), spec.file_alignment));
    }
    append(body, spec.overlay);
    std::map<int, DirectorySpec> directories = spec.directories;
    if (!spec.certificate.empty()) {
        pad_to(body, aligned(body.size(), 8));
        directories.try_emplace(4, DirectorySpec{size32(body), size32(spec.certificate)});
        append(body, spec.certificate);
    }

    Bytes optional = encode_optional(spec, sections, headers_size);
    for (std::size_t i = 0; i < spec.directory_slots; ++i) {
        append_directory(optional, directories[static_cast<int>(i)]);
    }
    append(optional, spec.optional_header_tail);

    put(body, 0, spec.dos);
    put(body, 0x3C, little_endian(spec.pe_offset.value_or(spec.pe_placed_at), 4));
    put(body, spec.pe_placed_at, encode_coff(spec, static_cast<std::uint16_t>(optional.size())));
    put(body, spec.optional_offset(), optional);
    for (std::size_t i = 0; i < sections.size(); ++i) {
        put(body, spec.section_header_offset(i), encode_section_header(sections[i]));
    }
    for (const Patch& patch : spec.patches) put(body, patch.offset, patch.bytes);
    return body;
}

std::uint32_t Area::add(const Bytes& contents, std::uint32_t alignment) {
    pad_to(bytes, aligned(std::uint64_t{base} + bytes.size(), alignment) - base);
    const std::uint32_t rva = base + size32(bytes);
    append(bytes, contents);
    return rva;
}

std::uint32_t ImageSpec::metadata_rva() const {
    return aligned(std::uint64_t{area.base} + area.bytes.size(), 4);
}

Bytes ImageSpec::contents() const {
    const Bytes root = metadata.encode();
    Bytes out = clr.encode({metadata_rva(), size32(root)});
    pad_to(out, 0x50);
    append(out, area.bytes);
    pad4(out);
    append(out, root);
    return out;
}

std::uint32_t ImageSpec::offset_of(std::uint32_t rva) const {
    PeSpec filled = pe;
    for (SectionSpec& section : filled.sections) {
        if (section.holds_image) section.data = contents();
    }
    const std::uint32_t headers_size =
        aligned(filled.section_header_offset(filled.sections.size()), filled.file_alignment);
    for (const SectionSpec& section : placed(filled, headers_size)) {
        if (section.holds_image) return rva - *section.virtual_address + *section.placed_at;
    }
    throw std::logic_error("no section holds the image");
}

std::uint32_t ImageSpec::tables_offset() const {
    for (std::size_t i = 0; i < metadata.streams.size(); ++i) {
        if (metadata.streams[i].contents == Contents::tables) {
            return metadata_offset() + metadata.stream_offset(i);
        }
    }
    throw std::logic_error("no stream holds the tables");
}

Bytes build(const ImageSpec& spec) {
    PeSpec pe = spec.pe;
    for (SectionSpec& section : pe.sections) {
        if (section.holds_image) section.data = spec.contents();
    }
    pe.directories.try_emplace(14, DirectorySpec{spec.clr_rva(), 72});
    return build(pe);
}

Bytes tiny_body(const Bytes& code) {
    if (code.size() > 63) throw std::logic_error("too long for a tiny header");
    Bytes out{static_cast<std::uint8_t>(code.size() << 2 | 2)};
    append(out, code);
    return out;
}

Bytes fat_body(const Bytes& code, std::uint16_t max_stack, std::uint32_t locals) {
    Bytes out = little_endian(0x3013, 2);  // fat, init locals, three words long
    append(out, little_endian(max_stack, 2));
    append(out, little_endian(code.size(), 4));
    append(out, little_endian(locals, 4));
    append(out, code);
    return out;
}

ImageSpec minimal(std::uint32_t area_rva) {
    ImageSpec image;
    image.area.base = area_rva;
    SectionSpec text;
    text.name = bytes_of(".text");
    text.holds_image = true;
    image.pe.sections.push_back(text);

    MetadataSpec& metadata = image.metadata;
    metadata.streams = MetadataSpec::usual_streams();
    Heaps& heaps = metadata.heaps;
    TablesSpec& tables = metadata.tables;

    Bytes code{0x72};  // ldstr
    append(code, little_endian(0x70000000 | heaps.user_string(u"minimal"), 4));
    code.push_back(0x28);  // call
    append(code, little_endian(token(table::MemberRef, minimal_rows::write_line), 4));
    append(code, {0x1F, 42, 0x2A});  // ldc.i4.s 42, ret
    const std::uint32_t body = image.area.add(tiny_body(code));

    tables.add(table::Module,
               {0, heaps.string("minimal.exe"),
                heaps.guid({0x6D, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}), 0, 0});
    const std::uint32_t corlib =
        tables.add(table::AssemblyRef,
                   {4, 0, 0, 0, 0, heaps.blob({0xB7, 0x7A, 0x5C, 0x56, 0x19, 0x34, 0xE0, 0x89}),
                    heaps.string("mscorlib"), 0, 0});
    const std::uint32_t scope = coded("ResolutionScope", table::AssemblyRef, corlib);
    const std::uint32_t system = heaps.string("System");
    tables.add(table::TypeRef, {scope, heaps.string("Object"), system});
    tables.add(table::TypeRef, {scope, heaps.string("Console"), system});
    tables.add(table::TypeDef, {0, heaps.string("<Module>"), 0, 0, 1, 1});
    tables.add(table::TypeDef,
               {0x00100001, heaps.string("Program"), heaps.string("Minimal"),
                coded("TypeDefOrRef", table::TypeRef, minimal_rows::object_ref), 1, 1});
    tables.add(table::MethodDef,
               {body, 0, 0x0096, heaps.string("Main"), heaps.blob({0x00, 0x00, 0x08}), 1});
    tables.add(table::MemberRef,
               {coded("MemberRefParent", table::TypeRef, minimal_rows::console_ref),
                heaps.string("WriteLine"), heaps.blob({0x00, 0x01, 0x01, 0x0E})});
    tables.add(table::Assembly, {0x8004, 1, 0, 0, 0, 0, 0, heaps.string("minimal"), 0});
    image.clr.entry_point = token(table::MethodDef, minimal_rows::main);
    return image;
}

MetadataSpec minimal_pdb() {
    MetadataSpec pdb;
    pdb.version = bytes_of(std::string_view("PDB v1.0\0\0\0\0", 12));
    pdb.streams = {stream("#Pdb", Bytes{}),
                   stream("#~", Contents::tables),
                   stream("#Strings", Contents::strings),
                   stream("#US", Contents::user_strings),
                   stream("#GUID", Contents::guids),
                   stream("#Blob", Contents::blobs)};
    TablesSpec& tables = pdb.tables;
    tables.sorted = 0;
    tables.referenced_rows = {{table::Module, 1}, {table::TypeDef, 2}, {table::MethodDef, 1}};
    const std::uint32_t part = pdb.heaps.blob(bytes_of("minimal.cs"));
    Bytes name{'/', 0};
    append(name, compressed(part));
    tables.add(table::Document, {pdb.heaps.blob(name), 0, 0, 0});
    tables.add(table::MethodDebugInformation, {0, 0});

    Bytes id(20, 0x50);
    append(id, little_endian(token(table::MethodDef, 1), 4));
    std::uint64_t mask = 0;
    for (const auto& [of, count] : tables.referenced_rows) mask |= std::uint64_t{1} << of;
    append(id, little_endian(mask, 8));
    for (const auto& [of, count] : tables.referenced_rows) append(id, little_endian(count, 4));
    pdb.named("#Pdb").bytes = id;
    return pdb;
}

}  // namespace clrkit::test
