// A fresh layout: the parts of an image as blocks, each block placed anew in its section, and the way
// from an old address to the new one.
#pragma once

#include <clrkit/core/bytes/span.h>
#include <clrkit/core/error.h>
#include <clrkit/core/pe/headers.h>
#include <clrkit/dotnet/module/coverage.h>
#include <clrkit/dotnet/module/state.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace clrkit::rebuild {

/// Parts that keep their distance from each other and move together.
struct Block {
    pe::ClaimKind kind;  // of the first part
    pe::FileRange old;   // the bytes it occupied; of the first body for the body area
    std::uint32_t old_rva = 0;
    std::uint32_t section = 0;  // number of the section
    std::uint32_t alignment = 4;
    std::uint32_t phase = 0;   // the new RVA is `phase` modulo `alignment`
    ByteSpan content;          // what is written; the old bytes where nobody has made new ones
    std::uint32_t rva = 0;     // set by `place`
    std::uint64_t offset = 0;  // set by `place`
};

/// The sections that blocks go to.
enum class Sections : std::uint8_t {
    kept,   // every block stays in the section it stands in
    fresh,  // those of an image that never had native code: see `fresh_sections`
};
namespace fresh_sections {
inline constexpr std::uint32_t text = 0;
inline constexpr std::uint32_t rsrc = 1;  // where there are Win32 resources
}  // namespace fresh_sections

class Layout {
public:
    /// Groups the claims of a covered image into blocks, in the order in which they stand. Method
    /// bodies become one block, the metadata another. With fresh sections, imports, entry point and
    /// relocations are left out. Errors: `unsupported` for an arrangement that cannot be moved.
    Status plan(const ModuleState& state, const Coverage& coverage, Sections sections);

    /// Adds a block that the old image did not have, behind the others of its section; the import
    /// address table goes first.
    void add_new(pe::ClaimKind kind, std::uint32_t section, ByteSpan content,
                 std::uint32_t alignment, std::uint32_t phase = 0);

    /// The one block of that kind, or null.
    Block* find(pe::ClaimKind kind);
    std::vector<Block>& blocks() { return blocks_; }
    const std::vector<Block>& blocks() const { return blocks_; }

    /// Gives every block its address, and the section headers in `headers` theirs, beginning at the
    /// first one's RVA and at `first_offset` in the file. Sections keep their order, names and rights.
    /// Error: `output_budget` past 4 GiB.
    Status place(pe::Headers& headers, std::uint64_t first_offset);

    /// Where the byte at an old RVA is now. Nothing for the body area and the metadata, whose parts
    /// move among themselves, and for bytes that were dropped.
    std::optional<std::uint32_t> moved(std::uint32_t old_rva) const;
    /// The new file offset of an old one, likewise.
    std::optional<std::uint64_t> moved_offset(std::uint64_t old_offset) const;
    /// Bytes of the file up to the end of the last section's raw data.
    std::uint64_t end_of_sections() const { return end_; }

private:
    Status add(const pe::Image& image, const pe::Claim& claim, Sections sections);
    void index();
    std::uint64_t end_of_directories(const pe::Headers& headers, std::uint32_t section,
                                     std::uint64_t section_rva) const;
    const Block* block_at(std::uint64_t old_offset) const;

    const ModuleState* state_ = nullptr;
    std::vector<Block> blocks_;             // by section, in order
    std::vector<std::uint32_t> by_offset_;  // numbers of movable blocks by old offset
    std::uint64_t end_ = 0;
};

}  // namespace clrkit::rebuild
