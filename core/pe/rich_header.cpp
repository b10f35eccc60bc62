// Layout, in words of four bytes: "DanS" ^ key, three times key, then for each tool (product, build)
// ^ key and count ^ key, then "Rich" and the key.
#include <clrkit/core/pe/rich_header.h>

#include <clrkit/core/bytes/endian.h>
#include <clrkit/core/bytes/span.h>

#include <algorithm>
#include <bit>

namespace clrkit::pe {
namespace {

constexpr std::uint32_t rich_mark = 0x68636952;  // "Rich"
constexpr std::uint32_t dans_mark = 0x536E6144;  // "DanS"
constexpr std::uint64_t word = 4;
constexpr std::uint64_t before_entries = 4 * word;  // "DanS" and the three empty words
constexpr std::uint64_t entry_size = 2 * word;
constexpr std::uint64_t e_lfanew = 0x3C;

std::uint32_t word_at(ByteSpan file, std::uint64_t offset) {
    return load_le<std::uint32_t>(file.data() + offset);
}

/// The sum the linker masks with: the bytes before the header, each rotated by its offset, where
/// e_lfanew counts as zero, and the entries, each rotated by its count.
std::uint32_t checksum_of(ByteSpan file, std::uint64_t dans,
                          const std::vector<RichEntry>& entries) {
    auto sum = static_cast<std::uint32_t>(dans);
    for (std::uint64_t i = 0; i < dans; ++i) {
        if (i >= e_lfanew && i < e_lfanew + word) continue;
        sum += std::rotl(std::uint32_t{file[i]}, static_cast<int>(i % 32));
    }
    for (const RichEntry& entry : entries) {
        const std::uint32_t tool = std::uint32_t{entry.product} << 16U | entry.build;
        sum += std::rotl(tool, static_cast<int>(entry.count % 32));
    }
    return sum;
}

}  // namespace

std::optional<RichHeader> RichHeader::read(const Image& image) {
    const ByteSpan file = image.bytes();
    const std::uint64_t first = sizeof(DosHeader);
    const std::uint64_t end = image.pe_offset();
    if (end < first + before_entries + 2 * word) return std::nullopt;
    // The last mark: one attempt keeps the search linear, whatever the stub holds.
    std::uint64_t rich = (end - 2 * word) / word * word;
    while (rich >= first && word_at(file, rich) != rich_mark) rich -= word;
    if (rich < first + before_entries) return std::nullopt;
    const std::uint32_t key = word_at(file, rich + word);
    std::uint64_t dans = rich - before_entries;
    while (dans >= first && (word_at(file, dans) ^ key) != dans_mark) dans -= word;
    if (dans < first) return std::nullopt;

    RichHeader header;
    header.range = {dans, rich + 2 * word - dans};
    header.key = key;
    const std::uint64_t entries = dans + before_entries;
    header.entries.reserve(static_cast<std::size_t>((rich - entries) / entry_size));
    for (std::uint64_t at = entries; at + entry_size <= rich; at += entry_size) {
        const std::uint32_t tool = word_at(file, at) ^ key;
        header.entries.push_back({static_cast<std::uint16_t>(tool >> 16U),
                                  static_cast<std::uint16_t>(tool & 0xFFFFU),
                                  word_at(file, at + word) ^ key});
    }
    header.checksum_valid = checksum_of(file, dans, header.entries) == key;
    return header;
}

}  // namespace clrkit::pe
