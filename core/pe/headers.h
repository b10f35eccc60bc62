// The headers of a PE file as a plain value that can be changed and written back (Microsoft PE/COFF
// specification; ECMA-335 II.25.2). `Image` looks at them in place; this is the form to edit.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/error.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/core/pe/format.h>
#include <clrkit/core/pe/image.h>

#include <cstdint>
#include <vector>

namespace clrkit::pe {

/// All header fields. Fields whose width depends on the magic are as wide as in PE32+. Counts are
/// the stored ones: whoever adds a section or a directory changes them too. Owns everything but
/// `stub` and `extra`, which point into the file it was read from.
struct Headers {
    DosHeader dos{};
    /// From the end of the DOS header to the PE signature; empty where the two overlap.
    ByteSpan stub;
    std::uint32_t signature = pe_signature;
    CoffHeader coff{};

    OptionalHeaderStart start{};
    std::uint32_t base_of_data = 0;  // PE32 only
    std::uint64_t image_base = 0;
    OptionalHeaderMiddle middle{};
    std::uint64_t size_of_stack_reserve = 0;
    std::uint64_t size_of_stack_commit = 0;
    std::uint64_t size_of_heap_reserve = 0;
    std::uint64_t size_of_heap_commit = 0;
    std::uint32_t loader_flags = 0;
    std::uint32_t number_of_rva_and_sizes =
        0;  // as stored; `directories` is what there is room for

    /// At most 16.
    std::vector<DataDirectory> directories;
    /// What SizeOfOptionalHeader spans behind the directories, as far as the file goes.
    ByteSpan extra;
    std::vector<SectionHeader> sections;

    /// Copies the headers of an image, whose bytes must outlive `stub` and `extra`. Never fails:
    /// `Image::parse` has checked them.
    CLRKIT_API static Headers read(const Image& image);

    bool is_pe32_plus() const { return start.magic == magic_pe32_plus; }
    // Offsets in the file, by the values above.
    std::uint64_t coff_offset() const { return std::uint64_t{dos.pe_offset} + 4; }
    std::uint64_t optional_offset() const { return coff_offset() + sizeof(CoffHeader); }
    std::uint64_t directories_offset() const {
        return optional_offset() +
               (is_pe32_plus() ? sizeof(OptionalHeader64) : sizeof(OptionalHeader32));
    }
    std::uint64_t sections_offset() const {
        return optional_offset() + coff.size_of_optional_header;
    }
    /// First byte behind the section headers.
    std::uint64_t end() const {
        return sections_offset() + sections.size() * sizeof(SectionHeader);
    }
    /// The directory entry; zeros where there is none.
    DataDirectory directory(Directory which) const {
        const auto index = static_cast<std::size_t>(which);
        return index < directories.size() ? directories[index] : DataDirectory{};
    }
};

/// Writes every field at its place in `out`, which begins where the file begins: unchanged headers
/// give the bytes they were read from. Errors: `value_too_wide` when a PE32 field does not hold its
/// value, `output_budget` when `out` is too small; what fits is written nevertheless.
CLRKIT_API Status write(const Headers& headers, MutableByteSpan out);

/// The four ranges of the headers; the DOS header ends where an overlapping PE header begins.
CLRKIT_API void claim_headers(const Headers& headers, std::vector<Claim>& claims);

}  // namespace clrkit::pe
