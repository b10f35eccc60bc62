// Images whose PE headers and section table are wrong in the ways that obfuscators, packers and
// broken tools make them. The number in front of a test's name is its row in docs/robustness.md.
#include "support/catch.h"
#include "support/opened.h"

using namespace clrkit;
using namespace clrkit::test;

namespace {

SectionSpec section(std::string_view name, Bytes data) {
    SectionSpec made;
    made.name = bytes_of(name);
    made.data = std::move(data);
    return made;
}

/// The image without a section: its contents stand at 0x200, and RVAs are file offsets.
PeSpec without_sections() {
    ImageSpec image = minimal(0x250);
    PeSpec pe = image.pe;
    pe.sections.clear();
    pe.size_of_headers = 0x200;
    pe.overlay = image.contents();
    pe.directories[14] = {0x200, 72};
    pe.section_alignment = 0x1000;
    return pe;
}

}  // namespace

// ---------------------------------------------------------------------------- DOS and PE headers

TEST_CASE("PE-01 only the low half of the PE signature is right: opens and is reported") {
    ImageSpec image = minimal();
    image.pe.signature = 0x007F4550;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.reported_at(ErrorCode::pe_bad_signature) == image.pe.pe_placed_at);
}

TEST_CASE("PE-01 the low half of the PE signature is wrong: refused") {
    ImageSpec image = minimal();
    image.pe.signature = 0x0000454E;  // NE
    check_refused(open(image), Stage::pe, ErrorCode::pe_bad_signature, image.pe.pe_placed_at);
}

TEST_CASE("PE-02 everything in the DOS header but MZ and e_lfanew is garbage: opens") {
    ImageSpec image = minimal();
    for (std::size_t i = 2; i < image.pe.dos.size(); ++i) image.pe.dos[i] = 0xA5;
    require_kept(open(image));
}

TEST_CASE("PE-03 e_lfanew is 0: refused") {
    ImageSpec image = minimal();
    image.pe.pe_offset = 0;
    check_refused(open(image), Stage::pe, ErrorCode::pe_bad_signature, 0x3C);
}

TEST_CASE("PE-03 e_lfanew is past the end of the file: refused") {
    ImageSpec image = minimal();
    image.pe.pe_offset = 0x7FFFFFFF;
    check_refused(open(image), Stage::pe, ErrorCode::pe_truncated, 0x7FFFFFFF);
    image.pe.pe_offset = 0xFFFFFFFF;
    check_refused(open(image), Stage::pe, ErrorCode::pe_truncated, 0xFFFFFFFF);
}

TEST_CASE("PE-03 e_lfanew is odd: opens") {
    ImageSpec image = minimal();
    image.pe.pe_placed_at = 0x81;
    require_kept(open(image));
}

TEST_CASE("PE-03 the PE header overlaps the DOS header: opens") {
    // e_lfanew at 0x3C is SectionAlignment too: both are 4, and the loader maps the file flat.
    ImageSpec image = minimal(0x250);
    image.pe.dos.resize(4);
    image.pe.pe_placed_at = 4;
    image.pe.section_alignment = 4;
    image.pe.file_alignment = 4;
    image.pe.sections[0].virtual_address = 0x200;
    image.pe.sections[0].raw_pointer = 0x200;
    require_kept(open(image));
}

// --------------------------------------------------------------------------------- section table

TEST_CASE("PE-04 65535 sections are declared and three exist: clamped to the headers' room") {
    ImageSpec image = minimal();
    image.pe.sections.push_back(section(".two", Bytes(16)));
    image.pe.sections.push_back(section(".three", Bytes(16)));
    image.pe.number_of_sections = 0xFFFF;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.reported_at(ErrorCode::pe_sections_clamped) == image.pe.coff_offset() + 2);
    CHECK(opened.container.image.sections().size() < 8);
    CHECK(opened.container.image.sections()[2].name_view() == ".three");
}

