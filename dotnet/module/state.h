// What a Module owns, in one allocation of fixed size: the bytes, the views into them, and the
// record of edits. Handles point here, so it never moves.
#pragma once

#include <clrkit/core/io/input_file.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/dotnet/metadata/container.h>
#include <clrkit/dotnet/metadata/metadata.h>

#include <cstdint>
#include <string>
#include <vector>

namespace clrkit {

/// A range that an edit overwrote, for the write report.
struct Edit {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
};

struct ModuleState {
    InputFile file;      // empty when opened from memory
    ByteSpan original;   // as opened; never changed
    Pages private_copy;  // made by the first edit
    ByteSpan bytes;      // as they are now: the original's, or the private copy's
    Container container;
    Metadata metadata;
    Eyes eyes = Eyes::clr;
    std::vector<Edit> edits;

    /// Parses `bytes`. Called once more when the first edit copies them.
    Status parse(Diagnostics* diagnostics);

    /// Overwrites `value.size()` bytes at `offset` of a private copy, which every view shows from
    /// then on; the original stays as it is. Bytes that are there already
    /// are no edit. Errors: `data_unreadable`, `out_of_memory`.
    Status overwrite(std::uint64_t offset, ByteSpan value);

    /// How many of the parts that are parsed in place hold some of these bytes: PE headers, CLR
    /// header, metadata root, each stream. More than one where a malformed image has them share.
    unsigned holders(std::uint64_t offset, std::uint64_t size) const;

    bool edited() const { return !edits.empty(); }
};

}  // namespace clrkit
