// PE01 and PE02: headers and section table.
#include <clrkit/core/pe/checksum.h>
#include <clrkit/dotnet/module/ready_to_run.h>
#include <clrkit/dotnet/verify/loader_checks.h>

#include <algorithm>
#include <cstddef>

namespace clrkit::verify {
namespace {

using pe::OptionalHeaderMiddle;
using pe::SectionHeader;

constexpr std::uint32_t page = 0x1000;
constexpr std::uint32_t file_unit = 512;
constexpr std::uint32_t largest_file_unit = 0x10000;
constexpr std::uint32_t base_unit = 0x10000;
constexpr std::uint32_t sections_at_most = 96;
constexpr std::uint16_t system_file = 0x1000;
constexpr std::uint16_t subsystem_gui = 2;
constexpr std::uint16_t subsystem_console = 3;

/// What a section may say of itself: code, data, zeros; discardable, not cached, not paged, shared;
/// the three rights.
constexpr std::uint32_t allowed_flags = 0x000000E0 | 0x02000000 | 0x04000000 | 0x08000000 |
                                        0x10000000 | pe::section_flags::execute |
                                        pe::section_flags::read | pe::section_flags::write;

bool is_power_of_two(std::uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

bool has_all(std::uint32_t flags, std::uint32_t wanted) { return (flags & wanted) == wanted; }

enum class Bits : std::uint8_t { unknown, narrow, wide };

Bits bits_of(std::uint16_t processor) {
    switch (static_cast<pe::Machine>(processor)) {
        case pe::Machine::i386:
        case pe::Machine::arm:
        case pe::Machine::arm_nt: return Bits::narrow;
        case pe::Machine::ia64:
        case pe::Machine::amd64:
        case pe::Machine::arm64:
        case pe::Machine::riscv64:
        case pe::Machine::loongarch64: return Bits::wide;
        default: return Bits::unknown;
    }
}

void check_coff(LoaderChecker& checker) {
    const pe::Image& image = checker.image;
    const auto signature = load_le<std::uint32_t>(image.bytes().data() + image.pe_offset());
    checker.require(signature == pe::pe_signature, LoaderRule::pe_signature, image.pe_offset(),
                    "the second half of the PE signature is not zero");
    checker.require(image.pe_offset() % 4 == 0, LoaderRule::header_place, 0x3C,
                    "the PE header is not aligned");
    const std::uint16_t size = image.coff().size_of_optional_header;
    checker.require(size == (image.is_pe32_plus() ? 0xF0 : 0xE0), LoaderRule::optional_header_size,
                    checker.coff_offset(offsetof(pe::CoffHeader, size_of_optional_header)),
                    "SizeOfOptionalHeader is not that of 16 data directories");
    const std::uint16_t machine = image.coff().machine;
    const Bits bits = bits_of(checker.ready_to_run ? processor_of(machine) : machine);
    if (bits == Bits::unknown) {
        checker.error(LoaderRule::machine, checker.coff_offset(0),
                      "no runtime exists for this machine");
    } else {
        checker.require((bits == Bits::wide) == image.is_pe32_plus(), LoaderRule::magic,
                        image.optional_offset(),
                        "the kind of the optional header is not the machine's");
    }
    const std::uint16_t flags = image.coff().characteristics;
    const std::uint64_t flags_at = checker.coff_offset(offsetof(pe::CoffHeader, characteristics));
    checker.require((flags & pe::characteristics::executable_image) != 0, LoaderRule::coff_flags,
                    flags_at, "the flag for an executable image is missing");
    checker.require((flags & system_file) == 0, LoaderRule::coff_flags, flags_at,
                    "the flag for a system file is set");
}

void check_alignments(LoaderChecker& checker) {
    const OptionalHeaderMiddle& middle = checker.image.optional_middle();
    const std::uint32_t file = middle.file_alignment;
    const std::uint32_t memory = middle.section_alignment;
    const auto file_at = checker.middle_offset(offsetof(OptionalHeaderMiddle, file_alignment));
    const auto memory_at = checker.middle_offset(offsetof(OptionalHeaderMiddle, section_alignment));
    checker.require(is_power_of_two(file) && file >= file_unit, LoaderRule::file_alignment, file_at,
                    "FileAlignment is no power of two or is below 512");
    checker.expect(file <= largest_file_unit, LoaderRule::file_alignment, file_at,
                   "FileAlignment is above 65536");
    checker.require(is_power_of_two(memory), LoaderRule::section_alignment, memory_at,
                    "SectionAlignment is no power of two");
    checker.require(memory >= file, LoaderRule::section_alignment, memory_at,
                    "SectionAlignment is below FileAlignment");
    if (memory < page && memory > file && !checker.foreign) {
        checker.error(LoaderRule::section_alignment, memory_at,
                      "SectionAlignment is below a page and not equal to FileAlignment");
    }
}

void check_sizes(LoaderChecker& checker) {
    const OptionalHeaderMiddle& middle = checker.image.optional_middle();
    const std::uint32_t image_size = middle.size_of_image;
    const std::uint32_t headers = middle.size_of_headers;
    const std::uint32_t file_alignment = middle.file_alignment;
    const auto image_at = checker.middle_offset(offsetof(OptionalHeaderMiddle, size_of_image));
    const auto headers_at = checker.middle_offset(offsetof(OptionalHeaderMiddle, size_of_headers));
    checker.require(checker.view.aligned(image_size) == image_size, LoaderRule::size_of_image,
                    image_at, "SizeOfImage is no multiple of SectionAlignment");
    checker.require(file_alignment == 0 || headers % file_alignment == 0,
                    LoaderRule::size_of_headers, headers_at,
                    "SizeOfHeaders is no multiple of FileAlignment");
    checker.require(headers <= checker.image.bytes().size(), LoaderRule::size_of_headers,
                    headers_at, "SizeOfHeaders is larger than the file");
    checker.require(checker.view.aligned(headers) <= image_size, LoaderRule::size_of_headers,
                    headers_at, "SizeOfHeaders, rounded up, is larger than SizeOfImage");
    const auto sections = checker.view.sections();
    if (!sections.empty()) {
        checker.expect(checker.view.end_of(sections.back()) >= image_size,
                       LoaderRule::size_of_image, image_at,
                       "SizeOfImage reaches past the end of the last section");
    }
}

/// What differs in width between PE32 and PE32+.
template <class Header>
void check_memory(LoaderChecker& checker, const Header& header) {
    const std::uint64_t start = checker.image.optional_offset();
    checker.require(header.image_base % base_unit == 0, LoaderRule::image_base,
                    start + offsetof(Header, image_base),
                    "the image base is no multiple of 64 KiB");
    checker.require(header.size_of_stack_commit <= header.size_of_stack_reserve,
                    LoaderRule::stack_and_heap, start + offsetof(Header, size_of_stack_commit),
                    "more of the stack is committed than reserved");
    checker.require(header.size_of_heap_commit <= header.size_of_heap_reserve,
                    LoaderRule::stack_and_heap, start + offsetof(Header, size_of_heap_commit),
                    "more of the heap is committed than reserved");
    const std::uint32_t count = header.number_of_rva_and_sizes;
    const std::uint64_t count_at = start + offsetof(Header, number_of_rva_and_sizes);
    if (count > pe::directory_count && checker.plain_il) {
        checker.error(LoaderRule::directory_count, count_at,
                      "section headers would be read as data directories");
    } else {
        checker.expect(count == pe::directory_count, LoaderRule::directory_count, count_at,
                       "NumberOfRvaAndSizes is not 16");
    }
}

void check_the_rest(LoaderChecker& checker) {
    const OptionalHeaderMiddle& middle = checker.image.optional_middle();
    if (middle.check_sum != 0) {
        checker.expect(middle.check_sum == pe::checksum(checker.image), LoaderRule::checksum,
                       pe::checksum_offset(checker.image), "the checksum is not that of the file");
    }
    if (!checker.is_dll()) {
        const std::uint16_t subsystem = middle.subsystem;
        checker.expect(subsystem == subsystem_gui || subsystem == subsystem_console,
                       LoaderRule::subsystem,
                       checker.middle_offset(offsetof(OptionalHeaderMiddle, subsystem)),
                       "an executable is neither for the console nor for windows");
    }
}

void check_section_flags(LoaderChecker& checker, const SectionHeader& section) {
    const std::uint32_t flags = section.characteristics;
    const std::uint64_t at =
        checker.view.header_offset(section) + offsetof(SectionHeader, characteristics);
    checker.require((flags & ~allowed_flags) == 0, LoaderRule::section_flags, at,
                    "a section has flags that no image may have");
    if (has_all(flags, pe::section_flags::code | pe::section_flags::write)) {
        checker.error(LoaderRule::writable_code, at, "a section of code is writable");
    } else if (checker.il_only) {
        checker.expect(!has_all(flags, pe::section_flags::execute | pe::section_flags::write),
                       LoaderRule::writable_code, at, "a section is executable and writable");
    }
}

/// Where the part before a section ends: the headers, or the section in front of it.
struct PreviousEnd {
    std::uint64_t memory = 0;
    std::uint64_t file = 0;
};

void check_section_memory(LoaderChecker& checker, const SectionHeader& section,
                          std::uint64_t previous_end) {
    const OptionalHeaderMiddle& middle = checker.image.optional_middle();
    const LoaderView& view = checker.view;
    const std::uint32_t address = section.virtual_address;
    const std::uint64_t address_at =
        view.header_offset(section) + offsetof(SectionHeader, virtual_address);
    if (!checker.foreign) {
        checker.require(view.aligned(address) == address, LoaderRule::section_address, address_at,
                        "a section's address is no multiple of SectionAlignment");
    }
    if (address < previous_end) {
        checker.error(LoaderRule::section_order, address_at,
                      "a section begins in memory before the part in front of it ends");
    } else if (address > view.aligned(previous_end) && middle.section_alignment >= page &&
               !checker.foreign) {
        checker.error(LoaderRule::section_gap, address_at,
                      "a gap in memory lies in front of a section");
    }
    checker.require(view.end_of(section) <= middle.size_of_image, LoaderRule::section_in_image,
                    view.header_offset(section) + offsetof(SectionHeader, virtual_size),
                    "a section reaches past SizeOfImage");
}

void check_section_file(LoaderChecker& checker, const SectionHeader& section,
                        std::uint64_t previous_end) {
    const OptionalHeaderMiddle& middle = checker.image.optional_middle();
    const std::uint32_t unit = std::max<std::uint32_t>(middle.file_alignment, 1);
    const std::uint32_t pointer = section.pointer_to_raw_data;
    const std::uint32_t size = section.size_of_raw_data;
    const std::uint64_t header = checker.view.header_offset(section);
    const std::uint64_t pointer_at = header + offsetof(SectionHeader, pointer_to_raw_data);
    const std::uint64_t size_at = header + offsetof(SectionHeader, size_of_raw_data);
    checker.require(pointer % unit == 0, LoaderRule::section_file_alignment, pointer_at,
                    "PointerToRawData is no multiple of FileAlignment");
    checker.require(size % unit == 0, LoaderRule::section_file_alignment, size_at,
                    "SizeOfRawData is no multiple of FileAlignment");
    checker.require(size == 0 || pointer >= previous_end, LoaderRule::section_file_order,
                    pointer_at, "a section begins in the file before the part in front of it ends");
    checker.require(fits(checker.image.bytes().size(), pointer, size), LoaderRule::section_in_file,
                    size_at, "a section's raw data passes the file");
    checker.require(size <= checker.view.aligned(section.virtual_size),
                    LoaderRule::section_raw_size, size_at,
                    "a section has more raw data than memory");
    if (middle.section_alignment < page && !checker.foreign && size != 0) {
        checker.require(pointer == section.virtual_address, LoaderRule::flat_sections, pointer_at,
                        "a section aligned below a page is elsewhere in the file than in memory");
    }
}

void check_section_table(LoaderChecker& checker) {
    const pe::Image& image = checker.image;
    const std::uint64_t count_at =
        checker.coff_offset(offsetof(pe::CoffHeader, number_of_sections));
    const std::uint16_t declared = image.coff().number_of_sections;
    checker.require(declared != 0, LoaderRule::section_count, count_at, "there is no section");
    checker.require(declared == checker.view.sections().size(), LoaderRule::section_count, count_at,
                    "the file ends before the section headers do");
    checker.require(declared <= sections_at_most, LoaderRule::section_count, count_at,
                    "there are more than 96 sections");
    // CoreCLR counts SizeOfHeaders from the PE header, everybody else from the start of the file.
    const std::uint64_t end =
        image.sections_offset() + std::uint64_t{declared} * sizeof(SectionHeader);
    const std::uint64_t room = image.optional_middle().size_of_headers;
    if (end <= room) return;
    checker.report(LoaderRule::section_header_room,
                   end > room + image.pe_offset() ? Severity::error : Severity::warning,
                   checker.middle_offset(offsetof(OptionalHeaderMiddle, size_of_headers)),
                   "SizeOfHeaders ends before the section headers do", 0);
}

}  // namespace

void check_headers(LoaderChecker& checker) {
    check_coff(checker);
    check_alignments(checker);
    check_sizes(checker);
    if (const auto* narrow = checker.image.optional32()) check_memory(checker, *narrow);
    if (const auto* wide = checker.image.optional64()) check_memory(checker, *wide);
    check_the_rest(checker);
    checker.require(checker.state.container.kind == ContainerKind::pe_file, LoaderRule::file_layout,
                    no_offset, "the file is laid out as an image in memory");
}

void check_sections(LoaderChecker& checker) {
    check_section_table(checker);
    const std::uint32_t headers = checker.image.optional_middle().size_of_headers;
    PreviousEnd previous{headers, headers};
    for (const SectionHeader& section : checker.view.sections()) {
        check_section_flags(checker, section);
        check_section_memory(checker, section, previous.memory);
        check_section_file(checker, section, previous.file);
        previous.memory = checker.view.end_of(section);
        previous.file = std::uint64_t{section.pointer_to_raw_data} + section.size_of_raw_data;
    }
}

}  // namespace clrkit::verify
