// The one encoder of attribute arguments, marshalling descriptors and permission sets (ECMA-335
// II.23.3, II.23.4). Writers give it the output buffer; transcoders give it room that is known to
// suffice, so that a blob which turns out to be malformed leaves nothing behind.
#pragma once

#include <clrkit/core/bytes/compressed.h>
#include <clrkit/core/bytes/endian.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/dotnet/attributes/attribute_walk.h>

#include <algorithm>
#include <cstdint>

namespace clrkit {

/// Has the writing functions of WriteBuffer, over a span that is large enough for all of it.
class RoomSink {
public:
    explicit RoomSink(MutableByteSpan room) : start_(room.data()), at_(room.data()) {}

    void u8(std::uint8_t value) { *at_++ = value; }
    void u16(std::uint16_t value) { integer(value); }
    void u32(std::uint32_t value) { integer(value); }
    void u64(std::uint64_t value) { integer(value); }
    void compressed(std::uint32_t value) { at_ += write_compressed(at_, value); }
    void bytes(ByteSpan from) { at_ = std::ranges::copy(from, at_).out; }

    std::size_t size() const { return static_cast<std::size_t>(at_ - start_); }
    /// Forgets what was written behind the first `size` bytes.
    void cut(std::size_t size) { at_ = start_ + size; }
    /// What was written from there on.
    MutableByteSpan from(std::size_t size) { return {start_ + size, at_}; }

private:
    template <class T>
    void integer(T value) {
        store_le(at_, value);
        at_ += sizeof(T);
    }

    std::uint8_t* start_;
    std::uint8_t* at_;
};

/// `Sink` is a RoomSink or a WriteBuffer.
template <class Sink>
class AttributeEncoder {
public:
    explicit AttributeEncoder(Sink& to) : to_(&to) {}

    void text(BlobText text) const {
        if (!text) {
            to_->u8(0xFF);
            return;
        }
        to_->compressed(static_cast<std::uint32_t>(text->size()));
        bytes(*text);
    }
    /// As in front of a boxed value or in a named argument.
    void type(const ArgumentType& type) const {
        if (type.array) to_->u8(static_cast<std::uint8_t>(ElementType::sz_array));
        to_->u8(static_cast<std::uint8_t>(type.is_enum ? ElementType::enum_ : type.element));
        if (type.is_enum) text(type.enum_name);
    }
    /// The low bytes of `bits`, as many as the type has.
    void number(ElementType type, std::uint64_t bits) const {
        switch (primitive_size(type, 0).value_or(0)) {
            case 1: to_->u8(static_cast<std::uint8_t>(bits)); break;
            case 2: to_->u16(static_cast<std::uint16_t>(bits)); break;
            case 4: to_->u32(static_cast<std::uint32_t>(bits)); break;
            default: to_->u64(bits); break;
        }
    }
    void bytes(std::string_view text) const {
        to_->bytes({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    }
    Sink& sink() const { return *to_; }

private:
    Sink* to_;
};

/// Writes everything it hears.
template <class Sink>
class AttributeTranscriber : public AttributeVisitor {
public:
    explicit AttributeTranscriber(Sink& to) : to_(to) {}

    void prolog() { sink().u16(attribute_prolog); }
    void named_count(std::uint16_t count) { sink().u16(count); }
    void named_argument(ElementType kind) { sink().u8(static_cast<std::uint8_t>(kind)); }
    void type(const ArgumentType& type) { to_.type(type); }
    void name(BlobText name) { to_.text(name); }
    void array(const ArgumentType& /*type*/, std::uint32_t count) { sink().u32(count); }
    void numbers(ByteSpan elements) { sink().bytes(elements); }
    void number(const ArgumentType& type, std::uint64_t bits) { to_.number(type.element, bits); }
    void text(ElementType /*type*/, BlobText text) { to_.text(text); }

private:
    Sink& sink() const { return to_.sink(); }

    AttributeEncoder<Sink> to_;
};

}  // namespace clrkit
