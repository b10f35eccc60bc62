#include "core/pe_sample.h"

#include <clrkit/core/pe/imports.h>
#include <clrkit/core/pe/relocations.h>

using namespace clrkit;
using namespace clrkit::test;
using pe::EntryThunk;
using pe::Imports;
using pe::Relocations;

namespace {

// One import of one function: descriptor, terminator, lookup table at 0x28, address table at 0x30,
// hint and name at 0x38, the DLL's name at 0x48.
Bytes mscoree(std::string_view dll = "mscoree.dll", std::string_view function = "_CorExeMain") {
    Bytes out = words({part_rva + 0x28, 0, 0, part_rva + 0x48, part_rva + 0x30, 0, 0, 0, 0, 0,
                       part_rva + 0x38, 0, part_rva + 0x38, 0});
    append(out, little_endian(0x77, 2));  // hint
    append(out, text0(function));
    out.resize(0x48);
    append(out, text0(dll));
    return out;
}

PeSpec importing(const Bytes& part) { return pe_with(pe::Directory::import_table, part); }

/// The code at 0x2000 is the entry point.
PeSpec entering(PeSpec spec, const Bytes& code) {
    put(spec.sections[0].data, 0, code);
    spec.address_of_entry_point = 0x2000;
    return spec;
}

Imports read_bad(const Sample& sample, Diagnostics& diagnostics) {
    const Imports imports = Imports::read(sample.image, &diagnostics);
    CHECK(!imports.complete);
    CHECK(!diagnostics.empty());
    CHECK(!imports_mscoree_only(imports));
    check_reemits(sample.file, imports, pe::claim_imports);
    return imports;
}

}  // namespace

TEST_CASE("imports: the CLR's import is read, recognised and re-emitted") {
    const Sample sample(importing(mscoree()));
    Diagnostics diagnostics;
    const Imports imports = Imports::read(sample.image, &diagnostics);
    CHECK(diagnostics.empty());
    REQUIRE(imports.complete);
    REQUIRE(imports.dlls.size() == 1);
    REQUIRE(imports.functions.size() == 1);
    CHECK(imports.functions[0].hint == 0x77);
    CHECK(imports.descriptors == pe::FileRange{part_offset, 40});
    CHECK(imports.dlls[0].lookup == pe::FileRange{part_offset + 0x28, 8});
    CHECK(imports.dlls[0].address == pe::FileRange{part_offset + 0x30, 8});
    CHECK(imports.functions[0].hint_name == pe::FileRange{part_offset + 0x38, 14});
    CHECK(imports.dlls[0].name_range == pe::FileRange{part_offset + 0x48, 12});
    CHECK(imports_mscoree_only(imports));
    check_reemits(sample.file, imports, pe::claim_imports);
}

TEST_CASE("imports: case of the DLL's name does not matter, of the function's it does") {
    const Sample upper(importing(mscoree("MSCorEE.DLL", "_CorDllMain")));
    CHECK(imports_mscoree_only(Imports::read(upper.image)));
    const Sample lower(importing(mscoree("mscoree.dll", "_corexemain")));
    CHECK(!imports_mscoree_only(Imports::read(lower.image)));
    const Sample longer(importing(mscoree("mscoree.dl", "_CorExeMain")));
    CHECK(!imports_mscoree_only(Imports::read(longer.image)));
}

TEST_CASE("imports: none is complete, and not the CLR's") {
    const Sample sample(pe_with(pe::Directory::reserved, {1}));
    const Imports imports = Imports::read(sample.image);
    CHECK(imports.complete);
    CHECK(imports.empty());
    CHECK(!imports_mscoree_only(imports));
}

TEST_CASE("imports: a second function is not the CLR's alone") {
    Bytes part = mscoree();
    put(part, 0x2C, words({0x80000001}));  // an ordinal; the zero at 0x30 would end the list
    put(part, 0x30, words({0, 0}));
    const Sample sample(importing(part));
    const Imports imports = Imports::read(sample.image);
    REQUIRE(imports.complete);
    REQUIRE(imports.functions.size() == 2);
    CHECK(imports.functions[1].by_ordinal);
    CHECK(imports.functions[1].hint == 1);
    CHECK(!imports_mscoree_only(imports));
    check_reemits(sample.file, imports, pe::claim_imports);
}

