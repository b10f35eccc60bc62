// Data directories of a PE file that are wrong: debug, Win32 resources, imports, certificates, TLS,
// vtable fixups. The number in front of a test's name is its row in docs/robustness.md.
#include "support/catch.h"
#include "support/opened.h"

#include <clrkit/core/pe/certificates.h>
#include <clrkit/core/pe/debug_directory.h>
#include <clrkit/core/pe/imports.h>
#include <clrkit/core/pe/resources.h>

using namespace clrkit;
using namespace clrkit::test;

namespace {

constexpr int import_directory = 1;
constexpr int resource_directory = 2;
constexpr int debug_directory = 6;
constexpr int tls_directory = 9;
constexpr std::uint32_t nowhere = 0x7FFF0000;

Bytes joined(std::initializer_list<Bytes> parts) {
    Bytes out;
    for (const Bytes& part : parts) append(out, part);
    return out;
}

Bytes u16(std::uint32_t value) { return little_endian(value, 2); }
Bytes u32(std::uint32_t value) { return little_endian(value, 4); }

Bytes debug_entry(std::uint32_t size, std::uint32_t rva, std::uint32_t pointer) {
    return joined({u32(0), u32(0), u32(0), u32(2), u32(size), u32(rva), u32(pointer)});
}

/// The image with one debug entry, as given, and its data at a known place.
struct WithDebug {
    ImageSpec image = minimal();
    std::uint32_t data_rva = image.area.add(Bytes(16, 0xDB));
    std::uint32_t data_offset = data_rva - 0x2000 + 0x200;

    Opened open_with(const Bytes& entry, std::uint32_t declared_size = 28) {
        const std::uint32_t rva = image.area.add(entry);
        image.pe.directories[debug_directory] = {rva, declared_size};
        return open(image);
    }
};

Bytes resource_header(std::uint32_t named, std::uint32_t ids) {
    return joined({u32(0), u32(0), u32(0), u16(named), u16(ids)});
}

constexpr std::uint32_t to_directory = 0x80000000;
constexpr std::uint32_t by_name = 0x80000000;

/// A section of Win32 resources; `make` gets the RVA that it will be at.
template <class Make>
ImageSpec with_resources(Make make, std::string_view name = ".rsrc") {
    ImageSpec image = minimal();
    SectionSpec section;
    section.name = bytes_of(name);
    section.characteristics = 0x40000040;
    section.virtual_address = 0x8000;
    section.data = make(0x8000U);
    image.pe.sections.push_back(section);
    image.pe.directories[resource_directory] = {0x8000,
                                                static_cast<std::uint32_t>(section.data.size())};
    return image;
}

/// Type 16, name 1, language 0: one leaf of four bytes at 0x58.
Bytes one_leaf(std::uint32_t rva) {
    return joined({resource_header(0, 1), u32(16), u32(to_directory | 0x18),  // 0x00
                   resource_header(0, 1), u32(1), u32(to_directory | 0x30),   // 0x18
                   resource_header(0, 1), u32(0), u32(0x48),                  // 0x30
                   u32(rva + 0x58), u32(4), u32(0), u32(0),                   // 0x48
                   bytes_of("leaf")});
}

pe::Resources resources_of(const Opened& opened) {
    return pe::Resources::read(opened.container.image);
}

}  // namespace

// ------------------------------------------------------------------------------------------ debug

TEST_CASE("PE-32 the debug directory lies outside the image: no entries") {
    ImageSpec image = minimal();
    image.pe.directories[debug_directory] = {nowhere, 28};
    const Opened opened = open(image);
    require_kept(opened);
    Diagnostics diagnostics;
    const auto debug = pe::DebugDirectory::read(opened.container.image, &diagnostics);
    CHECK(debug.entries.empty());
    CHECK(diagnostics.count(ErrorCode::pe_directory_outside) == 1);
}

TEST_CASE("PE-32 the debug directory's size is 4 GiB: the entries that have data") {
    WithDebug spec;
    const Opened opened =
        spec.open_with(debug_entry(16, spec.data_rva, spec.data_offset), 0xFFFFFFFF);
    require_kept(opened);
    const auto debug = pe::DebugDirectory::read(opened.container.image);
    REQUIRE_FALSE(debug.entries.empty());
    CHECK(debug.entries[0].data.size() == 16);
    CHECK_FALSE(debug.complete);
}

