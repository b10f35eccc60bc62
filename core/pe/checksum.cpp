// The sum is one's-complement addition of 16-bit words. That makes two short cuts legal: adding wider
// words and folding at the end, and swapping the two bytes of the sum of a part that starts at an
// odd offset.
#include <clrkit/core/pe/checksum.h>

#include <clrkit/core/bytes/endian.h>

#include <algorithm>

namespace clrkit::pe {
namespace {

constexpr std::uint64_t field_size = 4;

/// The 16-bit value that end-around carries leave of a sum.
std::uint32_t fold(std::uint64_t sum) {
    while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16U);
    return static_cast<std::uint32_t>(sum);
}

/// The folded sum of the bytes' words, the first word starting with the first byte.
std::uint32_t sum_words(ByteSpan bytes) {
    const std::uint8_t* at = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t low = 0;  // each step adds less than 2^32: no overflow below 2^35 bytes
    std::uint64_t high = 0;
    for (; left >= 8; at += 8, left -= 8) {
        const auto word = load_le<std::uint64_t>(at);
        low += word & 0xFFFFFFFFU;
        high += word >> 32U;
    }
    std::uint32_t sum = fold(low) + fold(high);
    for (; left >= 2; at += 2, left -= 2) sum += load_le<std::uint16_t>(at);
    if (left != 0) sum += *at;
    return fold(sum);
}

std::uint32_t swap_bytes(std::uint32_t sum) { return (sum & 0xFFU) << 8U | sum >> 8U; }

}  // namespace

std::uint32_t checksum(std::span<const ByteSpan> parts, std::uint64_t field_offset) {
    std::uint64_t position = 0;
    std::uint64_t sum = 0;
    const auto add = [&](ByteSpan bytes, std::uint64_t offset) {
        const std::uint32_t words = sum_words(bytes);
        sum += (offset & 1U) != 0 ? swap_bytes(words) : words;
    };
    for (const ByteSpan part : parts) {
        const std::uint64_t end = position + part.size();
        const std::uint64_t skip_from = std::clamp(field_offset, position, end);
        const std::uint64_t skip_to = std::clamp(field_offset + field_size, skip_from, end);
        add(part.first(static_cast<std::size_t>(skip_from - position)), position);
        add(part.subspan(static_cast<std::size_t>(skip_to - position)), skip_to);
        position = end;
    }
    return static_cast<std::uint32_t>(fold(sum) + position);
}

}  // namespace clrkit::pe
