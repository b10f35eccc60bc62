// Decoding and encoding one character at a time.
#include <clrkit/core/bytes/utf8.h>

#include <array>
#include <bit>

namespace clrkit {

std::size_t utf8_character(std::string_view text, std::uint32_t& code) {
    const auto byte = [&](std::size_t at) {
        return std::uint32_t{static_cast<std::uint8_t>(text[at])};
    };
    code = byte(0);
    if (code < 0x80) return 1;
    if (code < 0xC2 || code > 0xF4) return 0;
    const auto size = static_cast<std::size_t>(std::countl_one(static_cast<std::uint8_t>(code)));
    if (text.size() < size) return 0;
    code &= 0x7FU >> size;
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) return 0;
        code = code << 6U | (byte(i) & 0x3FU);
    }
    const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return overlong || surrogate || code > 0x10FFFF ? 0 : size;
}

bool is_utf8(std::string_view text) {
    std::uint32_t code = 0;
    while (!text.empty()) {
        const std::size_t size = utf8_character(text, code);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

void append_utf8(std::string& to, std::uint32_t code) {
    if (code < 0x80) {
        to += static_cast<char>(code);
        return;
    }
    int more = 3;
    if (code < 0x10000) more = code < 0x800 ? 1 : 2;
    constexpr std::array<std::uint32_t, 4> lead{0, 0xC0, 0xE0, 0xF0};
    to += static_cast<char>(lead[static_cast<std::size_t>(more)] | code >> (6 * more));
    for (int i = more - 1; i >= 0; --i) to += static_cast<char>(0x80U | (code >> (6 * i) & 0x3FU));
}

}  // namespace clrkit
