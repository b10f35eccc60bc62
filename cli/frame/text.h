// Text from files on its way to a terminal: nothing in it may act on the terminal.
#pragma once

#include <clrkit/core/bytes/span.h>
#include <clrkit/core/bytes/utf8.h>
#include <clrkit/dotnet/metadata/heaps.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace clrkit::cli {

/// Names longer than this are cut where they are printed, and say so. (The runtimes refuse names
/// above 1,023 bytes; without a bound a few rows that share one long name print gigabytes.)
inline constexpr std::size_t longest_printed = 1024;

/// True for characters that act on a terminal or make a line read otherwise than it is.
bool is_dangerous(std::uint32_t code);

/// The text as it may be shown: control characters, line and paragraph separators and characters
/// that reorder text as \u{XX}, bytes that are no UTF-8 as \xXX, cut after `longest_printed` bytes.
std::string shown(std::string_view text);

/// #US entries are UTF-16, little-endian: the same in UTF-8, a surrogate without its partner as
/// three bytes (which is no UTF-8, so `shown` and JSON will say so).
std::string utf8_from_utf16(ByteSpan units);

/// Hexadecimal digits without spaces, cut after `longest_printed` bytes unless `all`.
std::string hex(ByteSpan bytes, bool all = false);
/// "{01234567-89ab-...}" without the braces.
std::string guid_text(const Guid& guid);

// Colours: on or off for a whole run, set once before anything is printed.

struct Colors {
    bool out = false;
    bool err = false;
};
void set_colors(Colors colors);
Colors colors();

/// The text between a colour's escapes where `on`.
std::string bold(std::string_view text, bool on);
std::string red(std::string_view text, bool on);
std::string cyan(std::string_view text, bool on);

}  // namespace clrkit::cli
