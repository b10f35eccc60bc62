// Element types of signatures (ECMA-335 II.23.1.16).
#pragma once

#include <cstdint>
#include <optional>

namespace clrkit {

// clang-format off
enum class ElementType : std::uint8_t {
    end = 0x00, void_ = 0x01, boolean = 0x02, char_ = 0x03, i1 = 0x04, u1 = 0x05, i2 = 0x06,
    u2 = 0x07, i4 = 0x08, u4 = 0x09, i8 = 0x0A, u8 = 0x0B, r4 = 0x0C, r8 = 0x0D, string = 0x0E,
    pointer = 0x0F, by_ref = 0x10, value_type = 0x11, class_ = 0x12, var = 0x13, array = 0x14,
    generic_instance = 0x15, typed_by_ref = 0x16, i = 0x18, u = 0x19, function_pointer = 0x1B,
    object = 0x1C, sz_array = 0x1D, mvar = 0x1E, modreq = 0x1F, modopt = 0x20, internal = 0x21,
    modifier = 0x40, sentinel = 0x41, pinned = 0x45,
    // in custom attributes only
    type = 0x50, boxed = 0x51, field = 0x53, property = 0x54, enum_ = 0x55,
};
// clang-format on

/// Bytes of a value of a primitive or pointer-sized type; nothing for every other.
constexpr std::optional<std::uint32_t> primitive_size(ElementType type,
                                                      std::uint32_t pointer_size) {
    switch (type) {
        case ElementType::boolean:
        case ElementType::i1:
        case ElementType::u1: return 1;
        case ElementType::char_:
        case ElementType::i2:
        case ElementType::u2: return 2;
        case ElementType::i4:
        case ElementType::u4:
        case ElementType::r4: return 4;
        case ElementType::i8:
        case ElementType::u8:
        case ElementType::r8: return 8;
        case ElementType::i:
        case ElementType::u:
        case ElementType::pointer:
        case ElementType::function_pointer: return pointer_size;
        default: return std::nullopt;
    }
}

/// The keyword of a type that needs no token, as IL assembler source has it (II.7.1); empty for others.
constexpr const char* name_of(ElementType type) {
    switch (type) {
        case ElementType::void_: return "void";
        case ElementType::boolean: return "bool";
        case ElementType::char_: return "char";
        case ElementType::i1: return "int8";
        case ElementType::u1: return "uint8";
        case ElementType::i2: return "int16";
        case ElementType::u2: return "uint16";
        case ElementType::i4: return "int32";
        case ElementType::u4: return "uint32";
        case ElementType::i8: return "int64";
        case ElementType::u8: return "uint64";
        case ElementType::r4: return "float32";
        case ElementType::r8: return "float64";
        case ElementType::string: return "string";
        case ElementType::typed_by_ref: return "typedref";
        case ElementType::i: return "native int";
        case ElementType::u: return "native uint";
        case ElementType::object: return "object";
        default: return "";
    }
}

}  // namespace clrkit
