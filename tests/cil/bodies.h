// Bodies for tests: read from bytes, written to bytes.
#pragma once

#include "support/image_builder.h"

#include <clrkit/core/diagnostics.h>
#include <clrkit/dotnet/cil/assembler.h>
#include <clrkit/dotnet/cil/body.h>

namespace clrkit::test {

/// A body and what it was read from, which must stay where it is.
struct ReadBody {
    Bytes bytes;
    cil::Body body;
    Diagnostics diagnostics;
    bool decoded = false;
};

inline ReadBody read_body(Bytes bytes, std::uint8_t alignment = 0) {
    ReadBody result;
    result.bytes = std::move(bytes);
    cil::BodyReadContext context;
    context.diagnostics = &result.diagnostics;
    context.file_offset = 0;
    context.owner = Token(Table::MethodDef, 1);
    context.alignment = alignment;
    context.offsets = true;
    result.decoded = result.body.read(result.bytes, context);
    return result;
}

/// The bytes a body becomes, or why it becomes none.
inline Result<Bytes> written(const cil::Body& body, cil::Forms forms = cil::Forms::keep,
                             std::uint8_t alignment = 0) {
    WriteBuffer output;
    cil::Assembler assembler;
    const auto result = assembler.write(body, {output, nullptr, alignment}, forms);
    if (!result) return std::unexpected(result.error());
    return output.to_vector();
}

inline Bytes code_of(std::initializer_list<Bytes> parts) {
    Bytes result;
    for (const Bytes& part : parts) append(result, part);
    return result;
}

/// A fat body with data sections behind it, aligned for an RVA with this remainder modulo 4.
inline Bytes with_sections(const Bytes& code, const Bytes& sections, std::uint8_t alignment = 0) {
    Bytes body = fat_body(code);
    body[0] |= 0x08;
    while ((body.size() + alignment) % 4 != 0) body.push_back(0);
    append(body, sections);
    return body;
}

/// A small clause, its offsets in bytes.
inline Bytes small_clause(std::uint16_t flags, std::uint16_t try_at, std::uint8_t try_size,
                          std::uint16_t handler_at, std::uint8_t handler_size,
                          std::uint32_t class_or_filter = 0x01000001) {
    return code_of({little_endian(flags, 2),
                    little_endian(try_at, 2),
                    {try_size},
                    little_endian(handler_at, 2),
                    {handler_size},
                    little_endian(class_or_filter, 4)});
}

/// A section of small clauses.
inline Bytes small_section(const Bytes& clauses, std::uint8_t kind = 0x01) {
    Bytes result{kind, static_cast<std::uint8_t>(clauses.size() + 4), 0, 0};
    append(result, clauses);
    return result;
}

inline Bytes fat_clause(std::uint32_t flags, std::uint32_t try_at, std::uint32_t try_size,
                        std::uint32_t handler_at, std::uint32_t handler_size,
                        std::uint32_t class_or_filter = 0x01000001) {
    Bytes result;
    for (const std::uint32_t value :
         {flags, try_at, try_size, handler_at, handler_size, class_or_filter}) {
        append(result, little_endian(value, 4));
    }
    return result;
}

inline Bytes fat_section(const Bytes& clauses, std::uint8_t kind = 0x41) {
    Bytes result{kind};
    append(result, little_endian(clauses.size() + 4, 3));
    append(result, clauses);
    return result;
}

}  // namespace clrkit::test
