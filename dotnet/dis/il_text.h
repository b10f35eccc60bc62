// Source text as it is made: lines with their indentation, handed on in pieces, so that the text of a
// large module never stands in memory as a whole.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace clrkit::dis {

/// Where text goes: anything that can be called with a std::string_view, and must outlive this.
class TextTarget {
public:
    template <class Take>
    explicit TextTarget(Take& take)
        : context_(&take), write_([](void* context, std::string_view text) {
              (*static_cast<Take*>(context))(text);
          }) {}

    void write(std::string_view text) const { write_(context_, text); }

private:
    void* context_;
    void (*write_)(void* context, std::string_view text);
};

/// Lines on their way to a target.
class IlText {
public:
    /// `most` bytes are written, then no more: a small file may ask for gigabytes, since bodies and
    /// blobs can be shared.
    IlText(const TextTarget& target, std::uint64_t most) : target_(target), left_(most) {}

    /// Begins a line; what belongs to it is appended to the result until `end_line`.
    std::string& begin_line() {
        buffer_.append(std::size_t{4} * depth_, ' ');
        return buffer_;
    }
    void end_line() {
        buffer_ += '\n';
        if (buffer_.size() >= full_at) flush();
    }
    void line(std::string_view text) {
        begin_line() += text;
        end_line();
    }
    void empty_line() { end_line(); }
    void open_block() {
        line("{");
        ++depth_;
    }
    void close_block() {
        --depth_;
        line("}");
    }
    /// A line further to the right that belongs to the last one.
    std::string& continue_line() {
        ++depth_;
        std::string& text = begin_line();
        --depth_;
        return text;
    }

    CLRKIT_API void flush();
    /// The limit was reached: nothing is written any more.
    bool exhausted() const { return left_ == 0; }
    std::uint32_t depth() const { return depth_; }
    /// Longer ones, made of many parts that share names or blobs, break off.
    static constexpr std::size_t longest_line = std::size_t{32} << 20U;

private:
    static constexpr std::size_t full_at = 65536;

    TextTarget target_;
    std::uint64_t left_;
    std::string buffer_;
    std::uint32_t depth_ = 0;
};

void append_number(std::string& to, std::integral auto number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    to.append(digits.data(), end);
}

/// Upper-case hexadecimal digits, `digits` of them.
inline void append_hex(std::string& to, std::uint64_t value, unsigned digits) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    while (digits-- > 0) to += hex[value >> (4 * digits) & 15U];
}

/// `( 01 00 2E )`: sixteen bytes a line where there are more, the lines indented by `depth` steps.
CLRKIT_API void append_bytes(std::string& to, ByteSpan bytes, std::uint32_t depth);

/// Text in double quotes, with what is in the way escaped; it has to be UTF-8.
CLRKIT_API void append_string(std::string& to, std::string_view text);

/// A string of UTF-16 units: quoted where that is the same text for every reader, else
/// `bytearray ( 00 D8 )`.
CLRKIT_API void append_literal(std::string& to, ByteSpan units, std::uint32_t depth);

}  // namespace clrkit::dis
