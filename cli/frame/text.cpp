// Making text from files harmless.
#include "frame/text.h"

#include <bit>
#include <cstdio>

namespace clrkit::cli {
namespace {

Colors chosen;

bool continues(std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<std::uint8_t>(text[at]) & 0xC0U) == 0x80;
}

std::string colored(std::string_view text, bool on, const char* start) {
    if (!on) return std::string(text);
    return start + std::string(text) + "\x1b[0m";
}

}  // namespace

bool is_dangerous(std::uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x00AD || code == 0x061C ||
           (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
           (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE0FFF);
}

std::size_t utf8_character(std::string_view text, std::uint32_t& code) {
    const auto first = static_cast<std::uint8_t>(text[0]);
    code = first;
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    const auto size = static_cast<std::size_t>(std::countl_one(first));
    code = first & (0x7FU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if (!continues(text, i)) return 0;
        code = code << 6U | (static_cast<std::uint8_t>(text[i]) & 0x3FU);
    }
    const bool too_long = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return too_long || surrogate || code > 0x10FFFF ? 0 : size;
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

std::string shown(std::string_view text) {
    const std::size_t whole = text.size();
    text = text.substr(0, longest_printed);
    std::string out;
    char escape[16];
    while (!text.empty()) {
        std::uint32_t code = 0;
        std::size_t size = utf8_character(text, code);
        if (size != 0 && !is_dangerous(code)) {
            out += text.substr(0, size);
        } else {
            if (size != 0) {
                std::snprintf(escape, sizeof escape, "\\u{%X}", code);
            } else {
                std::snprintf(escape, sizeof escape, "\\x%02X", static_cast<std::uint8_t>(text[0]));
                size = 1;
            }
            out += escape;
        }
        text.remove_prefix(size);
    }
    if (whole > longest_printed) {
        out += "... (" + std::to_string(whole - longest_printed) + " more bytes)";
    }
    return out;
}

std::string utf8_from_utf16(ByteSpan units) {
    std::string out;
    const auto unit = [&](std::size_t i) {
        return static_cast<std::uint32_t>(units[2 * i] | units[2 * i + 1] << 8U);
    };
    const std::size_t count = units.size() / 2;
    const auto put = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t code = unit(i);
        if (code >= 0xD800 && code < 0xDC00 && i + 1 < count && unit(i + 1) >= 0xDC00 &&
            unit(i + 1) < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10U) + (unit(++i) - 0xDC00);
        }
        if (code < 0x80) {
            put(code);
        } else if (code < 0x800) {
            put(0xC0U | code >> 6U);
            put(0x80U | (code & 0x3FU));
        } else {
            if (code >= 0x10000) {
                put(0xF0U | code >> 18U);
                put(0x80U | (code >> 12U & 0x3FU));
            } else {
                put(0xE0U | code >> 12U);
            }
            put(0x80U | (code >> 6U & 0x3FU));
            put(0x80U | (code & 0x3FU));
        }
    }
    return out;
}

std::string hex(ByteSpan bytes, bool all) {
    static constexpr char digits[] = "0123456789abcdef";
    const ByteSpan part = all ? bytes : slice_clamped(bytes, 0, longest_printed);
    std::string out;
    out.reserve(part.size() * 2);
    for (const std::uint8_t byte : part) {
        out += digits[byte >> 4U];
        out += digits[byte & 15U];
    }
    return out;
}

std::string guid_text(const Guid& guid) {
    // The first three groups are little-endian numbers.
    static constexpr std::uint8_t order[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    std::string out;
    for (std::size_t i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
        out += hex(ByteSpan(&guid[order[i]], 1));
    }
    return out;
}

void set_colors(Colors colors) { chosen = colors; }
Colors colors() { return chosen; }

std::string bold(std::string_view text, bool on) { return colored(text, on, "\x1b[1m"); }
std::string red(std::string_view text, bool on) { return colored(text, on, "\x1b[1;31m"); }
std::string cyan(std::string_view text, bool on) { return colored(text, on, "\x1b[36m"); }

}  // namespace clrkit::cli