TEST_CASE("PE-05 65535 sections and the first has no raw data: headers end where raw data begins") {
    ImageSpec image = minimal();
    SectionSpec bss = section(".bss", {});
    bss.virtual_size = 0x1000;
    bss.virtual_address = 0x10000;
    image.pe.sections[0].virtual_address = 0x2000;
    image.pe.sections.insert(image.pe.sections.begin(), bss);
    image.pe.number_of_sections = 0xFFFF;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.reported(ErrorCode::pe_sections_clamped));
    CHECK(opened.container.image.headers_end() <= 0x200);
}

TEST_CASE("PE-05 65535 sections and raw data below the section table: opens") {
    ImageSpec image = minimal();
    SectionSpec low = section(".low", {});
    low.virtual_address = 0x10000;
    low.virtual_size = 0x10;
    low.raw_pointer = 0x10;
    low.raw_size = 0x10;
    image.pe.sections[0].virtual_address = 0x2000;
    image.pe.sections.insert(image.pe.sections.begin(), low);
    image.pe.number_of_sections = 0xFFFF;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.container.image.headers_end() <= 0x200);
}

TEST_CASE("PE-06 no sections, all data in the headers: RVAs are offsets") {
    require_kept(open(build(without_sections())));
}

TEST_CASE("PE-07 NumberOfRvaAndSizes lies: the header's room decides") {
    for (const std::uint32_t lie : {2U, 0U, 0xFFFFFFFFU}) {
        INFO("NumberOfRvaAndSizes " << lie);
        ImageSpec image = minimal();
        image.pe.number_of_rva_and_sizes = lie;
        const Opened opened = open(image);
        require_kept(opened);
        CHECK(opened.container.image.directory_entries() == 16);
    }
}

TEST_CASE("PE-08 SizeOfOptionalHeader below the fixed fields: refused") {
    ImageSpec image = minimal();
    image.pe.size_of_optional_header = 0x5F;
    check_refused(open(image), Stage::pe, ErrorCode::pe_optional_header_small,
                  image.pe.optional_offset());
}

TEST_CASE("PE-08 no room for directory 14: not a .NET image") {
    ImageSpec image = minimal();
    image.pe.directory_slots = 14;
    const Opened opened = open(image);
    REQUIRE(opened.error.has_value());
    CHECK(opened.error->code == ErrorCode::native_image);
}

TEST_CASE("PE-08 room for directory 14 and no more: opens") {
    ImageSpec image = minimal();
    image.pe.directory_slots = 15;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.container.image.directory_entries() == 15);
}

TEST_CASE("PE-09 the optional header has bytes behind its directories: sections follow them") {
    ImageSpec image = minimal();
    image.pe.optional_header_tail = Bytes(0x28, 0xEE);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.container.image.sections_offset() == image.pe.sections_offset());
}

TEST_CASE("PE-10 the CLR directory's size is wrong: not asked") {
    for (const std::uint32_t size : {0U, 1U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
        INFO("size " << size);
        ImageSpec image = minimal();
        image.pe.directories[14] = {image.clr_rva(), size};
        require_kept(open(image));
    }
}

TEST_CASE("PE-11 the CLR header says it is too small: opens, reported as refused by the runtime") {
    for (const std::uint32_t size : {0U, 0x30U, 0x47U}) {
        INFO("cb " << size);
        ImageSpec image = minimal();
        image.clr.size = size;
        const Opened opened = open(image);
        require_kept(opened);
        CHECK(opened.reported_at(ErrorCode::clr_header_small) == image.clr_offset());
        CHECK(opened.reported(ErrorCode::refused_by_runtime));
    }
}

TEST_CASE("PE-12 the CLR header stands in the PE headers: opens") {
    ImageSpec image = minimal();
    const std::uint32_t at = image.pe.section_header_offset(1);
    const auto size = static_cast<std::uint32_t>(image.metadata.encode().size());
    image.pe.patches.push_back({at, image.clr.encode({image.metadata_rva(), size})});
    image.pe.patches.push_back({image.clr_offset(), Bytes(72, 0xCC)});
    image.pe.directories[14] = {at, 72};
    require_kept(open(image));
}

TEST_CASE("PE-13 the metadata stands in the PE headers: opens") {
    ImageSpec image = minimal();
    image.pe.file_alignment = 0x1000;
    const Bytes root = image.metadata.encode();
    image.pe.patches.push_back({0x400, root});
    image.pe.patches.push_back({image.metadata_offset(), Bytes(root.size(), 0xCC)});
    image.clr.metadata = DirectorySpec{0x400, static_cast<std::uint32_t>(root.size())};
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.container.metadata_offset == 0x400);
}

