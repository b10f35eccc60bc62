// The version resource (Win32 resource type 16): VS_VERSIONINFO, a tree of blocks of which each has a
// length, a key and a value (Microsoft, "Version Information Structures"). To look at only; the
// resource is kept as bytes.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/endian.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/pe/resources.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace clrkit::pe {

/// VS_FIXEDFILEINFO.
struct FixedFileInfo {
    le32 signature;
    le32 structure_version;
    le32 file_version_high;  // major and minor number
    le32 file_version_low;   // build and revision
    le32 product_version_high;
    le32 product_version_low;
    le32 file_flags_mask;
    le32 file_flags;
    le32 file_os;
    le32 file_type;
    le32 file_subtype;
    le32 file_date_high;
    le32 file_date_low;
};
static_assert(sizeof(FixedFileInfo) == 52);
inline constexpr std::uint32_t fixed_file_info_signature = 0xFEEF04BD;

/// UTF-16 units without their NUL, two bytes each, little-endian; in the resource's bytes.
struct VersionString {
    ByteSpan key;  // "FileDescription"
    ByteSpan value;
};

/// The strings of one language and code page.
struct VersionStrings {
    ByteSpan key;  // UTF-16 likewise: "040904B0", language and code page as hexadecimal digits
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

struct VersionTranslation {
    std::uint16_t language = 0;
    std::uint16_t code_page = 0;
};

struct VersionInfo {
    std::optional<FixedFileInfo> fixed;
    std::vector<VersionStrings> tables;
    std::vector<VersionString> strings;  // of all tables, in order
    std::vector<VersionTranslation> translations;
    /// Everything was read. Zeros behind the last block are no fault: some linkers pad.
    bool complete = true;

    /// Reads the tree, whatever the order of its blocks; faults are reported and what they hide is
    /// left out. Memory is bounded by the resource, of which a 16-bit length spans at most 64 KiB.
    CLRKIT_API static VersionInfo read(const ResourceLeaf& leaf,
                                       Diagnostics* diagnostics = nullptr);

    std::span<const VersionString> strings_of(const VersionStrings& table) const {
        return std::span{strings}.subspan(table.first, table.count);
    }
    /// The first string with that key, compared exactly; null when there is none.
    CLRKIT_API const VersionString* find(std::u16string_view key) const;
};

}  // namespace clrkit::pe
