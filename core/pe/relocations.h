// Base relocations (directory 5; Microsoft PE/COFF specification, ".reloc").
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/core/pe/image.h>
#include <clrkit/core/pe/imports.h>

#include <cstdint>
#include <span>
#include <vector>

namespace clrkit::pe {

/// IMAGE_REL_BASED_*: what is added to the place. A type not listed is kept as it is.
enum class RelocationType : std::uint8_t {
    absolute = 0,
    high = 1,
    low = 2,
    highlow = 3,
    highadj = 4,
    thumb_mov32 = 7,
    dir64 = 10
};

/// Type in the upper four bits, offset in the page in the lower twelve. The entry after a `highadj`
/// is a number, not an entry. `absolute` does nothing: it pads a block to four bytes.
struct Relocation {
    std::uint16_t raw = 0;
    RelocationType type() const { return static_cast<RelocationType>(raw >> 12U); }
    std::uint32_t page_offset() const { return raw & 0xFFFU; }
};

struct RelocationBlock {
    std::uint32_t page_rva = 0;
    std::uint32_t size = 0;    // as stored: 8 bytes of header and two for each entry
    std::uint64_t offset = 0;  // in the file
    std::uint32_t first_entry = 0;
    std::uint32_t entry_count = 0;
    FileRange range() const { return {offset, 8 + std::uint64_t{entry_count} * 2}; }
};

struct Relocations {
    std::vector<RelocationBlock> blocks;
    std::vector<Relocation> entries;
    /// The whole directory was read. Zeros behind the last block are not part of it.
    bool complete = true;

    /// Reads the blocks; the first one that makes no sense is reported and ends the list. Memory is
    /// bounded by the directory's bytes in the file.
    CLRKIT_API static Relocations read(const Image& image, Diagnostics* diagnostics = nullptr);

    std::span<const Relocation> entries_of(const RelocationBlock& block) const {
        return std::span{entries}.subspan(block.first_entry, block.entry_count);
    }
};

/// True when nothing is relocated but places of the thunk, each at most once; so for no relocations
/// at all. `thunk` may be null: then nothing may be.
CLRKIT_API bool relocates_only_thunk(const Relocations& relocations, const EntryThunk* thunk);

/// Writes the blocks at their places in `out`, which begins where the file begins. Error:
/// `output_budget` when `out` is too small.
CLRKIT_API Status emit(const Relocations& relocations, MutableByteSpan out);
/// One claim per block, its index as item.
CLRKIT_API void claim_relocations(const Relocations& relocations, std::vector<Claim>& claims);

}  // namespace clrkit::pe
