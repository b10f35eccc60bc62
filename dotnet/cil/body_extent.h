// How many bytes a method body occupies, and the exception clauses behind its code (ECMA-335
// II.25.4). Nothing of the code is decoded.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/endian.h>
#include <clrkit/core/bytes/span.h>

#include <cstdint>
#include <optional>

namespace clrkit::cil {

struct BodyExtent {
    std::uint32_t header_size = 0;  // bytes; the code follows
    std::uint32_t code_size = 0;    // bytes
    std::uint64_t size = 0;         // header, code, padding before sections, sections
    bool fat = false;
    bool has_sections = false;

    /// Bytes before the data sections, their padding not counted.
    std::uint64_t code_end() const { return std::uint64_t{header_size} + code_size; }
};

/// The extent of the body at the start of `bytes`, which reach to the end of its section.
/// `alignment` is the body's RVA modulo 4: data sections are aligned to four bytes in memory, not
/// relative to the body. Nothing when header, code or a data section does not fit, when there are
/// hundreds of sections, or when the header's format is none of tiny and fat.
CLRKIT_API std::optional<BodyExtent> measure_body(ByteSpan bytes, std::uint32_t alignment);

/// Header and code alone: `size` is where they end, whatever sections there are.
CLRKIT_API std::optional<BodyExtent> measure_code(ByteSpan bytes);

/// A data section: 4 bytes of header, then its contents (II.25.4.5).
struct DataSection {
    std::uint64_t offset = 0;   // from the start of the body
    std::uint64_t size = 0;     // bytes, header included
    std::uint32_t clauses = 0;  // 0 where it is no exception table
    bool fat = false;
    bool more = false;  // another one follows
};

/// The section at or, aligned, behind `offset`; nothing when it does not fit.
CLRKIT_API std::optional<DataSection> measure_section(ByteSpan bytes, std::uint64_t offset,
                                                      std::uint32_t alignment);

/// One exception clause (II.25.4.6).
struct Clause {
    std::uint32_t flags = 0;
    std::uint32_t try_offset = 0;
    std::uint32_t try_length = 0;
    std::uint32_t handler_offset = 0;
    std::uint32_t handler_length = 0;
    std::uint32_t class_or_filter = 0;  // a token, or with is_filter() an offset in the code

    bool is_filter() const { return (flags & 7U) == 1; }
};

/// Reads clause `index` of a section.
CLRKIT_API Clause read_clause(ByteSpan bytes, const DataSection& section, std::uint32_t index);

/// Calls `visit(clause)` for every clause of a measured body, in order.
template <class Visit>
void for_each_clause(ByteSpan bytes, const BodyExtent& extent, std::uint32_t alignment,
                     Visit visit) {
    bool more = extent.has_sections;
    for (std::uint64_t end = extent.code_end(); more;) {
        const auto section = measure_section(bytes, end, alignment);
        if (!section) return;
        for (std::uint32_t i = 0; i < section->clauses; ++i) visit(read_clause(bytes, *section, i));
        end = section->offset + section->size;
        more = section->more;
    }
}

}  // namespace clrkit::cil