TEST_CASE("PE-14 the metadata directory's size is wrong: streams reach as far as the section") {
    for (const std::uint32_t size : {0U, 4U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
        INFO("size " << size);
        ImageSpec image = minimal();
        image.clr.metadata = DirectorySpec{image.metadata_rva(), size};
        require_kept(open(image));
    }
}

// ------------------------------------------------------------------------------------ RVA mapping

TEST_CASE("PE-15 VirtualSize above SizeOfRawData: the tail is mapped and backed by nothing") {
    ImageSpec image = minimal();
    image.pe.sections[0].virtual_size = 0x3000;
    const Opened opened = open(image);
    require_kept(opened);
    const pe::Image& pe = opened.container.image;
    REQUIRE(pe.section_of(0x4800) != nullptr);
    CHECK(pe.section_of(0x4800)->name_view() == ".text");
    CHECK(pe.from(0x4800).empty());
    CHECK_FALSE(pe.offset_of(0x4800).has_value());
}

TEST_CASE("PE-16 VirtualSize is 0: SizeOfRawData stands for it") {
    ImageSpec image = minimal();
    image.pe.sections[0].virtual_size = 0;
    require_kept(open(image));
}

TEST_CASE("PE-16 SizeOfRawData above VirtualSize: what is past the last page is not mapped") {
    ImageSpec image = minimal();
    image.pe.section_alignment = 0x1000;
    SectionSpec more = section(".more", Bytes(0x3000, 0x11));
    more.virtual_size = 0x10;
    more.virtual_address = 0x10000;
    image.pe.sections.push_back(more);
    image.pe.sections[0].virtual_address = 0x2000;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.at(0x10FFF).size() == 1);
    CHECK(opened.at(0x11000).empty());
}

TEST_CASE("PE-17 two sections at one RVA: the first in the table wins") {
    ImageSpec image = minimal();
    SectionSpec twin = section(".twin", Bytes(0x400, 0xCC));
    image.pe.sections[0].virtual_address = 0x2000;
    twin.virtual_address = 0x2000;
    image.pe.sections.push_back(twin);
    require_kept(open(image));

    std::swap(image.pe.sections[0], image.pe.sections[1]);
    const Opened hidden = open(image);
    REQUIRE(hidden.error.has_value());
}

TEST_CASE("PE-17 two sections share their raw data: opens") {
    ImageSpec image = minimal();
    SectionSpec alias = section(".alias", {});
    alias.virtual_address = 0x10000;
    alias.virtual_size = 0x400;
    alias.raw_pointer = 0x200;
    alias.raw_size = 0x400;
    image.pe.sections.push_back(alias);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.at(0x10050)[0] == opened.at(0x2050)[0]);
}

TEST_CASE("PE-18 sections in no order, with gaps: opens") {
    ImageSpec image = minimal();
    SectionSpec far = section(".far", Bytes(0x400, 0x22));
    SectionSpec low = section(".low", Bytes(0x400, 0x33));
    far.virtual_address = 0x90000;
    far.raw_pointer = 0x2000;
    low.virtual_address = 0x60000;
    low.raw_pointer = 0x1000;
    image.pe.sections[0].virtual_address = 0x2000;
    image.pe.sections[0].raw_pointer = 0x4000;
    image.pe.sections.insert(image.pe.sections.begin(), {far, low});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.at(0x90000)[0] == 0x22);
    CHECK(opened.at(0x60000)[0] == 0x33);
    CHECK(opened.at(0x70000).empty());
}

