// A view of a PE file: headers in place, and the way from an RVA to bytes. Owns nothing, allocates
// nothing; opening costs the same whatever the size of the file.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>
#include <clrkit/core/pe/format.h>

#include <cstdint>
#include <optional>
#include <span>

namespace clrkit::pe {

/// Where the bytes of an RVA are.
enum class Mapping : std::uint8_t {
    file,    // through the section table, as in a file
    memory,  // offset = RVA: dumped from memory, or sections aligned below a page
};

class Image {
public:
    Image() = default;

    /// Parses the headers of `file`, which must outlive the image. Section headers that do not fit
    /// are dropped with a diagnostic; everything the loader needs is an error.
    CLRKIT_API static Result<Image> parse(ByteSpan file, Diagnostics* diagnostics = nullptr);

    ByteSpan bytes() const { return file_; }
    bool is_pe32_plus() const { return optional_start().magic == magic_pe32_plus; }

    const DosHeader& dos_header() const { return at<DosHeader>(0); }
    /// Offset of the "PE\0\0" signature.
    std::uint32_t pe_offset() const { return pe_offset_; }
    std::uint32_t coff_offset() const { return pe_offset_ + 4; }
    std::uint32_t optional_offset() const { return coff_offset() + 20; }
    const CoffHeader& coff() const { return at<CoffHeader>(coff_offset()); }
    const OptionalHeaderStart& optional_start() const {
        return at<OptionalHeaderStart>(optional_offset());
    }
    const OptionalHeaderMiddle& optional_middle() const {
        return at<OptionalHeaderMiddle>(optional_offset() + 32);
    }
    /// The header where it is PE32, else null; likewise `optional64`.
    const OptionalHeader32* optional32() const {
        return is_pe32_plus() ? nullptr : &at<OptionalHeader32>(optional_offset());
    }
    const OptionalHeader64* optional64() const {
        return is_pe32_plus() ? &at<OptionalHeader64>(optional_offset()) : nullptr;
    }
    std::uint64_t image_base() const {
        return is_pe32_plus() ? std::uint64_t{optional64()->image_base}
                              : std::uint64_t{optional32()->image_base};
    }

    /// Offset of the first data directory, and how many stand inside the optional header (at most
    /// 16). NumberOfRvaAndSizes is not asked: the runtimes do not either.
    std::uint32_t directories_offset() const {
        return optional_offset() + (is_pe32_plus() ? 112U : 96U);
    }
    std::uint32_t directory_entries() const { return directory_entries_; }
    /// The directory entry; zeros where the header ends before it.
    DataDirectory directory(Directory which) const;
    /// Offset of the directory entry in the file; nothing where the header ends before it.
    std::optional<std::uint64_t> directory_offset(Directory which) const;

    std::uint32_t sections_offset() const {
        return optional_offset() + coff().size_of_optional_header;
    }
    std::span<const SectionHeader> sections() const {
        return {view_at<SectionHeader>(file_, sections_offset()), section_count_};
    }
    /// First byte behind the section headers.
    std::uint32_t headers_end() const { return sections_offset() + section_count_ * 40U; }

    Mapping mapping() const { return mapping_; }
    /// The same image with another mapping.
    Image with_mapping(Mapping mapping) const {
        Image other = *this;
        other.mapping_ = mapping;
        return other;
    }

    /// Bytes a section occupies in memory: VirtualSize, or SizeOfRawData when that is 0, rounded
    /// up to SectionAlignment.
    std::uint64_t virtual_extent(const SectionHeader& section) const;
    /// Where the loader finds a section's raw data: PointerToRawData, rounded down to 512 where
    /// sections are aligned to pages, and how much of it is both there and mapped.
    std::uint64_t raw_offset(const SectionHeader& section) const;
    std::uint64_t raw_size(const SectionHeader& section) const;

    /// The section an RVA lies in, or null. The first that matches, as the loader looks.
    CLRKIT_API const SectionHeader* section_of(std::uint32_t rva) const;
    /// Offset in the file of the byte at `rva`. Nothing where no byte backs it.
    CLRKIT_API std::optional<std::uint64_t> offset_of(std::uint32_t rva) const;
    /// The bytes from `rva` to the end of its section's raw data (of the headers, of the file in
    /// memory mapping); empty where no byte backs it.
    CLRKIT_API ByteSpan from(std::uint32_t rva) const;
    /// Exactly `size` bytes at `rva`, or nothing.
    std::optional<ByteSpan> range(std::uint32_t rva, std::uint64_t size) const {
        const ByteSpan all = from(rva);
        if (all.size() < size) return std::nullopt;
        return all.first(static_cast<std::size_t>(size));
    }
    /// The structure at `rva`, or null.
    template <class T>
    const T* view(std::uint32_t rva) const {
        return view_at<T>(from(rva), 0);
    }
    /// Offset in the file of a span that this image handed out.
    std::uint64_t offset_in_file(ByteSpan part) const {
        return static_cast<std::uint64_t>(part.data() - file_.data());
    }
    /// The RVA of a file offset; nothing where no section or header holds it.
    CLRKIT_API std::optional<std::uint32_t> rva_of(std::uint64_t offset) const;

private:
    template <class T>
    const T& at(std::uint64_t offset) const {
        // In bounds: parse() checked the headers before it made the image.
        return *reinterpret_cast<const T*>(file_.data() + offset);
    }

    ByteSpan file_;
    std::uint32_t pe_offset_ = 0;
    std::uint32_t directory_entries_ = 0;
    std::uint32_t section_count_ = 0;
    std::uint32_t alignment_ = 1;  // SectionAlignment, at least 1
    Mapping mapping_ = Mapping::file;
    bool round_raw_ = false;  // the loader rounds PointerToRawData down
};

inline DataDirectory Image::directory(Directory which) const {
    const auto index = static_cast<std::uint32_t>(which);
    if (index >= directory_entries_) return {};
    return at<DataDirectory>(directories_offset() + std::uint64_t{index} * 8);
}

inline std::optional<std::uint64_t> Image::directory_offset(Directory which) const {
    const auto index = static_cast<std::uint32_t>(which);
    if (index >= directory_entries_) return std::nullopt;
    return directories_offset() + std::uint64_t{index} * 8;
}

inline std::uint64_t Image::virtual_extent(const SectionHeader& section) const {
    const std::uint64_t size =
        section.virtual_size != 0 ? section.virtual_size : section.size_of_raw_data;
    return (size + alignment_ - 1) / alignment_ * alignment_;
}

inline std::uint64_t Image::raw_offset(const SectionHeader& section) const {
    const std::uint32_t pointer = section.pointer_to_raw_data;
    return round_raw_ ? pointer & ~std::uint32_t{511} : pointer;
}

}  // namespace clrkit::pe