TEST_CASE("PE-32 the debug directory's size is no multiple of an entry's: whole entries count") {
    WithDebug spec;
    const Opened opened = spec.open_with(debug_entry(16, spec.data_rva, spec.data_offset), 28 + 27);
    require_kept(opened);
    const auto debug = pe::DebugDirectory::read(opened.container.image);
    REQUIRE(debug.entries.size() == 1);
    CHECK(debug.entries[0].data.size() == 16);
}

TEST_CASE("PE-33 a debug entry's data is larger than the file: the entry stays without data") {
    for (const std::uint32_t size : {0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFFU}) {
        INFO("SizeOfData " << size);
        WithDebug spec;
        const Opened opened = spec.open_with(debug_entry(size, spec.data_rva, spec.data_offset));
        require_kept(opened);
        Diagnostics diagnostics;
        const auto debug = pe::DebugDirectory::read(opened.container.image, &diagnostics);
        REQUIRE(debug.entries.size() == 1);
        CHECK(debug.entries[0].header.size_of_data == size);
        CHECK(debug.entries[0].data.empty());
        CHECK_FALSE(diagnostics.empty());
    }
}

TEST_CASE("PE-33 a debug entry has one of address and pointer: its data is found by that one") {
    for (const bool by_pointer : {true, false}) {
        WithDebug spec;
        const Opened opened = spec.open_with(
            debug_entry(16, by_pointer ? 0 : spec.data_rva, by_pointer ? spec.data_offset : 0));
        require_kept(opened);
        const auto debug = pe::DebugDirectory::read(opened.container.image);
        REQUIRE(debug.entries.size() == 1);
        REQUIRE(debug.entries[0].data.size() == 16);
        CHECK(debug.entries[0].data[0] == 0xDB);
    }
}

// -------------------------------------------------------------------------------- Win32 resources

TEST_CASE("the tests' own resource tree is well-formed") {
    const Opened opened = open(with_resources(one_leaf));
    require_kept(opened);
    const pe::Resources resources = resources_of(opened);
    CHECK(resources.complete);
    REQUIRE(resources.find(16U) != nullptr);
    CHECK(resources.find(16U)->data.size() == 4);
}

TEST_CASE("PE-34 a resource directory contains itself: each directory is read once") {
    const Opened opened = open(with_resources([](std::uint32_t) {
        return joined(
            {resource_header(0, 2), u32(1), u32(to_directory), u32(2), u32(to_directory)});
    }));
    require_kept(opened);
    const pe::Resources resources = resources_of(opened);
    CHECK(resources.directories.size() == 1);
    CHECK_FALSE(resources.complete);
}

TEST_CASE("PE-34 resource directories deeper than the limit: read as far as it allows") {
    const Opened opened = open(with_resources([](std::uint32_t) {
        Bytes chain;
        for (std::uint32_t i = 1; i <= 5000; ++i) {
            append(chain, resource_header(0, 1));
            append(chain, joined({u32(1), u32(to_directory | i * 24)}));
        }
        append(chain, resource_header(0, 0));
        return chain;
    }));
    require_kept(opened);
    Limits limits;
    limits.depth = 100;
    const auto resources = pe::Resources::read(opened.container.image, nullptr, limits);
    CHECK(resources.directories.size() <= 101);
    CHECK_FALSE(resources.complete);
}

TEST_CASE("PE-34 a resource directory of 131070 entries: as many as the file holds") {
    const Opened opened = open(with_resources([](std::uint32_t) {
        return joined({resource_header(0xFFFF, 0xFFFF), u32(1), u32(0x1000)});
    }));
    require_kept(opened);
    const pe::Resources resources = resources_of(opened);
    CHECK(resources.entries.size() < 0x200 / 8);
    CHECK_FALSE(resources.complete);
}

TEST_CASE("PE-34 every entry of a resource directory leads to it and to the others: bounded") {
    // 60 directories of 60 entries, each leading to all of them: 60 to the power of any depth ways.
    const Opened opened = open(with_resources([](std::uint32_t) {
        Bytes all;
        for (std::uint32_t i = 0; i < 60; ++i) {
            append(all, resource_header(0, 60));
            for (std::uint32_t j = 0; j < 60; ++j) {
                append(all, joined({u32(j), u32(to_directory | j * (16 + 60 * 8))}));
            }
        }
        return all;
    }));
    require_kept(opened);
    const pe::Resources resources = resources_of(opened);
    CHECK(resources.directories.size() == 60);
    CHECK(resources.entries.size() == 3600);
}

