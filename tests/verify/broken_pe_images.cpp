// Images that break the rules for headers, sections and data directories.
#include <algorithm>
#include <iterator>

#include "verify/broken_images.h"

namespace clrkit::test {
namespace {

constexpr auto error = Severity::error;
constexpr auto warning = Severity::warning;

/// The minimal image after `change`, as a broken one.
template <class Change>
BrokenImage broken(const char* name, LoaderRule rule, Severity severity, Dotnet dotnet,
                   Change change) {
    ImageSpec image = minimal();
    change(image);
    return {name, rule, severity, dotnet, build(image)};
}

/// The same with a second section of data behind the first.
template <class Change>
BrokenImage broken_second(const char* name, LoaderRule rule, Severity severity, Dotnet dotnet,
                          Change change) {
    ImageSpec image = minimal();
    SectionSpec data;
    data.data = Bytes(0x10, 0x11);
    data.characteristics = 0x40000040;
    image.pe.sections.push_back(data);
    change(image, image.pe.sections.back());
    return {name, rule, severity, dotnet, build(image)};
}

}  // namespace

std::vector<BrokenImage> broken_headers() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken("half a PE signature", pe_signature, error, refuses,
               [](ImageSpec& i) { i.pe.signature = 0x007F4550; }),
        broken("an unaligned PE header", header_place, error, runs,
               [](ImageSpec& i) { i.pe.pe_placed_at = 0x82; }),
        broken("an optional header with a tail", optional_header_size, error, refuses,
               [](ImageSpec& i) { i.pe.optional_header_tail = Bytes(8); }),
        broken("PE32 for x64", magic, error, refuses, [](ImageSpec& i) { i.pe.machine = 0x8664; }),
        broken("PE32+ for i386", magic, error, runs, [](ImageSpec& i) { i.pe.pe32_plus = true; }),
        broken("PowerPC", machine, error, refuses, [](ImageSpec& i) { i.pe.machine = 0x1F0; }),
        broken("the mask of Linux without native code", machine, error, refuses,
               [](ImageSpec& i) { i.pe.machine = 0x14C ^ 0x7B79; }),
        broken("no executable image", coff_flags, error, runs,
               [](ImageSpec& i) { i.pe.characteristics = 0x0101; }),
        broken("a system file", coff_flags, error, refuses,
               [](ImageSpec& i) { i.pe.characteristics = 0x1103; }),
        broken("FileAlignment 256", file_alignment, error, refuses,
               [](ImageSpec& i) { i.pe.file_alignment = 0x100; }),
        broken("FileAlignment 1536", file_alignment, error, refuses,
               [](ImageSpec& i) { i.pe.file_alignment = 0x600; }),
        broken("FileAlignment 131072", file_alignment, warning, runs,
               [](ImageSpec& i) {
                   i = minimal(0x20050);
                   i.pe.file_alignment = 0x20000;
                   i.pe.section_alignment = 0x20000;
               }),
        broken("SectionAlignment 12288", section_alignment, error, refuses,
               [](ImageSpec& i) {
                   i.pe.section_alignment = 0x3000;
                   i.pe.sections[0].virtual_address = 0x2000;
               }),
        broken("SectionAlignment below FileAlignment", section_alignment, error, refuses,
               [](ImageSpec& i) {
                   i.pe.section_alignment = 0x1000;
                   i.pe.file_alignment = 0x2000;
                   i.pe.sections[0].virtual_address = 0x2000;
               }),
        broken("SectionAlignment below a page, not equal to FileAlignment", section_alignment,
               error, runs,
               [](ImageSpec& i) {
                   i.pe.section_alignment = 0x400;
                   i.pe.sections[0].virtual_address = 0x2000;
               }),
    };
}