TEST_CASE("imports: without a lookup table the address table serves as both") {
    Bytes part = mscoree();
    put(part, 0, words({0}));
    const Sample sample(importing(part));
    const Imports imports = Imports::read(sample.image);
    REQUIRE(imports.complete);
    CHECK(imports.dlls[0].lookup.empty());
    CHECK(imports_mscoree_only(imports));
    check_reemits(sample.file, imports, pe::claim_imports);
}

TEST_CASE("imports: slots of a PE32+ image have eight bytes") {
    Bytes part = words({part_rva + 0x28, 0, 0, part_rva + 0x58, part_rva + 0x38, 0, 0, 0, 0, 0,
                        part_rva + 0x48, 0, 0, 0, part_rva + 0x48, 0, 0, 0});
    append(part, joined({little_endian(0, 2), text0("_CorDllMain")}));
    part.resize(0x58);
    append(part, text0("mscoree.dll"));
    PeSpec spec = importing(part);
    spec.pe32_plus = true;
    const Sample sample(spec);
    const Imports imports = Imports::read(sample.image);
    CHECK(imports_mscoree_only(imports));
    CHECK(imports.dlls[0].lookup.size == 16);
    check_reemits(sample.file, imports, pe::claim_imports);
}

TEST_CASE("PE-39 the import directory lies outside the file: reported, nothing read") {
    PeSpec spec = importing(mscoree());
    spec.directories[1] = {0x70000000, 0x4F};
    const Sample sample(spec);
    Diagnostics diagnostics;
    const Imports imports = read_bad(sample, diagnostics);
    CHECK(imports.dlls.empty());
    CHECK(diagnostics.kept()[0].offset == spec.directory_offset(1));
}

TEST_CASE("PE-39 names of imports lie outside the file: the rest is read") {
    Bytes part = mscoree();
    put(part, 0x0C, words({0x70000000}));  // of the DLL
    put(part, 0x28, words({0x70000000}));  // of the function
    const Sample sample(importing(part));
    Diagnostics diagnostics;
    const Imports imports = read_bad(sample, diagnostics);
    CHECK(diagnostics.total() == 2);
    CHECK(imports.dlls.size() == 1);
    CHECK(imports.functions.size() == 1);
}

TEST_CASE("PE-39 the import table runs to the end of its section: reported") {
    Bytes part = mscoree();
    part.resize(0x200, 1);
    for (std::uint32_t at = 20; at + 20 <= 0x200; at += 20) {
        put(part, at, words({0, 0, 0, part_rva, part_rva}));
    }
    const Sample sample(importing(part));
    Diagnostics diagnostics;
    read_bad(sample, diagnostics);
}

TEST_CASE("PE-39 many descriptors share one long table: the work ends at the limit") {
    // 25 descriptors; the tables of all of them begin at 0x200 and run for 0x1000 slots.
    Bytes part;
    for (int i = 0; i < 25; ++i) {
        append(part, words({0, 0, 0, part_rva + 0x200, part_rva + 0x200}));
    }
    part.resize(0x200);
    for (int i = 0; i < 0x1000; ++i) append(part, words({0x80000000U + 1}));
    append(part, words({0}));
    const Sample sample(importing(part));
    Diagnostics diagnostics;
    Limits limits;
    limits.nodes = 5000;
    const Imports imports = Imports::read(sample.image, &diagnostics, limits);
    CHECK(!imports.complete);
    CHECK(diagnostics.count(ErrorCode::limit_reached) == 1);
    CHECK(imports.functions.size() < 5000);
    check_reemits(sample.file, imports, pe::claim_imports);
}

TEST_CASE("PE-39 many imports share one endless name: the work ends at the limit") {
    Bytes part = words({part_rva + 0x28, 0, 0, part_rva + 0x8000, part_rva + 0x28, 0, 0, 0, 0, 0});
    for (std::uint32_t i = 0; i < 0x1000; ++i) append(part, words({part_rva + 0x8000 + i}));
    append(part, words({0}));
    part.resize(0x8000);
    part.resize(0x18000, 'A');
    const Sample sample(importing(part));
    Diagnostics diagnostics;
    Limits limits;
    limits.output_bytes = 0x100000;
    const Imports imports = Imports::read(sample.image, &diagnostics, limits);
    CHECK(!imports.complete);
    CHECK(diagnostics.count(ErrorCode::limit_reached) == 1);
}

