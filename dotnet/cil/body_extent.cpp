// Measuring a method body and reading its clauses.
#include <clrkit/dotnet/cil/body_extent.h>
#include <clrkit/dotnet/cil/body_format.h>

#include <algorithm>

namespace clrkit::cil {

std::optional<DataSection> measure_section(ByteSpan bytes, std::uint64_t offset,
                                           std::uint32_t alignment) {
    DataSection section;
    section.offset = (offset + alignment + 3) / 4 * 4 - alignment;
    if (!fits(bytes.size(), section.offset, section_header)) return std::nullopt;
    const std::uint8_t* at = bytes.data() + section.offset;
    section.fat = (at[0] & section_fat) != 0;
    section.more = (at[0] & section_more) != 0;
    const std::uint32_t declared =
        section.fat ? load_le<std::uint32_t>(at) >> 8U : std::uint32_t{at[1]};
    if ((at[0] & section_kind) == section_exceptions) {
        // Compilers have written tables whose size leaves out the header, and sizes of 0: the
        // runtimes count clauses, so we do too.
        const std::uint32_t clause = clause_size(section.fat);
        section.clauses = declared / clause;
        section.size = section_header + std::uint64_t{section.clauses} * clause;
    } else {
        section.size = std::max(declared, section_header);
    }
    if (!fits(bytes.size(), section.offset, section.size)) return std::nullopt;
    return section;
}

Clause read_clause(ByteSpan bytes, const DataSection& section, std::uint32_t index) {
    const std::uint8_t* at = bytes.data() + section.offset + section_header +
                             std::size_t{index} * clause_size(section.fat);
    if (section.fat) {
        return {load_le<std::uint32_t>(at),      load_le<std::uint32_t>(at + 4),
                load_le<std::uint32_t>(at + 8),  load_le<std::uint32_t>(at + 12),
                load_le<std::uint32_t>(at + 16), load_le<std::uint32_t>(at + 20)};
    }
    return {load_le<std::uint16_t>(at),
            load_le<std::uint16_t>(at + 2),
            at[4],
            load_le<std::uint16_t>(at + 5),
            at[7],
            load_le<std::uint32_t>(at + 8)};
}

std::optional<BodyExtent> measure_code(ByteSpan bytes) {
    if (bytes.empty()) return std::nullopt;
    BodyExtent extent;
    const std::uint8_t format = bytes[0] & format_mask;
    if (format == format_tiny || format == format_tiny_odd) {
        extent.header_size = 1;
        extent.code_size = bytes[0] >> 2U;
        extent.size = extent.code_end();
        if (!fits(bytes.size(), 0, extent.size)) return std::nullopt;
        return extent;
    }
    if (format != format_fat || bytes.size() < fat_header) return std::nullopt;
    const auto flags = load_le<std::uint16_t>(bytes.data());
    extent.fat = true;
    // The size is counted in double words. The runtimes take any; below three the code overlaps
    // fixed fields that are there all the same.
    extent.header_size = (flags >> 12U) * 4U;
    extent.code_size = load_le<std::uint32_t>(bytes.data() + 4);
    extent.size = std::max<std::uint64_t>(extent.code_end(), fat_header);
    if (!fits(bytes.size(), 0, extent.size)) return std::nullopt;
    extent.has_sections = (flags & flag_more_sections) != 0 && extent.header_size >= fat_header;
    return extent;
}

std::optional<BodyExtent> measure_body(ByteSpan bytes, std::uint32_t alignment) {
    auto extent = measure_code(bytes);
    if (!extent) return std::nullopt;
    std::uint32_t sections = 0;
    for (bool more = extent->has_sections; more;) {
        const auto section = measure_section(bytes, extent->size, alignment);
        if (!section || ++sections > sections_at_most) return std::nullopt;
        extent->size = section->offset + section->size;
        more = section->more;
    }
    return extent;
}

}  // namespace clrkit::cil
