// What a rebuild did with what it decodes.
#pragma once

#include <clrkit/dotnet/metadata/tokens.h>

#include <cstdint>

namespace clrkit::rebuild {

/// What became of blobs, by entry and use, or of method bodies.
struct BlobCounts {
    std::uint32_t decoded = 0;
    /// Of these, written in a shorter form or with other tokens.
    std::uint32_t changed = 0;
    /// Not decoded: copied as they are.
    std::uint32_t raw = 0;
    /// The first row with such an entry.
    Token first_raw;
};

}  // namespace clrkit::rebuild