TEST_CASE("PE-19 SectionAlignment is 0 or 1: sections are as long as they say") {
    for (const std::uint32_t alignment : {0U, 1U}) {
        INFO("SectionAlignment " << alignment);
        ImageSpec image = minimal();
        image.pe.section_alignment = alignment;
        require_kept(open(image));
    }
}

TEST_CASE("PE-19 SectionAlignment is not a power of two: taken as 1") {
    for (const std::uint32_t alignment : {3U, 0x1001U, 0x80000001U}) {
        INFO("SectionAlignment " << alignment);
        ImageSpec image = minimal();
        image.pe.sections[0].virtual_address = 0x2000;
        image.pe.section_alignment = alignment;
        require_kept(open(image));
    }
}

TEST_CASE("PE-20 FileAlignment below 512: PointerToRawData is taken as it stands") {
    for (const std::uint32_t alignment : {1U, 4U, 0x10U}) {
        INFO("FileAlignment " << alignment);
        ImageSpec image = minimal();
        image.pe.file_alignment = alignment;
        image.pe.sections[0].raw_pointer = 0x234;
        require_kept(open(image));
    }
}

TEST_CASE("PE-20 FileAlignment of 512: the loader rounds PointerToRawData down") {
    ImageSpec image = minimal();
    image.pe.sections[0].raw_pointer = 0x234;
    image.pe.sections[0].placed_at = 0x200;
    require_kept(open(image));
}

TEST_CASE("PE-21 SizeOfImage is too small: not asked") {
    for (const std::uint32_t size : {0U, 1U, 0x1000U}) {
        INFO("SizeOfImage " << size);
        ImageSpec image = minimal();
        image.pe.size_of_image = size;
        require_kept(open(image));
    }
}

TEST_CASE("PE-22 the file ends before the first section header: refused") {
    ImageSpec image = minimal();
    Bytes file = build(image);
    file.resize(image.pe.sections_offset() + 39);
    check_refused(open(file), Stage::pe, ErrorCode::pe_sections_truncated,
                  image.pe.sections_offset());
}

TEST_CASE("PE-22 the file ends inside the section table: the headers that are there count") {
    PeSpec pe = without_sections();
    pe.sections.push_back(section(".one", {}));
    pe.sections.push_back(section(".two", {}));
    Bytes file = build(pe);
    file.resize(pe.section_header_offset(1) + 39);
    Diagnostics diagnostics;
    const auto image = pe::Image::parse(file, &diagnostics);
    REQUIRE(image.has_value());
    CHECK(image->sections().size() == 1);
    CHECK(diagnostics.count(ErrorCode::pe_sections_clamped) == 1);
}

TEST_CASE("PE-23 section names without NUL, with slashes, not ASCII: shown as they stand") {
    for (const std::string_view name : {"12345678", "/4", "\xFF\xFE\x80", ""}) {
        ImageSpec image = minimal();
        image.pe.sections[0].name = bytes_of(name);
        const Opened opened = open(image);
        require_kept(opened);
        CHECK(opened.container.image.sections()[0].name_view() == name);
    }
}

TEST_CASE("PE-24 two sections of one name: both shown") {
    ImageSpec image = minimal();
    image.pe.sections.push_back(section(".text", Bytes(4)));
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.container.image.sections()[0].name_view() ==
          opened.container.image.sections()[1].name_view());
}

TEST_CASE("PE-25 the COFF symbol table's place and count are bogus: not read") {
    ImageSpec image = minimal();
    image.pe.pointer_to_symbol_table = 0xFFFFFFF0;
    image.pe.number_of_symbols = 0xFFFFFFFF;
    require_kept(open(image));
}

