// UTF-8 as the Unicode standard has it: the shortest form, no surrogates, nothing past U+10FFFF.
#pragma once

#include <clrkit/core/api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace clrkit {

/// Bytes of the UTF-8 character at the start of `text`, or 0 when there is none. `code` is its
/// number. `text` is not empty.
CLRKIT_API std::size_t utf8_character(std::string_view text, std::uint32_t& code);
CLRKIT_API bool is_utf8(std::string_view text);

/// Appends the character of that number, at most 0x10FFFF; a surrogate as three bytes, which is no
/// UTF-8.
CLRKIT_API void append_utf8(std::string& to, std::uint32_t code);

}  // namespace clrkit
