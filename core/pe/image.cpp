// PE header parsing and RVA mapping, by the rules of the Windows loader where it is more lenient
// than the specification: tools that obfuscate rely on every one of them.
#include <clrkit/core/pe/image.h>
#include <clrkit/core/try.h>

#include <algorithm>

namespace clrkit::pe {
namespace {

constexpr std::uint32_t page = 0x1000;
// Section look-ups are linear, in the loader's order. No loader takes more sections than this, and
// the bound keeps a table of 65,535 from multiplying with every method's RVA.
constexpr std::uint32_t sections_at_most = 1024;

/// What a file that does not start with MZ is instead, as far as its first bytes tell.
ErrorCode identify(ByteSpan file) {
    const auto starts_with = [&](std::string_view magic) {
        return file.size() >= magic.size() && std::equal(magic.begin(), magic.end(), file.begin());
    };
    if (file.empty()) return ErrorCode::empty_file;
    if (starts_with("BSJB")) return ErrorCode::portable_pdb;
    if (starts_with("Microsoft C/C++ ")) return ErrorCode::windows_pdb;
    if (starts_with("\x7F"
                    "ELF"))
        return ErrorCode::elf_image;
    return ErrorCode::not_pe;
}

/// How many of `wanted` section headers exist: they end with the file, or where the raw data of one
/// of them begins. No raw data, or raw data below the table, bounds nothing.
std::uint32_t headers_with_room(ByteSpan file, std::uint64_t offset, std::uint32_t wanted) {
    std::uint64_t end = file.size();
    std::uint32_t count = 0;
    while (count < wanted &&
           fits(end, offset + count * sizeof(SectionHeader), sizeof(SectionHeader))) {
        const auto* header = view_at<SectionHeader>(file, offset + count * sizeof(SectionHeader));
        const std::uint32_t data = header->pointer_to_raw_data;
        if (header->size_of_raw_data != 0 && data > offset)
            end = std::min<std::uint64_t>(end, data);
        ++count;
    }
    return count;
}

/// With SectionAlignment below a page Windows maps a file flat, and loads none whose section table
/// says otherwise. The CLR of other systems goes by the table, and what crossgen compiles for them
/// has such sections: true when the one with the CLR header lies elsewhere in memory than in the file.
bool clr_header_moves(const Image& image) {
    const std::uint32_t rva = image.directory(Directory::clr_header).rva;
    const SectionHeader* section = image.section_of(rva);
    return section != nullptr && section->virtual_address != section->pointer_to_raw_data &&
           rva - section->virtual_address < image.raw_size(*section);
}

}  // namespace

Result<Image> Image::parse(ByteSpan file, Diagnostics* diagnostics) {
    Image image;
    image.file_ = file;
    if (file.size() < 2 || load_le<std::uint16_t>(file.data()) != dos_magic) {
        return failure(Stage::pe, identify(file));
    }
    const DosHeader* dos = view_at<DosHeader>(file, 0);
    if (dos == nullptr) return failure(Stage::pe, ErrorCode::pe_truncated, file.size());
    image.pe_offset_ = dos->pe_offset;
    const std::uint64_t optional = std::uint64_t{image.pe_offset_} + 24;
    if (image.pe_offset_ == 0)
        return failure(Stage::pe, ErrorCode::pe_bad_signature, 0x3C, "e_lfanew is 0");
    if (!fits(file.size(), image.pe_offset_, 24 + sizeof(OptionalHeaderStart))) {
        return failure(Stage::pe, ErrorCode::pe_truncated, image.pe_offset_);
    }
    const auto signature = load_le<std::uint32_t>(file.data() + image.pe_offset_);
    if ((signature & 0xFFFFU) != (pe_signature & 0xFFFFU)) {
        return failure(Stage::pe, ErrorCode::pe_bad_signature, image.pe_offset_);
    }
    if (signature != pe_signature) {
        report(diagnostics, Stage::pe, ErrorCode::pe_bad_signature, image.pe_offset_,
               "only the first two bytes are right");
    }
    const std::uint16_t magic = image.optional_start().magic;
    if (magic != magic_pe32 && magic != magic_pe32_plus) {
        return failure(Stage::pe, ErrorCode::pe_bad_magic, optional);
    }
    const std::uint64_t fixed =
        magic == magic_pe32 ? sizeof(OptionalHeader32) : sizeof(OptionalHeader64);
    const std::uint16_t declared = image.coff().size_of_optional_header;
    if (declared < fixed) return failure(Stage::pe, ErrorCode::pe_optional_header_small, optional);
    if (!fits(file.size(), optional, fixed)) {
        return failure(Stage::pe, ErrorCode::pe_truncated, optional);
    }
    const std::uint64_t directory_room =
        std::min<std::uint64_t>(optional + declared, file.size()) - (optional + fixed);
    image.directory_entries_ =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(directory_room / 8, directory_count));