TEST_CASE("PE-26 the magic, not the machine, decides between PE32 and PE32+") {
    ImageSpec image = minimal();
    image.pe.pe32_plus = true;
    image.pe.machine = 0x14C;
    const Opened plus = open(image);
    require_kept(plus);
    CHECK(plus.container.image.is_pe32_plus());

    image.pe.pe32_plus = false;
    image.pe.machine = 0x8664;
    const Opened narrow = open(image);
    require_kept(narrow);
    CHECK_FALSE(narrow.container.image.is_pe32_plus());
}

TEST_CASE("PE-27 the magic is neither PE32 nor PE32+: refused") {
    for (const int magic : {0x107, 0, 0xFFFF}) {
        ImageSpec image = minimal();
        image.pe.magic = static_cast<std::uint16_t>(magic);
        check_refused(open(image), Stage::pe, ErrorCode::pe_bad_magic, image.pe.optional_offset());
    }
}

TEST_CASE("PE-28 the machine is unknown or one of ReadyToRun's: shown as it stands") {
    for (const int machine : {0xFD1D, 0, 0xFFFF}) {
        ImageSpec image = minimal();
        image.pe.machine = static_cast<std::uint16_t>(machine);
        const Opened opened = open(image);
        require_kept(opened);
        CHECK(opened.container.image.coff().machine == machine);
    }
}

TEST_CASE("PE-29 an image dumped from memory: found at its RVAs") {
    const ImageSpec image = minimal();
    const Bytes file = build(image);
    Bytes dump(file.begin(), file.begin() + 0x200);
    put(dump, 0x2000, Bytes(file.begin() + 0x200, file.end()));
    const Opened opened = open(dump);
    require_kept(opened);
    CHECK(opened.container.kind == ContainerKind::pe_memory);
    CHECK(opened.container.metadata_offset == image.metadata_rva());
}

TEST_CASE("PE-30 the file is cut in steps of 512 bytes: opens when its metadata is whole") {
    ImageSpec image = minimal();
    image.pe.sections.push_back(section(".more", Bytes(0x1000, 1)));
    const Bytes file = build(image);
    const std::size_t enough = image.metadata_offset() + image.metadata.encode().size();
    for (std::size_t size = 0; size < file.size(); size += 512) {
        INFO("cut at " << size);
        const Opened opened =
            open(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)));
        walk(opened);
        if (size >= enough) require_kept(opened);
    }
}

TEST_CASE("PE-31 a file shorter than its headers: refused") {
    const Bytes file = build(minimal());
    for (std::size_t size = 0; size < 128; ++size) {
        INFO("cut at " << size);
        const Opened opened =
            open(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)));
        REQUIRE(opened.error.has_value());
        CHECK(opened.error->stage == Stage::pe);
    }
}

TEST_CASE("PE-38 a section whose RVA plus size passes 4 GiB: refused, the section's header named") {
    ImageSpec image = minimal();
    SectionSpec wraps = section(".wraps", {});
    wraps.virtual_address = 0xFFFFF000;
    wraps.virtual_size = 0x2000;
    image.pe.sections.push_back(wraps);
    check_refused(open(image), Stage::pe, ErrorCode::pe_range_overflow,
                  image.pe.section_header_offset(1));
}

TEST_CASE("PE-43 SectionAlignment below a page: the file is mapped flat") {
    // The section table says otherwise; the loader does not ask it.
    ImageSpec image = minimal(0x250);
    image.pe.section_alignment = 0x200;
    image.pe.sections[0].virtual_address = 0x8000;
    image.pe.sections[0].raw_pointer = 0x200;
    image.pe.directories[14] = {0x200, 72};
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.container.image.mapping() == pe::Mapping::memory);
}

TEST_CASE("PE-43 SectionAlignment below a page and nothing at the flat place: the table is asked") {
    ImageSpec image = minimal();
    image.pe.section_alignment = 0x200;
    image.pe.sections[0].virtual_address = 0x2000;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.container.kind == ContainerKind::pe_file);
    CHECK(opened.container.image.mapping() == pe::Mapping::file);
}
