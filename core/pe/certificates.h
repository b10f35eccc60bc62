// The attribute certificate table (directory 4, whose address is an offset in the file; Microsoft
// PE/COFF specification): Authenticode signatures. What they sign is not checked here.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/core/pe/image.h>

#include <cstdint>
#include <vector>

namespace clrkit::pe {

/// WIN_CERTIFICATE.
struct Certificate {
    std::uint32_t length = 0;    // as stored: header of 8 bytes and data
    std::uint16_t revision = 0;  // 0x200 is the current one
    std::uint16_t type = 0;      // 2: a PKCS #7 SignedData
    ByteSpan data;               // in the image's bytes
    std::uint64_t offset = 0;    // in the file
    FileRange range() const { return {offset, 8 + std::uint64_t{data.size()}}; }
};

struct Certificates {
    std::vector<Certificate>
        entries;  // each starts at a multiple of 8 bytes from the table's start
    /// What the directory says, as far as the file goes.
    FileRange table;
    /// The table is the last thing in the file, as a loader wants it.
    bool at_end = false;
    /// The whole table was read.
    bool complete = true;

    /// Reads the table; the first entry that makes no sense is reported and ends the list. Memory is
    /// bounded by the table's bytes in the file.
    CLRKIT_API static Certificates read(const Image& image, Diagnostics* diagnostics = nullptr);

    bool empty() const { return table.empty(); }
};

/// Writes the entries at their places in `out`, which begins where the file begins; the bytes between
/// them are zero by definition and left alone. Error: `output_budget` when `out` is too small.
CLRKIT_API Status emit(const Certificates& certificates, MutableByteSpan out);
/// One claim per entry, its index as item.
CLRKIT_API void claim_certificates(const Certificates& certificates, std::vector<Claim>& claims);

}  // namespace clrkit::pe
