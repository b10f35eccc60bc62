// The numbers of a method body's encoding (ECMA-335 II.25.4). Internal to its readers and writers.
#pragma once

#include <cstdint>

namespace clrkit::cil {

// II.25.4.1: the lowest three bits of the first byte.
inline constexpr std::uint8_t format_mask = 0x07;
inline constexpr std::uint8_t format_tiny = 0x02;
inline constexpr std::uint8_t format_tiny_odd = 0x06;  // a code size with its lowest bit set
inline constexpr std::uint8_t format_fat = 0x03;
// II.25.4.2: what a tiny header is enough for.
inline constexpr std::uint32_t tiny_code_below = 64;
inline constexpr std::uint16_t tiny_max_stack = 8;
// II.25.4.3, II.25.4.4: flags of a fat header and its bytes, which are counted in words.
inline constexpr std::uint16_t flag_more_sections = 0x0008;
inline constexpr std::uint16_t flag_init_locals = 0x0010;
inline constexpr std::uint16_t flags_unknown = 0x0FE0;
inline constexpr std::uint32_t fat_header = 12;
inline constexpr std::uint32_t most_fat_header = 60;
// II.25.4.5, II.25.4.6: data sections and exception clauses.
inline constexpr std::uint8_t section_kind = 0x3F;
inline constexpr std::uint8_t section_exceptions = 0x01;
inline constexpr std::uint8_t section_fat = 0x40;
inline constexpr std::uint8_t section_more = 0x80;
inline constexpr std::uint32_t section_header = 4;
inline constexpr std::uint32_t small_clause = 12;
inline constexpr std::uint32_t fat_clause = 24;
inline constexpr std::uint32_t largest_small_section = 0xFF;
inline constexpr std::uint32_t largest_fat_section = 0xFFFFFF;
// Compilers write one section. The bound keeps a chain of thousands, which thousands of bodies share,
// from being walked once for each of them.
inline constexpr std::uint32_t sections_at_most = 256;

constexpr std::uint32_t clause_size(bool fat) { return fat ? fat_clause : small_clause; }

}  // namespace clrkit::cil