TEST_CASE("PE-35 a resource name lies outside, or is longer than the file: the entry stays") {
    for (const std::uint32_t at : {0x7FFFFFF0U, 0x58U}) {
        const Opened opened = open(with_resources([at](std::uint32_t rva) {
            Bytes tree = one_leaf(rva);
            put(tree, 12, u16(1));  // one named entry, no ids
            put(tree, 14, u16(0));
            put(tree, 16, u32(by_name | at));
            put(tree, 0x58, u16(0xFFFF));
            return tree;
        }));
        require_kept(opened);
        const pe::Resources resources = resources_of(opened);
        REQUIRE_FALSE(resources.entries.empty());
        CHECK(resources.entries[0].has_name());
        CHECK(resources.entries[0].name == pe::no_index);
        CHECK(resources.leaves.size() == 1);
        CHECK_FALSE(resources.complete);
    }
}

TEST_CASE("PE-36 a resource's data lies outside the image: the leaf stays without data") {
    const Opened opened = open(with_resources([](std::uint32_t rva) {
        Bytes tree = one_leaf(rva);
        put(tree, 0x48, u32(nowhere));
        return tree;
    }));
    require_kept(opened);
    const pe::Resources resources = resources_of(opened);
    REQUIRE(resources.leaves.size() == 1);
    CHECK(resources.leaves[0].header.rva == nowhere);
    CHECK(resources.leaves[0].data.empty());
    CHECK_FALSE(resources.complete);
}

TEST_CASE("PE-37 Win32 resources in a section of another name: found") {
    const Opened opened = open(with_resources(one_leaf, ".upx0"));
    require_kept(opened);
    CHECK(resources_of(opened).find(16U) != nullptr);
}

TEST_CASE("PE-37 the resource directory's size is 0: not asked") {
    ImageSpec image = with_resources(one_leaf);
    image.pe.directories[resource_directory].size = 0;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(resources_of(opened).find(16U) != nullptr);
}

// ------------------------------------------------------------ imports, certificates, native parts

TEST_CASE("PE-39 the import directory lies outside, or holds garbage: opens") {
    ImageSpec image = minimal();
    image.pe.directories[import_directory] = {nowhere, 40};
    const Opened outside = open(image);
    require_kept(outside);
    CHECK_FALSE(pe::Imports::read(outside.container.image).complete);

    Bytes garbage;
    for (std::uint32_t i = 0; i < 400; ++i) append(garbage, u32(0x2050 + i * 7919));
    image.pe.directories[import_directory] = {image.area.add(garbage), 0xFFFFFFFF};
    const Opened noise = open(image);
    require_kept(noise);
    CHECK_FALSE(pe::Imports::read(noise.container.image).complete);
}

TEST_CASE("PE-40 a certificate of wrong size, or past the end of the file: opens and is kept") {
    for (const std::uint32_t length : {0U, 7U, 0x10U, 0xFFFFFFFFU}) {
        INFO("dwLength " << length);
        ImageSpec image = minimal();
        image.pe.certificate = joined({u32(length), u16(0x200), u16(2), Bytes(24, 0x30)});
        require_kept(open(image));
    }
    ImageSpec image = minimal();
    image.pe.overlay = Bytes(100, 0x0F);
    image.pe.directories[4] = {0x7FFFFFF0, 0xFFFFFFFF};
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(pe::Certificates::read(opened.container.image).entries.empty());
}

TEST_CASE("PE-41 TLS callbacks, a native entry point, ILONLY clear: opens, and nothing may move") {
    ImageSpec image = minimal();
    image.pe.directories[tls_directory] = {image.area.add(Bytes(24, 0x11)), 24};
    image.pe.address_of_entry_point = image.area.add({0xC3});
    image.clr.flags = 0x10;  // native entry point
    image.clr.entry_point = image.pe.address_of_entry_point;
    const Opened opened = open(image);
    require_kept(opened);
    SaveOptions all;
    all.emit = Emit::all;
    const auto saved = opened.module->save_to_memory(all);
    REQUIRE_FALSE(saved.has_value());
    CHECK(saved.error().code == ErrorCode::not_closed);
}

TEST_CASE("PE-42 vtable fixups with no slots, too many, or slots outside the image: opens") {
    const Bytes cases[] = {
        joined({u32(0x2050), u16(0), u16(1)}),
        joined({u32(0x2050), u16(0xFFFF), u16(2)}),
        joined({u32(nowhere), u16(1), u16(1)}),
    };
    for (const Bytes& fixups : cases) {
        ImageSpec image = minimal();
        const std::uint32_t rva = image.area.add(fixups);
        image.clr.vtable_fixups = {rva, static_cast<std::uint32_t>(fixups.size())};
        require_kept(open(image));
        image.clr.vtable_fixups.size = 0xFFFFFFFF;
        require_kept(open(image));
    }
}
