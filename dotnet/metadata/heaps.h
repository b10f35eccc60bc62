// The four heaps (ECMA-335 II.24.2.3 to II.24.2.5). Views: the image owns the bytes. A look-up
// never fails hard: what an index cannot give is empty.
#pragma once

#include <clrkit/core/bytes/reader.h>
#include <clrkit/core/bytes/span.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace clrkit {

using Guid = std::array<std::uint8_t, 16>;

/// #Strings: names that end with NUL, UTF-8 by the standard, any bytes in practice.
class StringHeap {
public:
    StringHeap() = default;
    explicit StringHeap(ByteSpan bytes) : bytes_(bytes), safe_end_(find_safe_end(bytes)) {}

    ByteSpan bytes() const { return bytes_; }
    /// The name at `offset` up to its NUL, or to the end of the heap where the last one has none.
    /// Empty when `offset` is past the heap.
    std::string_view at(std::uint32_t offset) const {
        const auto* start = reinterpret_cast<const char*>(bytes_.data());
        if (offset < safe_end_) return {start + offset, std::strlen(start + offset)};
        if (offset >= bytes_.size()) return {};
        const char* text = start + offset;
        const std::size_t left = bytes_.size() - offset;
        const void* end = std::memchr(text, 0, left);
        return {text, end != nullptr
                          ? static_cast<std::size_t>(static_cast<const char*>(end) - text)
                          : left};
    }
    bool contains(std::uint32_t offset) const { return offset < bytes_.size(); }
    /// True when the name at `offset` is `text`. Reads no further than `text` is long, whereas `at`
    /// has to find the end: many rows may share one long name.
    bool equals(std::uint32_t offset, std::string_view text) const {
        if (offset >= bytes_.size()) return text.empty();
        const std::size_t left = bytes_.size() - offset;
        if (text.size() > left) return false;
        const auto* name = reinterpret_cast<const char*>(bytes_.data()) + offset;
        return std::string_view(name, text.size()) == text &&
               (text.size() == left || name[text.size()] == 0);
    }

private:
    /// One past the last NUL, where that is near the end: below it strlen cannot run out of the
    /// heap. 0 where the heap ends with a long unterminated name.
    static std::size_t find_safe_end(ByteSpan bytes) {
        std::size_t end = bytes.size();
        for (int tries = 0; tries < 64 && end != 0; ++tries, --end) {
            if (bytes[end - 1] == 0) return end;
        }
        return 0;
    }

    ByteSpan bytes_;
    std::size_t safe_end_ = 0;
};

/// A length-prefixed entry and the range it occupies.
struct BlobEntry {
    ByteSpan content;
    std::uint32_t prefix = 0;  // bytes of the length in front of the content
    bool valid = false;        // false: the entry runs past the heap, or its length makes no sense
};

/// #Blob and #US: entries with a compressed length in front.
class BlobHeap {
public:
    BlobHeap() = default;
    explicit BlobHeap(ByteSpan bytes) : bytes_(bytes) {}

    ByteSpan bytes() const { return bytes_; }
    /// The entry at `offset`. Entry 0 is empty whatever stands there, as the runtimes have it.
    BlobEntry entry(std::uint32_t offset) const {
        if (offset == 0) return {{}, 1, true};
        if (offset >= bytes_.size()) return {};
        ByteReader reader(bytes_.subspan(offset));
        const std::uint32_t length = reader.compressed();
        const auto prefix = static_cast<std::uint32_t>(reader.position());
        const ByteSpan content = reader.bytes(length);
        if (!reader.ok()) return {{}, prefix, false};
        return {content, prefix, true};
    }
    /// The content at `offset`; empty when it is not whole.
    ByteSpan at(std::uint32_t offset) const { return entry(offset).content; }
    bool contains(std::uint32_t offset) const { return offset < bytes_.size(); }

private:
    ByteSpan bytes_;
};

/// #GUID: 16 bytes each, counted from 1.
class GuidHeap {
public:
    GuidHeap() = default;
    explicit GuidHeap(ByteSpan bytes) : bytes_(bytes) {}

    ByteSpan bytes() const { return bytes_; }
    std::uint32_t count() const { return static_cast<std::uint32_t>(bytes_.size() / 16); }
    /// Nothing for index 0 (no GUID) and past the end.
    std::optional<Guid> at(std::uint32_t index) const {
        if (index == 0 || index > count()) return std::nullopt;
        Guid guid;
        std::memcpy(guid.data(), bytes_.data() + (std::size_t{index} - 1) * 16, 16);
        return guid;
    }

private:
    ByteSpan bytes_;
};

}  // namespace clrkit