// ------------------------------------------------------------------------------------ entry thunk

TEST_CASE("entry thunk: the jump of i386 leads to the CLR") {
    const Sample sample(entering(importing(mscoree()),
                                 joined({{0xFF, 0x25}, words({0x400000 + part_rva + 0x30})})));
    const auto thunk = EntryThunk::read(sample.image);
    REQUIRE(thunk);
    CHECK(thunk->form == pe::ThunkForm::jump_absolute);
    CHECK(thunk->range() == pe::FileRange{0x200, 6});
    CHECK(thunk->slot_rva == part_rva + 0x30);
    CHECK(jumps_to_mscoree(*thunk, Imports::read(sample.image)));
    check_reemits(sample.file, *thunk, pe::claim_entry_thunk);
}

TEST_CASE("entry thunk: a jump through another slot does not lead to the CLR") {
    const Sample sample(entering(importing(mscoree()),
                                 joined({{0xFF, 0x25}, words({0x400000 + part_rva + 0x28})})));
    const auto thunk = EntryThunk::read(sample.image);
    REQUIRE(thunk);
    CHECK(!jumps_to_mscoree(*thunk, Imports::read(sample.image)));
}

TEST_CASE("entry thunk: both forms of amd64") {
    PeSpec spec = importing(mscoree());
    spec.pe32_plus = true;
    spec.machine = 0x8664;
    spec.image_base = 0x140000000;
    const Sample load(
        entering(spec, joined({{0x48, 0xA1}, little_endian(0x140008030, 8), {0xFF, 0xE0}})));
    const auto thunk = EntryThunk::read(load.image);
    REQUIRE(thunk);
    CHECK(thunk->form == pe::ThunkForm::load_and_jump);
    CHECK(thunk->slot_rva == 0x8030);
    CHECK(thunk->fixups().items[0].rva == 0x2002);
    check_reemits(load.file, *thunk, pe::claim_entry_thunk);

    const Sample relative(entering(spec, joined({{0xFF, 0x25}, words({0x8030 - 0x2006})})));
    const auto jump = EntryThunk::read(relative.image);
    REQUIRE(jump);
    CHECK(jump->form == pe::ThunkForm::jump_relative);
    CHECK(jump->slot_rva == 0x8030);
    CHECK(jump->fixups().count == 0);
    check_reemits(relative.file, *jump, pe::claim_entry_thunk);
}

TEST_CASE("entry thunk: of arm, every bit of the address") {
    for (const std::uint32_t bit : {0U, 3U, 8U, 10U, 11U, 12U, 15U, 16U, 24U, 27U, 28U, 31U}) {
        PeSpec spec = importing(mscoree());
        spec.machine = 0x1C4;
        spec.image_base = 0;
        const std::uint32_t address = 1U << bit;
        const auto halves = [](std::uint32_t first, std::uint32_t value) {
            const std::uint32_t low = first | value >> 12U | (value >> 11U & 1U) << 10U;
            const std::uint32_t high = 0x0C00U | (value >> 8U & 7U) << 12U | (value & 0xFFU);
            return joined({little_endian(low, 2), little_endian(high, 2)});
        };
        spec = entering(spec, joined({halves(0xF240, address & 0xFFFF),
                                      halves(0xF2C0, address >> 16U),
                                      {0xDC, 0xF8, 0x00, 0xF0}}));
        spec.address_of_entry_point = 0x2001;
        const Sample sample(spec);
        const auto thunk = EntryThunk::read(sample.image);
        INFO("bit " << bit);
        REQUIRE(thunk);
        CHECK(thunk->slot_rva == address);
        CHECK(thunk->rva == 0x2000);
        check_reemits(sample.file, *thunk, pe::claim_entry_thunk);
    }
}