std::vector<BrokenImage> broken_sizes() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken("an odd SizeOfImage", size_of_image, error, refuses,
               [](ImageSpec& i) { i.pe.size_of_image = 0x4001; }),
        broken("SizeOfImage past the last section", size_of_image, warning, runs,
               [](ImageSpec& i) { i.pe.size_of_image = 0x8000; }),
        broken("an odd SizeOfHeaders", size_of_headers, error, refuses,
               [](ImageSpec& i) { i.pe.size_of_headers = 0x1F0; }),
        broken("SizeOfHeaders larger than the file", size_of_headers, error, refuses,
               [](ImageSpec& i) { i.pe.size_of_headers = 0x2000; }),
        broken("SizeOfHeaders larger than the image", size_of_headers, error, refuses,
               [](ImageSpec& i) { i.pe.size_of_image = 0; }),
        broken("an odd image base", image_base, error, refuses,
               [](ImageSpec& i) { i.pe.image_base = 0x401000; }),
        broken("more stack committed than reserved", stack_and_heap, error, refuses,
               [](ImageSpec& i) { i.pe.size_of_stack_commit = 0x200000; }),
        broken("more heap committed than reserved", stack_and_heap, error, refuses,
               [](ImageSpec& i) { i.pe.size_of_heap_commit = 0x200000; }),
        broken("17 data directories", directory_count, error, refuses,
               [](ImageSpec& i) { i.pe.number_of_rva_and_sizes = 17; }),
        broken("15 data directories", directory_count, warning, runs,
               [](ImageSpec& i) { i.pe.number_of_rva_and_sizes = 15; }),
        broken("a wrong checksum", checksum, warning, runs,
               [](ImageSpec& i) { i.pe.check_sum = 1; }),
        broken("a driver's subsystem", subsystem, warning, runs,
               [](ImageSpec& i) { i.pe.subsystem = 1; }),
        broken("dumped from memory", file_layout, error, refuses,
               [](ImageSpec& i) { i.pe.sections[0].placed_at = 0x2000; }),
    };
}

std::vector<BrokenImage> broken_sections() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken("no section", section_count, error, refuses,
               [](ImageSpec& i) {
                   i = minimal(0x250);
                   i.pe.sections.clear();
                   i.pe.size_of_headers = 0x200;
                   i.pe.overlay = i.contents();
                   i.pe.section_alignment = 0x1000;
               }),
        broken("more section headers than the file holds", section_count, error, refuses,
               [](ImageSpec& i) { i.pe.number_of_sections = 0xFFFF; }),
        broken_second("97 sections", section_count, error, runs,
                      [](ImageSpec& i, const SectionSpec& data) {
                          std::vector<SectionSpec> copies(95, data);
                          std::ranges::move(copies, std::back_inserter(i.pe.sections));
                      }),
        broken("no room for section headers", section_header_room, error, refuses,
               [](ImageSpec& i) { i.pe.size_of_headers = 0; }),
        broken("room for section headers counted from the PE header", section_header_room, warning,
               runs,
               [](ImageSpec& i) {
                   i.pe.pe_placed_at = 0x180;
                   i.pe.size_of_headers = 0x200;
               }),
        broken_second("a section of objects' flags", section_flags, error, refuses,
                      [](ImageSpec&, SectionSpec& s) { s.characteristics |= 0x00100000; }),
        broken_second("writable code", writable_code, error, refuses,
                      [](ImageSpec&, SectionSpec& s) { s.characteristics = 0xE0000020; }),
        broken_second("a section executable and writable", writable_code, warning, runs,
                      [](ImageSpec&, SectionSpec& s) { s.characteristics = 0xE0000040; }),
    };
}

