// Measuring a method body.
#include <clrkit/core/bytes/endian.h>
#include <clrkit/dotnet/cil/body_extent.h>

namespace clrkit::cil {
namespace {

constexpr std::uint8_t format_mask = 0x03;
constexpr std::uint8_t format_tiny = 0x02;
constexpr std::uint8_t format_fat = 0x03;
constexpr std::uint16_t more_sections = 0x0008;
constexpr std::uint8_t section_kind = 0x3F;
constexpr std::uint8_t section_exceptions = 0x01;
constexpr std::uint8_t section_fat = 0x40;
constexpr std::uint8_t section_more = 0x80;

/// Size of the data section at `offset`, its 4-byte header included, and whether another follows.
struct Section {
    std::uint64_t size;
    bool more;
};

std::optional<Section> measure_section(ByteSpan bytes, std::uint64_t offset) {
    if (!fits(bytes.size(), offset, 4)) return std::nullopt;
    const std::uint8_t* at = bytes.data() + offset;
    const bool fat = (at[0] & section_fat) != 0;
    const std::uint32_t declared = fat ? load_le<std::uint32_t>(at) >> 8U : std::uint32_t{at[1]};
    // Compilers have written exception tables whose size leaves out the header, and sizes of 0:
    // the runtimes count clauses, so we do too.
    const std::uint32_t clause = fat ? 24 : 12;
    const bool clauses = (at[0] & section_kind) == section_exceptions;
    const std::uint64_t size = 4 + (clauses ? std::uint64_t{declared} / clause * clause
                                            : std::uint64_t{declared > 4 ? declared - 4 : 0});
    if (!fits(bytes.size(), offset, size)) return std::nullopt;
    return Section{size, (at[0] & section_more) != 0};
}

}  // namespace

std::optional<BodyExtent> measure_body(ByteSpan bytes, std::uint32_t alignment) {
    if (bytes.empty()) return std::nullopt;
    BodyExtent extent;
    const std::uint8_t first = bytes[0];
    if ((first & format_mask) == format_tiny) {
        extent.header_size = 1;
        extent.code_size = first >> 2U;
        extent.size = std::uint64_t{1} + extent.code_size;
        if (!fits(bytes.size(), 0, extent.size)) return std::nullopt;
        return extent;
    }
    if ((first & 0x07U) != format_fat || bytes.size() < 12) return std::nullopt;
    const auto flags = load_le<std::uint16_t>(bytes.data());
    extent.fat = true;
    // The size is counted in double words. The runtimes take any; fewer than three still hold the
    // fixed fields, which the code then overlaps.
    extent.header_size = (flags >> 12U) * 4U;
    extent.code_size = load_le<std::uint32_t>(bytes.data() + 4);
    std::uint64_t end = std::uint64_t{extent.header_size} + extent.code_size;
    if (end < 12) end = 12;
    if (!fits(bytes.size(), 0, end)) return std::nullopt;
    bool more = (flags & more_sections) != 0 && extent.header_size >= 12;
    while (more) {
        end = (end + alignment + 3) / 4 * 4 - alignment;
        const auto section = measure_section(bytes, end);
        if (!section) return std::nullopt;
        end += section->size;
        more = section->more;
    }
    extent.size = end;
    return extent;
}

}  // namespace clrkit::cil
