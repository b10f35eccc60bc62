// The PE checksum: the sum the loader checks for drivers and boot-time DLLs, as CheckSumMappedFile
// computes it.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/pe/image.h>

#include <cstdint>
#include <span>

namespace clrkit::pe {

/// Offset in the file of the optional header's CheckSum field.
inline std::uint64_t checksum_offset(const Image& image) {
    return std::uint64_t{image.optional_offset()} + 64;
}

/// The checksum of the file that the parts make when laid end to end; they may have any lengths.
/// The four bytes at `field_offset`, the CheckSum field itself, count as zero. Never fails.
CLRKIT_API std::uint32_t checksum(std::span<const ByteSpan> parts, std::uint64_t field_offset);

/// The checksum of a whole file in one piece.
inline std::uint32_t checksum(const Image& image) {
    const ByteSpan whole = image.bytes();
    return checksum({&whole, 1}, checksum_offset(image));
}

}  // namespace clrkit::pe