std::vector<BrokenImage> broken_section_places() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken_second("an unaligned section address", section_address, error, runs,
                      [](ImageSpec& i, SectionSpec& s) {
                          s.virtual_address = 0x4200;
                          i.pe.size_of_image = 0x8000;
                      }),
        broken_second("an unaligned section offset", section_file_alignment, error, refuses,
                      [](ImageSpec&, SectionSpec& s) { s.raw_pointer = 0x610; }),
        broken_second("an unaligned section size", section_file_alignment, error, refuses,
                      [](ImageSpec&, SectionSpec& s) { s.raw_size = 0x1F0; }),
        broken_second("sections that overlap in memory", section_order, error, refuses,
                      [](ImageSpec&, SectionSpec& s) { s.virtual_address = 0x2000; }),
        broken("a section that begins inside the headers", section_order, error, refuses,
               [](ImageSpec& i) {
                   i.pe.size_of_headers = 0x4000;
                   i.pe.sections[0].raw_pointer = 0x4000;
               }),
        broken_second("sections that overlap in the file", section_file_order, error, refuses,
                      [](ImageSpec&, SectionSpec& s) {
                          s.raw_pointer = 0x200;
                          s.placed_at = 0x800;
                      }),
        broken_second("a section past SizeOfImage", section_in_image, error, refuses,
                      [](ImageSpec& i, SectionSpec&) { i.pe.size_of_image = 0x4000; }),
        broken_second("a section past the file", section_in_file, error, refuses,
                      [](ImageSpec&, SectionSpec& s) {
                          s.raw_size = 0x2000;
                          s.virtual_size = 0x2000;
                      }),
        broken_second("more raw data than memory", section_raw_size, error, refuses,
                      [](ImageSpec& i, SectionSpec& s) {
                          s.data = Bytes(0x2200, 0x11);
                          s.virtual_size = 0x10;
                          i.pe.size_of_image = 0x6000;
                      }),
        broken_second("a gap between sections", section_gap, error, runs,
                      [](ImageSpec&, SectionSpec& s) { s.virtual_address = 0x8000; }),
        broken("a section aligned below a page that moves", flat_sections, error, runs,
               [](ImageSpec& i) {
                   i.pe.section_alignment = 0x200;
                   i.pe.sections[0].virtual_address = 0x2000;
               }),
    };
}

std::vector<BrokenImage> broken_directories() {
    using enum LoaderRule;
    using enum Dotnet;
    return {
        broken("a directory outside every section", directory_range, error, refuses,
               [](ImageSpec& i) { i.pe.directories[2] = {0x9000, 16}; }),
        broken("a directory past its section's size", directory_range, error, refuses,
               [](ImageSpec& i) { i.pe.directories[2] = {0x2050, 0x1000}; }),
        broken_second("a directory past its section's raw data", directory_range, error, refuses,
                      [](ImageSpec& i, SectionSpec& s) {
                          s.virtual_size = 0x1000;
                          i.pe.directories[2] = {0x4000, 0x400};
                      }),
        broken("a mixed image's directory outside every section", directory_range, warning,
               not_asked,
               [](ImageSpec& i) {
                   i.clr.flags = 0;
                   i.pe.directories[2] = {0x9000, 16};
               }),
        broken_second("a directory in a shared section", directory_range, error, refuses,
                      [](ImageSpec& i, SectionSpec& s) {
                          s.characteristics |= 0x10000000;
                          i.pe.directories[2] = {0x4000, 16};
                      }),
        broken("thread-local storage", managed_directories, error, refuses,
               [](ImageSpec& i) { i.pe.directories[9] = {0x2050, 4}; }),
        broken("half an entry of the debug directory", debug_data, warning, runs,
               [](ImageSpec& i) { i.pe.directories[6] = {i.area.add(Bytes(42)), 42}; }),
        broken("debug data whose addresses differ", debug_data, warning, runs,
               [](ImageSpec& i) {
                   Bytes entry(12);
                   append(entry, little_endian(16, 4));      // type
                   append(entry, little_endian(4, 4));       // size
                   append(entry, little_endian(0x2050, 4));  // address
                   append(entry, little_endian(0x300, 4));   // offset
                   i.pe.directories[6] = {i.area.add(entry), 28};
               }),
        broken("debug data outside the file", debug_data, warning, runs,
               [](ImageSpec& i) {
                   Bytes entry(12);
                   append(entry, little_endian(16, 4));
                   append(entry, little_endian(4, 4));
                   append(entry, little_endian(0, 4));
                   append(entry, little_endian(0x100000, 4));
                   i.pe.directories[6] = {i.area.add(entry), 28};
               }),
        broken("a certificate before the end of the file", certificate_place, warning, runs,
               [](ImageSpec& i) { i.pe.directories[4] = {0x200, 8}; }),
        broken("an unaligned certificate", certificate_place, warning, runs,
               [](ImageSpec& i) {
                   i.pe.overlay = Bytes(12);
                   i.pe.directories[4] = {0x604, 8};
               }),
    };
}

}  // namespace clrkit::test
