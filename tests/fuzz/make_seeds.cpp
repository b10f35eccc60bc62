// Writes seeds for the fuzz targets: small images, each with one thing that compilers rarely or never
// write. `fuzz_seeds FOLDER`; the stored corpora hold these and what fuzzing added.
#include "support/image_builder.h"

#include <clrkit/dotnet/metadata/schema.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace clrkit::test;
namespace col = clrkit::col;

struct Seed {
    const char* name;
    Bytes bytes;
};

/// Little-endian words of four bytes.
Bytes words(std::initializer_list<std::uint32_t> values) {
    Bytes out;
    for (const std::uint32_t value : values) append(out, little_endian(value, 4));
    return out;
}

ImageSpec uncompressed() {
    ImageSpec image = minimal();
    image.metadata.named("#~").name = bytes_of("#-");
    image.metadata.tables.add(table::MethodPtr, {1});
    image.metadata.tables.add(table::ParamPtr, {2});
    image.metadata.tables.add(table::ParamPtr, {1});
    image.metadata.tables.add(table::FieldPtr, {1});
    Heaps& heaps = image.metadata.heaps;
    for (const char* name : {"first", "second"}) {
        image.metadata.tables.add(table::Param, {0, 1, heaps.string(name)});
    }
    image.metadata.tables.add(table::Field,
                              {0x0001, heaps.string("field"), heaps.blob({0x06, 0x08})});
    return image;
}

/// Three rows in every table the standard knows, every value small.
ImageSpec every_table() {
    ImageSpec image = minimal();
    for (std::uint8_t id = 0; id <= table::GenericParamConstraint; ++id) {
        const auto& spec = clrkit::schema::of(static_cast<clrkit::Table>(id));
        const bool pointers = id == table::FieldPtr || id == table::MethodPtr ||
                              id == table::ParamPtr || id == table::EventPtr ||
                              id == table::PropertyPtr;
        if (pointers) continue;
        for (std::uint32_t rid = 1; rid <= 3; ++rid) {
            image.metadata.tables.add(static_cast<table::Id>(id), Row(spec.column_count, rid));
        }
    }
    return image;
}

/// A nested type, a generic one, a field with data, a constant, an attribute, a resource.
ImageSpec members() {
    ImageSpec image = minimal();
    Heaps& heaps = image.metadata.heaps;
    TablesSpec& tables = image.metadata.tables;
    tables.add(table::TypeDef, {0x2, heaps.string("Inner"), 0, 0, 1, 2});
    tables.add(table::NestedClass, {3, 2});
    tables.add(table::ClassLayout, {1, 12, 3});
    Bytes of_inner{0x06, 0x11};
    append(of_inner, compressed(coded("TypeDefOrRef", table::TypeDef, 3)));
    tables.add(table::Field, {0x0116, heaps.string("data"), heaps.blob(of_inner)});
    tables.add(table::Field, {0x8056, heaps.string("value"), heaps.blob({0x06, 0x08})});
    tables.add(table::FieldRVA, {image.area.add(Bytes(12, 0x5A)), 1});
    tables.add(table::Constant,
               {0x08, 0, coded("HasConstant", table::Field, 2), heaps.blob(little_endian(42, 4))});
    tables.add(table::GenericParam,
               {0, 0, coded("TypeOrMethodDef", table::TypeDef, 2), heaps.string("T")});
    const std::uint32_t versioning = heaps.string("System.Runtime.Versioning");
    tables.add(table::TypeRef, {coded("ResolutionScope", table::AssemblyRef, 1),
                                heaps.string("TargetFrameworkAttribute"), versioning});
    tables.add(table::MemberRef, {coded("MemberRefParent", table::TypeRef, 3),
                                  heaps.string(".ctor"), heaps.blob({0x20, 0x01, 0x01, 0x0E})});
    Bytes argument{0x01, 0x00, 25};
    append(argument, bytes_of(".NETCoreApp,Version=v10.0"));
    append(argument, Bytes{0, 0});
    tables.add(table::CustomAttribute,
               {coded("HasCustomAttribute", table::Assembly, 1),
                coded("CustomAttributeType", table::MemberRef, 2), heaps.blob(argument)});
    const Bytes resource = words({4, 0x64636261});
    image.clr.resources = {image.area.add(resource), static_cast<std::uint32_t>(resource.size())};
    tables.add(table::ManifestResource, {0, 1, heaps.string("text"), 0});
    return image;
}

/// mscoree's import, the thunk that jumps through it and its relocation.
ImageSpec native_start() {
    ImageSpec image = minimal();
    const std::uint32_t hint = image.area.add(bytes_of(std::string_view("\0\0_CorExeMain\0", 14)));
    const std::uint32_t dll = image.area.add(bytes_of(std::string_view("mscoree.dll\0", 12)));
    const std::uint32_t lookup = image.area.add(words({hint, 0}));
    const std::uint32_t address = image.area.add(words({hint, 0}));
    const std::uint32_t imports =
        image.area.add(words({lookup, 0, 0, dll, address, 0, 0, 0, 0, 0}));
    image.pe.directories[1] = {imports, 40};
    image.pe.directories[12] = {address, 8};
    Bytes jump{0xFF, 0x25};
    append(jump, little_endian(image.pe.image_base + address, 4));
    const std::uint32_t thunk = image.area.add(jump);
    image.pe.address_of_entry_point = thunk;
    Bytes block = words({(thunk + 2) & ~0xFFFU, 12});
    append(block, little_endian(0x3000U | ((thunk + 2) & 0xFFFU), 2));
    append(block, Bytes{0, 0});
    image.pe.directories[5] = {image.area.add(block), 12};
    return image;
}

