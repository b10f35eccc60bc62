// The metadata root and its stream headers (ECMA-335 II.24.2.1, II.24.2.2), in place.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/endian.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace clrkit {

inline constexpr std::uint32_t metadata_signature = 0x424A5342;  // "BSJB"

/// One stream header, and the part of the stream that exists.
struct Stream {
    std::string_view name;            // up to its NUL; 32 bytes where it has none
    std::uint32_t offset = 0;         // as declared, from the metadata root
    std::uint32_t size = 0;           // as declared
    ByteSpan content;                 // clamped to the metadata; empty when the offset is outside
    std::uint64_t header_offset = 0;  // of the header, from the metadata root
    std::uint64_t header_size = 0;
    bool terminated = true;  // the name ends with a NUL within 32 bytes
    bool whole = true;       // offset and size lie inside the metadata
};

/// The root: signature, version string, number of streams.
class MetadataRoot {
public:
    MetadataRoot() = default;

    /// Parses the root at the start of `bytes`, which reach as far as the file allows: the size in
    /// the CLR header is not trusted, as the runtimes do not trust it. Errors:
    /// `metadata_bad_signature`, `metadata_truncated`.
    CLRKIT_API static Result<MetadataRoot> parse(ByteSpan bytes, std::uint64_t file_offset);

    ByteSpan bytes() const { return bytes_; }
    std::uint64_t file_offset() const { return file_offset_; }
    /// The version string up to its first NUL.
    std::string_view version() const;
    /// The bytes of the version field, padding and whatever stands behind the NUL included.
    ByteSpan version_field() const { return bytes_.subspan(16, version_length_); }
    std::uint16_t flags() const {
        return load_le<std::uint16_t>(bytes_.data() + 16 + version_length_);
    }
    /// As declared; fewer headers may exist.
    std::uint16_t declared_streams() const {
        return load_le<std::uint16_t>(bytes_.data() + 18 + version_length_);
    }
    /// Offset of the first stream header from the root.
    std::uint64_t streams_offset() const { return 20 + std::uint64_t{version_length_}; }

    /// Walks the stream headers in order: `for (auto cursor = root.streams(); auto s = cursor.next();)`.
    class Cursor {
    public:
        explicit Cursor(const MetadataRoot& root)
            : root_(&root), position_(root.streams_offset()), left_(root.declared_streams()) {}
        /// The next header; nothing behind the last, or where the metadata ends.
        CLRKIT_API std::optional<Stream> next();
        /// Offset behind the last header read, from the root.
        std::uint64_t position() const { return position_; }

    private:
        const MetadataRoot* root_;
        std::uint64_t position_;
        std::uint32_t left_;
    };
    Cursor streams() const { return Cursor(*this); }

private:
    ByteSpan bytes_;
    std::uint64_t file_offset_ = 0;
    std::uint32_t version_length_ = 0;
};

}  // namespace clrkit
