// A cursor over one span. A read past the end yields zero and makes the reader fail for good, so a
// parser reads a whole record and asks once whether it was there.
#pragma once

#include <clrkit/core/bytes/endian.h>
#include <clrkit/core/bytes/span.h>

#include <cstdint>

namespace clrkit {

class ByteReader {
public:
    explicit ByteReader(ByteSpan bytes) : bytes_(bytes) {}

    bool ok() const { return !failed_; }
    /// Bytes read so far, counted from the start of the span.
    std::size_t position() const { return position_; }
    std::size_t left() const { return bytes_.size() - position_; }
    ByteSpan rest() const { return bytes_.subspan(position_); }
    /// Makes the reader fail: the caller found that what it read makes no sense.
    void fail() { failed_ = true; }

    template <class T>
    T read() {
        if (failed_ || left() < sizeof(T)) {
            failed_ = true;
            return 0;
        }
        const T value = load_le<T>(bytes_.data() + position_);
        position_ += sizeof(T);
        return value;
    }
    std::uint8_t u8() { return read<std::uint8_t>(); }
    std::uint16_t u16() { return read<std::uint16_t>(); }
    std::uint32_t u32() { return read<std::uint32_t>(); }
    std::uint64_t u64() { return read<std::uint64_t>(); }

    /// The next `count` bytes; empty, and the reader fails, when fewer are left.
    ByteSpan bytes(std::uint64_t count) {
        if (failed_ || left() < count) {
            failed_ = true;
            return {};
        }
        const ByteSpan taken = bytes_.subspan(position_, static_cast<std::size_t>(count));
        position_ += static_cast<std::size_t>(count);
        return taken;
    }
    void skip(std::uint64_t count) { (void)bytes(count); }

    /// A compressed unsigned integer (ECMA-335 II.23.2). Accepts forms longer than needed. A first
    /// byte 111xxxxx, which the standard leaves undefined, is read as four bytes, as the CLR does.
    std::uint32_t compressed() {
        const std::uint8_t first = u8();
        if ((first & 0x80U) == 0) return first;
        if ((first & 0xC0U) == 0x80U) return (first & 0x3FU) << 8U | u8();
        std::uint32_t value = first & 0x1FU;
        for (int i = 0; i < 3; ++i) value = value << 8U | u8();
        return ok() ? value : 0;
    }

private:
    ByteSpan bytes_;
    std::size_t position_ = 0;
    bool failed_ = false;
};

}  // namespace clrkit
