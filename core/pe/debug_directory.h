// The debug directory (directory 6): its entries, where their data lies, and views of the kinds that
// .NET compilers write (PE-COFF.md of the runtime's documents; Microsoft PE/COFF specification).
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>
#include <clrkit/core/limits.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/core/pe/format.h>
#include <clrkit/core/pe/image.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace clrkit::pe {

/// IMAGE_DEBUG_TYPE_*: the ones that .NET compilers write. Others are kept as they are.
enum class DebugType : std::uint32_t {
    coff = 1,
    code_view = 2,
    pogo = 13,
    reproducible = 16,
    embedded_portable_pdb = 17,
    pdb_checksum = 19,
    perf_map = 21
};

struct DebugEntry {
    DebugDirectoryEntry header{};
    /// Where the data lies in the file; empty when it has none or none can be found.
    FileRange range;
    /// The data itself, in the image's bytes.
    ByteSpan data;
    DebugType type() const { return static_cast<DebugType>(std::uint32_t{header.type}); }
};

struct DebugDirectory {
    std::uint64_t offset = 0;  // of the first entry, in the file
    std::vector<DebugEntry> entries;
    /// The whole directory and all data were found.
    bool complete = true;

    /// Reads the entries and finds their data: through PointerToRawData (in memory mapping through
    /// AddressOfRawData), or by the other where that leads nowhere. A directory that claims more
    /// bytes than there are ends at the first entry without data. Faults are reported; an entry
    /// whose data cannot be found stays, with an empty range. Memory is bounded by the directory's
    /// bytes in the file and by `limits.nodes`.
    CLRKIT_API static DebugDirectory read(const Image& image, Diagnostics* diagnostics = nullptr,
                                          const Limits& limits = {});
    /// The first entry of a type, or null.
    CLRKIT_API const DebugEntry* find(DebugType type) const;
    FileRange range() const { return {offset, entries.size() * sizeof(DebugDirectoryEntry)}; }
};

/// CodeView data of the form RSDS: which PDB belongs to the image.
struct CodeView {
    std::array<std::uint8_t, 16> guid{};
    std::uint32_t age = 0;
    ByteSpan path;  // without its NUL; UTF-8 by custom. In the image's bytes.
};
/// Nothing when the entry is of another type or form, or too short. A path without a NUL ends
/// with the data.
CLRKIT_API std::optional<CodeView> code_view(const DebugEntry& entry);

/// PdbChecksum data: a hash of the PDB with its id set to zero.
struct PdbChecksum {
    std::string_view algorithm;  // such as "SHA256"; in the image's bytes
    ByteSpan checksum;
};
CLRKIT_API std::optional<PdbChecksum> pdb_checksum(const DebugEntry& entry);

/// A Portable PDB inside the image, as stored.
struct EmbeddedPdb {
    std::uint32_t uncompressed_size = 0;  // in bytes; claimed, nobody checked it
    ByteSpan deflated;                    // raw DEFLATE data, in the image's bytes
};
CLRKIT_API std::optional<EmbeddedPdb> embedded_pdb(const DebugEntry& entry);

/// Writes entries and data at their places in `out`, which begins where the file begins. Error:
/// `output_budget` when `out` is too small.
CLRKIT_API Status emit(const DebugDirectory& debug, MutableByteSpan out);
/// One claim for the entries, one for each entry's data with its index as item.
CLRKIT_API void claim_debug_directory(const DebugDirectory& debug, std::vector<Claim>& claims);

}  // namespace clrkit::pe
