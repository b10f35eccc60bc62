// How many bytes a method body occupies: header, code, data sections (ECMA-335 II.25.4). Nothing is
// decoded beyond what the extent needs.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>

#include <cstdint>
#include <optional>

namespace clrkit::cil {

struct BodyExtent {
    std::uint32_t header_size = 0;  // bytes; the code follows
    std::uint32_t code_size = 0;    // bytes
    std::uint64_t size = 0;         // header, code, padding before sections, sections
    bool fat = false;
};

/// The extent of the body at the start of `bytes`, which reach to the end of its section.
/// `alignment` is the body's RVA modulo 4: data sections are aligned to four bytes in memory, not
/// relative to the body. Nothing when header, code or a data section does not fit, or when the
/// header's format is none of tiny and fat.
CLRKIT_API std::optional<BodyExtent> measure_body(ByteSpan bytes, std::uint32_t alignment);

}  // namespace clrkit::cil
