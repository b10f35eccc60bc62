// An image as CoreCLR looks at it: strictly by the section table, without what pe::Image forgives for
// other loaders' sake (rounded pointers, headers in memory, low alignment). Internal.
#pragma once

#include <clrkit/core/bytes/span.h>
#include <clrkit/core/pe/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace clrkit::verify {

/// Why a range of memory is not where the loader wants it.
enum class RangeFault : std::uint8_t {
    none,
    no_section,
    memory,    // runs past VirtualSize
    raw_data,  // runs past SizeOfRawData, or past the file
};

class LoaderView {
public:
    explicit LoaderView(const pe::Image& image);

    /// All headers that NumberOfSections asks for and the file holds.
    std::span<const pe::SectionHeader> sections() const { return sections_; }
    std::uint64_t header_offset(const pe::SectionHeader& section) const;
    /// Rounded up to SectionAlignment; unchanged where that is no power of two.
    std::uint64_t aligned(std::uint64_t size) const {
        return (size + alignment_ - 1) / alignment_ * alignment_;
    }
    /// End of a section in memory.
    std::uint64_t end_of(const pe::SectionHeader& section) const {
        return section.virtual_address + aligned(section.virtual_size);
    }

    /// The first section that ends behind `rva`, if it also begins before it; else null.
    const pe::SectionHeader* section_of(std::uint32_t rva) const;
    RangeFault check(std::uint32_t rva, std::uint64_t size) const;
    /// From `rva` as far as one section's memory, its raw data and the file all reach.
    ByteSpan from(std::uint32_t rva) const;
    /// Offset in the file of a span that `from` gave.
    std::uint64_t offset_of(ByteSpan part) const {
        return static_cast<std::uint64_t>(part.data() - file_.data());
    }

private:
    ByteSpan file_;
    std::span<const pe::SectionHeader> sections_;
    std::uint64_t sections_offset_ = 0;
    std::uint64_t alignment_ = 1;
    /// The greatest end of the sections up to each: sorted whatever the sections are, so that a
    /// look-up is a search.
    std::vector<std::uint64_t> ends_;
};

}  // namespace clrkit::verify
