// The one output type of everything that builds blobs. It writes to memory that the caller lends, as a
// rule on the stack, and goes on in segments of a pool when that is full; what was written never moves.
// The caller owns the scratch, the buffer gives its segments back.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/buffers/segment_pool.h>
#include <clrkit/core/bytes/compressed.h>
#include <clrkit/core/bytes/endian.h>
#include <clrkit/core/bytes/span.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace clrkit {

/// Every write returns whether it was done. One that was not, because the pool refused memory, leaves
/// the buffer as it was but for `failed()`, so a caller may write a whole blob and ask once.
class WriteBuffer {
public:
    class Segments;

    /// Begins on `scratch`, which must outlive the buffer. Allocates and rents nothing.
    explicit WriteBuffer(MutableByteSpan scratch = {}, SegmentPool& pool = SegmentPool::shared())
        : cursor_(scratch.data()),
          end_(scratch.data() + scratch.size()),
          current_(scratch.data(), 0),
          pool_(&pool) {}
    /// The other one is empty then, without scratch.
    WriteBuffer(WriteBuffer&& other) noexcept
        : cursor_(std::exchange(other.cursor_, nullptr)),
          end_(std::exchange(other.end_, nullptr)),
          current_(std::exchange(other.current_, {})),
          table_(std::exchange(other.table_, nullptr)),
          pool_(other.pool_),
          flushed_(std::exchange(other.flushed_, 0)),
          failed_(std::exchange(other.failed_, false)) {}
    WriteBuffer& operator=(WriteBuffer&& other) noexcept {
        if (this != &other) {
            reset();
            new (this) WriteBuffer(std::move(other));
        }
        return *this;
    }
    WriteBuffer(const WriteBuffer&) = delete;
    WriteBuffer& operator=(const WriteBuffer&) = delete;
    ~WriteBuffer() {
        if (table_ != nullptr) give_back_all();
    }

    bool u8(std::uint8_t value) {
        if (cursor_ == end_) return bytes_slow({&value, 1});
        *cursor_++ = value;
        return true;
    }
    /// Little-endian, like the wider ones.
    bool u16(std::uint16_t value) { return integer(value); }
    bool u32(std::uint32_t value) { return integer(value); }
    bool u64(std::uint64_t value) { return integer(value); }

    /// The shortest compressed form of `value` (ECMA-335 II.23.2). Above `largest_compressed` there is
    /// none: nothing is written, and the buffer has failed.
    bool compressed(std::uint32_t value) {
        if (value >= 0x80 || cursor_ == end_) return compressed_slow(value);
        *cursor_++ = static_cast<std::uint8_t>(value);
        return true;
    }
    /// `from` may lie in this buffer.
    bool bytes(ByteSpan from) {
        // One comparison for "fits" and "is not empty": an empty span may have no address to copy.
        if (from.size() - 1 >= room()) return bytes_slow(from);
        std::memcpy(cursor_, from.data(), from.size());
        cursor_ += from.size();
        return true;
    }

    /// `size` bytes in one piece to write to, for what has a length that is known only afterwards; null
    /// data when the pool refuses. They count when they are committed; any other write ends this one.
    MutableByteSpan reserve(std::size_t size) {
        if (size > room() || cursor_ == nullptr) return reserve_slow(size);
        return {cursor_, size};
    }
    /// Keeps the first `size` bytes of what `reserve` returned.
    void commit(std::size_t size) {
        assert(size <= room());
        cursor_ += size;
    }

    std::uint64_t bytes_written() const { return flushed_ + current_size(); }
    /// Whether there is more than the scratch.
    bool spilled() const { return table_ != nullptr; }
    /// True once a write was not done, until `reset`.
    bool failed() const { return failed_; }

    /// What was written, in order, none of it empty. Valid until the next write, move, reset or
    /// destruction of the buffer.
    CLRKIT_API Segments segments() const;
    /// What was written when it is in one piece, the scratch; empty when it spilled.
    ByteSpan contiguous() const {
        return spilled() ? ByteSpan{} : ByteSpan(current_.data(), current_size());
    }
    /// Copies all to the begin of `to`. False, and nothing is copied, when there is less room.
    CLRKIT_API bool copy_to(MutableByteSpan to) const;
    /// One heap allocation.
    CLRKIT_API std::vector<std::uint8_t> to_vector() const;

    /// Forgets what was written and begins again on the same scratch; segments go back to the pool.
    void reset() {
        if (table_ != nullptr) give_back_all();
        cursor_ -= current_size();
        failed_ = false;
    }

private:
    struct Table;

    std::size_t room() const { return static_cast<std::size_t>(end_ - cursor_); }
    std::size_t current_size() const { return static_cast<std::size_t>(cursor_ - current_.data()); }
    template <class T>
    bool integer(T value) {
        if (room() < sizeof(T)) return integer_slow(value, sizeof(T));
        store_le(cursor_, value);
        cursor_ += sizeof(T);
        return true;
    }
    bool refused() {
        failed_ = true;
        return false;
    }
    CLRKIT_API bool bytes_slow(ByteSpan from);
    CLRKIT_API bool integer_slow(std::uint64_t value, std::size_t size);
    CLRKIT_API bool compressed_slow(std::uint32_t value);
    CLRKIT_API MutableByteSpan reserve_slow(std::size_t size);
    CLRKIT_API void give_back_all();
    MutableByteSpan rent_segment(std::size_t least);
    bool make_table_room();
    MutableByteSpan next_segment(std::size_t least);
    void begin_segment(MutableByteSpan segment);

    std::uint8_t* cursor_;
    std::uint8_t* end_;
    // Where the current segment begins. Its size is set only when `segments` is asked for, so that a
    // buffer that did not spill has a span to point to.
    mutable ByteSpan current_;
    Table* table_ = nullptr;  // rented with the first segment
    SegmentPool* pool_;
    std::uint64_t flushed_ = 0;  // bytes in the segments before the current one
    bool failed_ = false;
};

static_assert(sizeof(WriteBuffer) <= 64);

/// A sequence of spans that remembers the state of the buffer it came from: builds with assertions
/// notice when it is used after a write. Converts to `std::span<const ByteSpan>`.
class WriteBuffer::Segments {
public:
    using value_type = ByteSpan;

    const ByteSpan* data() const {
        assert(from_->cursor_ == cursor_ && "the buffer was written to since");
        return list_.data();
    }
    std::size_t size() const { return list_.size(); }
    bool empty() const { return list_.empty(); }
    const ByteSpan* begin() const { return data(); }
    const ByteSpan* end() const { return data() + size(); }
    const ByteSpan& operator[](std::size_t index) const { return data()[index]; }

private:
    friend class WriteBuffer;
    Segments(const WriteBuffer& from, std::span<const ByteSpan> list)
        : list_(list), from_(&from), cursor_(from.cursor_) {}

    std::span<const ByteSpan> list_;
    const WriteBuffer* from_;
    const std::uint8_t* cursor_;
};

}  // namespace clrkit