/// A Win32 resource tree of one leaf with a name, a CodeView debug entry, a checksum and a certificate.
ImageSpec directories() {
    ImageSpec image = minimal();
    const std::uint32_t base =
        image.area.base + static_cast<std::uint32_t>(image.area.bytes.size() + 3) / 4 * 4;
    Bytes tree = words({0, 0, 0, 1U << 16U, 16, 0x80000018});
    append(tree, words({0, 0, 0, 1, 0x80000060, 0x80000030}));
    append(tree, words({0, 0, 0, 1U << 16U, 1033, 0x48}));
    append(tree, words({base + 0x68, 8, 0, 0, 0, 0}));
    append(tree, words({0x00410001, 0, 0x11223344, 0x55667788}));
    image.pe.directories[2] = {image.area.add(tree), static_cast<std::uint32_t>(tree.size())};
    Bytes view = bytes_of("RSDS");
    append(view, Bytes(16, 0x11));
    append(view, words({1, 0x2E6E696D, 0x00626470}));
    const auto size = static_cast<std::uint32_t>(view.size());
    const std::uint32_t data = image.area.add(view);
    image.pe.directories[6] = {image.area.add(words({0, 0, 0, 2, size, data, data - 0x1E00})), 28};
    image.pe.check_sum = 0x1234;
    image.pe.certificate = words({16, 0x00020200, 0xAABBCCDD, 0x01020304});
    return image;
}

/// A key and a place for a signature that holds something else.
ImageSpec strong_name(bool over_tables) {
    ImageSpec image = minimal();
    Bytes key = words({0x2400, 0x8004, 148, 0x00000206, 0x2400, 0x31415352, 1024, 65537});
    append(key, Bytes(128, 0xC3));
    image.metadata.tables.row(table::Assembly, 1)[col::Assembly::PublicKey] =
        image.metadata.heaps.blob(key);
    image.clr.flags = 9;
    image.clr.strong_name_signature = {image.area.add(Bytes(128, 0x77)), 128};
    if (over_tables) {
        image.clr.strong_name_signature.rva =
            image.metadata_rva() + image.metadata.stream_offset("#~");
    }
    return image;
}

ImageSpec streams_on_each_other() {
    ImageSpec image = minimal();
    image.metadata.named("#GUID").offset = 0;
    image.metadata.named("#Blob").offset = image.metadata.stream_offset("#Strings");
    return image;
}

ImageSpec table_streams_of_both_kinds(std::string_view more) {
    ImageSpec image = minimal();
    auto& streams = image.metadata.streams;
    streams.push_back(stream("#-", Contents::tables));
    streams.push_back(stream(more, Bytes{}));
    streams.push_back(stream("#strings", Contents::strings));
    return image;
}

ImageSpec ready_to_run() {
    ImageSpec image = members();
    image.clr.managed_native_header = {image.area.add(bytes_of("RTR header")), 10};
    return image;
}

ImageSpec pe32_plus() {
    ImageSpec image = native_start();
    image.pe.pe32_plus = true;
    image.pe.machine = 0x8664;
    return image;
}

/// Sections aligned below a page: Windows maps the file flat.
ImageSpec flat() {
    ImageSpec image = minimal(0x450);
    image.pe.section_alignment = 0x200;
    image.pe.sections.front().virtual_address = 0x400;
    image.pe.sections.front().raw_pointer = 0x400;
    return image;
}

ImageSpec wide_indexes() {
    ImageSpec image = members();
    image.metadata.tables.heap_sizes = 7 | 0x40;
    image.metadata.tables.extra_data = 0x12345678;
    return image;
}

std::vector<Seed> seeds() {
    return {
        {"minimal", build(minimal())},
        {"uncompressed-with-pointer-tables", build(uncompressed())},
        {"every-table", build(every_table())},
        {"members", build(members())},
        {"native-start", build(native_start())},
        {"pe-directories", build(directories())},
        {"strong-name", build(strong_name(false))},
        {"signature-over-tables", build(strong_name(true))},
        {"streams-on-each-other", build(streams_on_each_other())},
        {"both-table-streams", build(table_streams_of_both_kinds("#JTD"))},
        {"schema-stream", build(table_streams_of_both_kinds("#Schema"))},
        {"ready-to-run", build(ready_to_run())},
        {"pe32-plus", build(pe32_plus())},
        {"flat", build(flat())},
        {"wide-indexes", build(wide_indexes())},
        {"portable-pdb", minimal_pdb().encode()},
        {"metadata-alone", members().metadata.encode()},
    };
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    for (const Seed& seed : seeds()) {
        std::ofstream file(std::string(argv[1]) + "/" + seed.name, std::ios::binary);
        file.write(reinterpret_cast<const char*>(seed.bytes.data()),
                   static_cast<std::streamsize>(seed.bytes.size()));
    }
    return 0;
}