    const OptionalHeaderMiddle& middle = image.optional_middle();
    const std::uint32_t alignment = middle.section_alignment;
    image.alignment_ = alignment > 1 && (alignment & (alignment - 1)) == 0 ? alignment : 1;
    if (image.alignment_ < page && image.alignment_ > 1) {
        image.mapping_ = Mapping::memory;
    } else {
        image.round_raw_ = image.alignment_ >= page && middle.file_alignment >= 512;
    }

    const std::uint16_t wanted = image.coff().number_of_sections;
    const std::uint64_t sections = optional + declared;
    if (wanted == 0) return image;
    if (!fits(file.size(), sections, sizeof(SectionHeader))) {
        return failure(Stage::pe, ErrorCode::pe_sections_truncated, sections);
    }
    image.section_count_ =
        headers_with_room(file, sections, std::min<std::uint32_t>(wanted, sections_at_most));
    const bool clamped = image.section_count_ < wanted;
    if (clamped) {
        report(diagnostics, Stage::pe, ErrorCode::pe_sections_clamped, image.coff_offset() + 2);
    }
    for (std::uint32_t i = 0; i < image.section_count_; ++i) {
        const SectionHeader& section = image.sections()[i];
        if (section.virtual_address + image.virtual_extent(section) <= std::uint64_t{1} << 32U)
            continue;
        if (!clamped) {
            return failure(Stage::pe, ErrorCode::pe_range_overflow,
                           sections + i * sizeof(SectionHeader));
        }
        image.section_count_ = i;  // the count lied: this is no header
    }
    if (image.mapping_ == Mapping::memory && clr_header_moves(image)) {
        image.mapping_ = Mapping::file;
    }
    return image;
}

std::uint64_t Image::raw_size(const SectionHeader& section) const {
    const std::uint64_t offset = raw_offset(section);
    if (offset >= file_.size()) return 0;
    return std::min(
        {std::uint64_t{section.size_of_raw_data}, virtual_extent(section), file_.size() - offset});
}

const SectionHeader* Image::section_of(std::uint32_t rva) const {
    for (const SectionHeader& section : sections()) {
        const std::uint32_t start = section.virtual_address;
        if (rva >= start && rva - start < virtual_extent(section)) return &section;
    }
    return nullptr;
}

std::optional<std::uint64_t> Image::offset_of(std::uint32_t rva) const {
    const ByteSpan bytes = from(rva);
    if (bytes.empty()) return std::nullopt;
    return offset_in_file(bytes);
}

ByteSpan Image::from(std::uint32_t rva) const {
    if (mapping_ == Mapping::memory) return tail(file_, rva);
    if (const SectionHeader* section = section_of(rva); section != nullptr) {
        const std::uint32_t inside = rva - section->virtual_address;
        const std::uint64_t backed = raw_size(*section);
        if (inside >= backed) return {};
        return slice_clamped(file_, raw_offset(*section) + inside, backed - inside);
    }
    // Headers are mapped at offset = RVA, up to the first section.
    std::uint64_t end = file_.size();
    for (const SectionHeader& section : sections()) {
        if (virtual_extent(section) == 0) continue;
        end = std::min<std::uint64_t>(end, section.virtual_address);
        if (raw_size(section) != 0) end = std::min(end, raw_offset(section));
    }
    if (rva >= end) return {};
    return slice_clamped(file_, rva, end - rva);
}

std::optional<std::uint32_t> Image::rva_of(std::uint64_t offset) const {
    if (mapping_ == Mapping::memory) {
        if (offset >= file_.size() || offset > UINT32_MAX) return std::nullopt;
        return static_cast<std::uint32_t>(offset);
    }
    for (const SectionHeader& section : sections()) {
        const std::uint64_t start = raw_offset(section);
        if (offset >= start && offset - start < raw_size(section)) {
            const std::uint64_t rva = section.virtual_address + (offset - start);
            if (rva > UINT32_MAX) return std::nullopt;
            return static_cast<std::uint32_t>(rva);
        }
    }
    if (offset < headers_end()) return static_cast<std::uint32_t>(offset);
    return std::nullopt;
}

}  // namespace clrkit::pe