TEST_CASE("entry thunk: other code, an address below the image base and a cut jump are none") {
    const PeSpec spec = importing(mscoree());
    CHECK(!EntryThunk::read(Sample(entering(spec, {0xE9, 0, 0, 0, 0})).image));
    CHECK(!EntryThunk::read(Sample(entering(spec, {0xFF, 0x25, 0, 0, 0x3F, 0})).image));
    PeSpec cut = spec;
    cut.address_of_entry_point = 0x21FC;
    put(cut.sections[0].data, 0x1FC, {0xFF, 0x25, 0x30, 0x80});
    CHECK(!EntryThunk::read(Sample(cut).image));
    CHECK(!EntryThunk::read(Sample(spec).image));
}

// ------------------------------------------------------------------------------------ relocations

namespace {

PeSpec relocating(const Bytes& blocks) {
    return entering(pe_with(pe::Directory::base_relocation, blocks),
                    joined({{0xFF, 0x25}, words({0x402000})}));
}

bool only_thunk(const Sample& sample) {
    const auto thunk = EntryThunk::read(sample.image);
    return relocates_only_thunk(Relocations::read(sample.image), thunk ? &*thunk : nullptr);
}

}  // namespace

TEST_CASE("relocations: the thunk's own, padded, are the thunk's alone") {
    const Sample sample(relocating(words({0x2000, 12, 0x00003002})));
    Diagnostics diagnostics;
    const Relocations relocations = Relocations::read(sample.image, &diagnostics);
    CHECK(diagnostics.empty());
    CHECK(relocations.complete);
    REQUIRE(relocations.entries.size() == 2);
    CHECK(relocations.entries[0].type() == pe::RelocationType::highlow);
    CHECK(relocations.entries[0].page_offset() == 2);
    CHECK(only_thunk(sample));
    check_reemits(sample.file, relocations, pe::claim_relocations);
}

TEST_CASE("relocations: none at all are fine without a thunk too") {
    const Sample sample(pe_with(pe::Directory::reserved, {1}));
    CHECK(only_thunk(sample));
}

TEST_CASE("relocations: another place, type, or the same place twice are not the thunk's alone") {
    CHECK(!only_thunk(Sample(relocating(words({0x2000, 12, 0x00003003})))));
    CHECK(!only_thunk(Sample(relocating(words({0x2000, 12, 0x0000A002})))));
    CHECK(!only_thunk(Sample(relocating(words({0x2000, 12, 0x30023002})))));
    CHECK(!only_thunk(Sample(relocating(words({0x1000, 12, 0x00003002})))));
}

TEST_CASE("relocations: zeros behind the last block end the list") {
    const Sample sample(relocating(words({0x2000, 12, 0x00003002, 0, 0, 0})));
    const Relocations relocations = Relocations::read(sample.image);
    CHECK(relocations.complete);
    CHECK(relocations.blocks.size() == 1);
    check_reemits(sample.file, relocations, pe::claim_relocations);
}

TEST_CASE("relocations: a block of a wrong size ends the list and is reported") {
    for (const std::uint32_t size : {0U, 4U, 11U, 13U, 16U, 0xFFFFFFFFU}) {
        const Sample sample(relocating(words({0x2000, 12, 0x00003002, 0x3000, size, 0})));
        Diagnostics diagnostics;
        const Relocations relocations = Relocations::read(sample.image, &diagnostics);
        INFO("size " << size);
        CHECK(!relocations.complete);
        CHECK(relocations.blocks.size() == 1);
        CHECK(diagnostics.count(ErrorCode::pe_bad_entry) == 1);
        CHECK(!only_thunk(sample));
        check_reemits(sample.file, relocations, pe::claim_relocations);
    }
}

TEST_CASE("relocations: a directory that is larger than its section is reported") {
    PeSpec spec = relocating(words({0x2000, 12, 0x00003002}));
    spec.directories[5].size = 0x7FFFFFFF;
    Diagnostics diagnostics;
    const Sample sample(spec);
    const Relocations relocations = Relocations::read(sample.image, &diagnostics);
    CHECK(!relocations.complete);
    CHECK(diagnostics.count(ErrorCode::pe_directory_outside) == 1);
    CHECK(relocations.blocks.size() == 1);
}
