// ByteReader over several spans in a row: pages of a PDB, what a WriteBuffer spilled, ranges of a file
// with holes. A value that lies in one span is read in place; one that crosses a boundary is gathered,
// and never on the heap. The bytes belong to somebody else, and so does the list of spans.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/buffers/segment_pool.h>
#include <clrkit/core/bytes/endian.h>
#include <clrkit/core/bytes/span.h>

#include <cstdint>
#include <span>

namespace clrkit {

/// A read past the end yields zero and makes the reader fail for good, as with ByteReader.
class SegmentedReader {
public:
    /// Both the list and what it names must outlive the reader. Spans may be empty.
    explicit SegmentedReader(std::span<const ByteSpan> segments,
                             SegmentPool& pool = SegmentPool::shared())
        : segments_(segments), pool_(&pool) {
        for (const ByteSpan segment : segments) total_ += segment.size();
        later_ = total_;
        if (!segments.empty()) enter_next();
    }
    SegmentedReader(const SegmentedReader&) = delete;
    SegmentedReader& operator=(const SegmentedReader&) = delete;
    ~SegmentedReader() {
        if (gathered_ != nullptr) give_back_all();
    }

    bool ok() const { return !failed_; }
    /// The pool refused the memory for bytes that were there: why the reader failed.
    bool refused() const { return refused_; }
    /// Bytes read so far, counted from the start of the first span.
    std::uint64_t position() const { return total_ - left(); }
    std::uint64_t left() const { return later_ + room(); }
    /// Makes the reader fail: the caller found that what it read makes no sense.
    void fail() {
        // No room from here on, so that a read asks one question; what is left stays the same.
        later_ += room();
        end_ = at_;
        failed_ = true;
    }

    template <class T>
    T read() {
        if (room() < sizeof(T)) return static_cast<T>(read_split(sizeof(T)));
        const T value = load_le<T>(at_);
        at_ += sizeof(T);
        return value;
    }
    std::uint8_t u8() { return read<std::uint8_t>(); }
    std::uint16_t u16() { return read<std::uint16_t>(); }
    std::uint32_t u32() { return read<std::uint32_t>(); }
    std::uint64_t u64() { return read<std::uint64_t>(); }

    /// The next `count` bytes; empty, and the reader fails, when fewer are left. In place when they
    /// lie in one span. Otherwise they are gathered: into `scratch` when they fit, where the next call
    /// with the same scratch overwrites them, or into a rented block that lives as long as the reader.
    ByteSpan bytes(std::uint64_t count, MutableByteSpan scratch = {}) {
        if (room() < count) return bytes_split(count, scratch);
        const ByteSpan taken(at_, static_cast<std::size_t>(count));
        at_ += count;
        return taken;
    }
    void skip(std::uint64_t count) {
        if (room() < count) {
            skip_split(count);
        } else {
            at_ += count;
        }
    }

    /// A compressed unsigned integer (ECMA-335 II.23.2), read as ByteReader does.
    std::uint32_t compressed() {
        const std::uint8_t first = u8();
        return (first & 0x80U) == 0 ? first : compressed_rest(first);
    }

private:
    struct Gathered;

    std::size_t room() const { return static_cast<std::size_t>(end_ - at_); }
    void enter_next() {
        at_ = segments_.front().data();
        end_ = at_ + segments_.front().size();
        later_ -= segments_.front().size();
        segments_ = segments_.subspan(1);
    }
    /// Whether `count` more bytes are there; the reader fails when not.
    bool has(std::uint64_t count) {
        if (!failed_ && left() < count) fail();
        return !failed_;
    }
    CLRKIT_API std::uint64_t read_split(std::size_t size);
    CLRKIT_API ByteSpan bytes_split(std::uint64_t count, MutableByteSpan scratch);
    CLRKIT_API void skip_split(std::uint64_t count);
    CLRKIT_API std::uint32_t compressed_rest(std::uint8_t first);
    CLRKIT_API void give_back_all();
    void gather(std::uint8_t* to, std::size_t count);
    std::uint8_t* rent(std::size_t size);

    const std::uint8_t* at_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    std::span<const ByteSpan> segments_;  // after the current one
    std::uint64_t later_ = 0;             // bytes behind `end_`
    std::uint64_t total_ = 0;
    SegmentPool* pool_;
    Gathered* gathered_ = nullptr;
    bool failed_ = false;
    bool refused_ = false;
};

}  // namespace clrkit
