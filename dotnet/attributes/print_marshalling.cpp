// Native types as IL assembler source has them (ECMA-335 II.7.4).
#include <clrkit/dotnet/attributes/print_blobs.h>

#include <array>
#include <string>

namespace clrkit {
namespace {

// By number; what IL has no word for is written `native type N`.
constexpr std::array<const char*, 0x31> names{
    nullptr,
    "void",
    "bool",
    "int8",
    "unsigned int8",
    "int16",
    "unsigned int16",
    "int32",
    "unsigned int32",
    "int64",
    "unsigned int64",
    "float32",
    "float64",
    "syschar",
    "variant",
    "currency",
    "*",
    "decimal",
    "date",
    "bstr",
    "lpstr",
    "lpwstr",
    "lptstr",
    "fixed sysstring",
    "objectref",
    "iunknown",
    "idispatch",
    "struct",
    "interface",
    "safearray",
    "fixed array",
    "int",
    "unsigned int",
    "nested struct",
    "byvalstr",
    "ansi bstr",
    "tbstr",
    "variant bool",
    "method",
    nullptr,
    "as any",
    nullptr,
    "[]",
    "lpstruct",
    "custom",
    "error",
    "iinspectable",
    "hstring",
    "lputf8str",
};

void append_type(std::string& to, std::uint32_t type) {
    if (type < names.size() && names[type] != nullptr) {
        to += names[type];
    } else {
        to += "native type " + std::to_string(type);
    }
}

/// `[5 + 2]`: how many elements, and which parameter says how many more.
void append_bounds(std::string& to, const MarshallingDescriptor& descriptor) {
    to += '[';
    if (descriptor.count) to += std::to_string(*descriptor.count);
    if (descriptor.parameter && descriptor.flags.value_or(1) % 2 == 1) {
        if (descriptor.count) to += ' ';
        to += "+ " + std::to_string(*descriptor.parameter);
    }
    to += ']';
}

void append_custom(std::string& to, const MarshallingDescriptor& descriptor) {
    to += "custom (";
    print_quoted(descriptor.managed_name, to);
    to += ", ";
    print_quoted(descriptor.cookie, to);
    if (!descriptor.guid.empty() || !descriptor.native_name.empty()) {
        to += ", ";
        print_quoted(descriptor.guid, to);
        to += ", ";
        print_quoted(descriptor.native_name, to);
    }
    to += ')';
}

}  // namespace

void print_marshalling(const MarshallingDescriptor& descriptor, std::string& to) {
    if (!descriptor.decoded()) {
        to += "/* ";
        to += note_of(descriptor.fault);
        to += " */";
        return;
    }
    switch (descriptor.type) {
        case NativeType::array:
            if (descriptor.element && *descriptor.element != 0x50) {
                append_type(to, *descriptor.element);
            }
            return append_bounds(to, descriptor);
        case NativeType::fixed_array:
            to += "fixed array [" + std::to_string(descriptor.count.value_or(0)) + ']';
            if (descriptor.element) {
                to += ' ';
                append_type(to, *descriptor.element);
            }
            return;
        case NativeType::fixed_sys_string:
            to += "fixed sysstring [" + std::to_string(descriptor.count.value_or(0)) + ']';
            return;
        case NativeType::safe_array:
            to += "safearray";
            if (descriptor.element) to += " variant type " + std::to_string(*descriptor.element);
            if (descriptor.user_type) {
                to += ", ";
                print_quoted(*descriptor.user_type, to);
            }
            return;
        case NativeType::custom_marshaler: return append_custom(to, descriptor);
        default:
            append_type(to, static_cast<std::uint32_t>(descriptor.type));
            if (descriptor.parameter) {
                to += " (iidparam = " + std::to_string(*descriptor.parameter) + ')';
            }
            return;
    }
}

}  // namespace clrkit
