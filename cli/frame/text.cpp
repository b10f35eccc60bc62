// Making text from files harmless.
#include "frame/text.h"

#include <cstdio>

namespace clrkit::cli {
namespace {

Colors chosen;

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
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t code = unit(i);
        if (code >= 0xD800 && code < 0xDC00 && i + 1 < count && unit(i + 1) >= 0xDC00 &&
            unit(i + 1) < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10U) + (unit(++i) - 0xDC00);
        }
        append_utf8(out, code);
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
