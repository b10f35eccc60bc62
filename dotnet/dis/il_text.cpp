// Strings and byte lists as IL assembler source has them (ECMA-335 II.5.2, II.16.2).
#include <clrkit/core/bytes/endian.h>
#include <clrkit/core/bytes/utf8.h>
#include <clrkit/dotnet/dis/il_text.h>

namespace clrkit::dis {
namespace {

constexpr std::size_t bytes_a_line = 16;

/// Characters that act on a terminal, end or turn around a line, or are none.
bool acts(std::uint32_t code) {
    return (code < 0x20 && code != '\n' && code != '\r' && code != '\t') ||
           (code >= 0x7F && code < 0xA0) || (code >= 0x200E && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0xFEFF || (code & 0xFFFEU) == 0xFFFE;
}

void append_character(std::string& to, std::uint32_t code) {
    switch (code) {
        case '\n': to += "\\n"; return;
        case '\r': to += "\\r"; return;
        case '\t': to += "\\t"; return;
        case '"': to += "\\\""; return;
        case '\\': to += "\\\\"; return;
        default: break;
    }
    append_utf8(to, code);
}

/// Appends the units without quotes; false, with a part of them appended, where they are no plain text.
bool append_units(std::string& to, ByteSpan units) {
    if (units.size() % 2 != 0) return false;
    for (std::size_t at = 0; at < units.size(); at += 2) {
        std::uint32_t code = load_le<std::uint16_t>(units.data() + at);
        if (code >> 10U == 0x36 && at + 4 <= units.size()) {
            const std::uint32_t low = load_le<std::uint16_t>(units.data() + at + 2);
            if (low >> 10U != 0x37) return false;
            code = 0x10000U + ((code & 0x3FFU) << 10U | (low & 0x3FFU));
            at += 2;
        } else if (code >> 11U == 0x1B) {
            return false;
        }
        if (acts(code)) return false;
        append_character(to, code);
    }
    return true;
}

}  // namespace

void IlText::flush() {
    if (buffer_.size() > left_) {
        buffer_.clear();
        left_ = 0;
    }
    left_ -= buffer_.size();
    if (!buffer_.empty()) target_.write(buffer_);
    buffer_.clear();
}

void append_bytes(std::string& to, ByteSpan bytes, std::uint32_t depth) {
    to += '(';
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes.size() > bytes_a_line && i % bytes_a_line == 0) {
            to += '\n';
            to.append(std::size_t{4} * depth, ' ');
        } else {
            to += ' ';
        }
        append_hex(to, bytes[i], 2);
    }
    to += " )";
}

void append_string(std::string& to, std::string_view text) {
    to += '"';
    while (!text.empty()) {
        std::uint32_t code = 0;
        const std::size_t size = utf8_character(text, code);
        if (size == 0 || acts(code)) {
            for (const char c : text.substr(0, size == 0 ? 1 : size)) {
                const auto byte = static_cast<std::uint8_t>(c);
                to += '\\';
                to += static_cast<char>('0' + (byte >> 6U));
                to += static_cast<char>('0' + (byte >> 3U & 7U));
                to += static_cast<char>('0' + (byte & 7U));
            }
        } else {
            append_character(to, code);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    to += '"';
}

void append_literal(std::string& to, ByteSpan units, std::uint32_t depth) {
    const std::size_t start = to.size();
    to += '"';
    if (append_units(to, units)) {
        to += '"';
        return;
    }
    to.resize(start);
    to += "bytearray ";
    append_bytes(to, units, depth);
}

}  // namespace clrkit::dis
