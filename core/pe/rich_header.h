// The Rich header: which Microsoft tools built the objects of an image. Undocumented; it stands in the
// DOS stub, masked with a key that is also its checksum. To look at only: the stub is kept as bytes.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/core/pe/image.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace clrkit::pe {

struct RichEntry {
    std::uint16_t product = 0;  // which tool
    std::uint16_t build = 0;    // of the tool
    std::uint32_t count = 0;    // of objects it made
};

struct RichHeader {
    /// From the masked "DanS" to the key, in the file.
    FileRange range;
    std::uint32_t key = 0;
    /// The key is the checksum of the DOS header, the stub before this and the entries.
    bool checksum_valid = false;
    std::vector<RichEntry> entries;

    /// Finds the header between DOS header and PE signature. Nothing when there is none. Memory is
    /// bounded by the size of the stub.
    CLRKIT_API static std::optional<RichHeader> read(const Image& image);
};

}  // namespace clrkit::pe
