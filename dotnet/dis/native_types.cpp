// Native types (ECMA-335 II.7.4, II.23.4): by words where the assembler makes the same descriptor of
// them, otherwise by bytes, which mono's assembler has no syntax for.
#include <clrkit/dotnet/attributes/marshalling.h>
#include <clrkit/dotnet/attributes/print_blobs.h>
#include <clrkit/dotnet/dis/parts.h>

#include <algorithm>
#include <array>

namespace clrkit::dis {
namespace {

/// Numbers below this are one byte in a blob.
constexpr std::uint32_t one_byte = 0x80;
constexpr std::uint32_t two_bytes = 0x4000;

bool is_plain(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

/// True where the words say that a parameter counts the elements, as print_marshalling does.
bool counts_by_parameter(const MarshallingDescriptor& read) {
    return read.parameter && read.flags.value_or(1) % 2 == 1;
}

/// What the assembler makes of the words for `read`, where it has some.
void append_assembled(std::string& to, const MarshallingDescriptor& read, Dialect dialect) {
    // The runtime's is asked for small numbers only; those are the same in both forms.
    const auto byte = [&](std::uint32_t value) {
        if (value >= one_byte) to += static_cast<char>(0x80U | value >> 8U);
        to += static_cast<char>(value);
    };
    byte(static_cast<std::uint32_t>(read.type));
    switch (read.type) {
        case NativeType::array:
            byte(read.element.value_or(0xFF));
            if (read.count) {
                byte(read.parameter.value_or(0));
                byte(*read.count);
                // mono's leaves the flags out where a parameter counts.
                const bool flags = dialect == Dialect::runtime || !counts_by_parameter(read);
                if (flags) byte(read.flags.value_or(1));
            } else if (read.parameter) {
                byte(*read.parameter);
            }
            break;
        case NativeType::fixed_array:
            byte(read.count.value_or(0));
            if (read.element) byte(*read.element);
            break;
        case NativeType::fixed_sys_string: byte(read.count.value_or(0)); break;
        case NativeType::safe_array:
            if (read.element) byte(*read.element);
            break;
        case NativeType::custom_marshaler:
            to += std::string(2, '\0');
            byte(static_cast<std::uint32_t>(read.managed_name.size()));
            to += read.managed_name;
            byte(static_cast<std::uint32_t>(read.cookie.size()));
            to += read.cookie;
            break;
        default:
            if (read.parameter) byte(*read.parameter);
            break;
    }
}

/// Native types that came after the assembler's grammar; mono's takes a few older ones for nothing.
bool is_unknown(std::uint32_t type, Dialect dialect) {
    const auto native = static_cast<NativeType>(type);
    if (type >= one_byte || native == NativeType::max) return false;
    if (native >= NativeType::iinspectable) return true;
    if (dialect == Dialect::runtime) return false;
    constexpr std::array without_effect{
        NativeType::sys_char,      NativeType::variant, NativeType::pointer,
        NativeType::decimal,       NativeType::date,    NativeType::object_ref,
        NativeType::nested_struct,
    };
    return std::ranges::find(without_effect, native) != without_effect.end();
}

/// mono's words for the VARTYPEs of `safearray`, by number: null where it has none.
constexpr std::array<const char*, 24> variant_types{
    nullptr,          nullptr,          "int16",   "int32", "float32", "float64",
    "currency",       "date",           "bstr",    nullptr, "error",   "bool",
    "variant",        "iunknown",       "decimal", nullptr, "int8",    "unsigned int8",
    "unsigned int16", "unsigned int32", nullptr,   nullptr, "int",     "unsigned int",
};

/// The words for `read`; nothing where there are none.
std::string words_for(const MarshallingDescriptor& read, Dialect dialect) {
    std::string words;
    if (read.type != NativeType::safe_array) {
        print_marshalling(read, words);
        return words.find("native type") == std::string::npos ? words : std::string();
    }
    // The runtime's has so many ways to say the same that bytes are clearer.
    if (dialect == Dialect::runtime || read.user_type) return words;
    words = "safearray";
    if (!read.element) return words;
    const char* const type =
        *read.element < variant_types.size() ? variant_types[*read.element] : nullptr;
    if (type == nullptr) return {};
    return words + ' ' + type;
}

/// The words of which the assembler makes `blob`; nothing where there are none.
std::string exact_words(const MarshallingDescriptor& read, ByteSpan blob, Dialect dialect) {
    if (!read.decoded() || is_unknown(static_cast<std::uint32_t>(read.type), dialect) ||
        (read.type != NativeType::safe_array && is_unknown(read.element.value_or(0), dialect))) {
        return {};
    }
    const std::uint32_t most = dialect == Dialect::mono ? two_bytes : one_byte;
    const auto is_small = [&](std::optional<std::uint32_t> value) {
        return value.value_or(0) < most;
    };
    if (!is_small(read.element) || !is_small(read.parameter) || !is_small(read.count) ||
        !is_small(read.flags) || read.managed_name.size() >= one_byte ||
        read.cookie.size() >= one_byte || !is_plain(read.managed_name) || !is_plain(read.cookie)) {
        return {};
    }
    if (dialect == Dialect::mono) {
        // It knows neither element types of `fixed array` nor `iidparam`.
        const bool array = read.type == NativeType::array;
        if ((read.type == NativeType::fixed_array && read.element) || (!array && read.parameter)) {
            return {};
        }
    }
    std::string assembled;
    append_assembled(assembled, read, dialect);
    const bool same =
        std::equal(blob.begin(), blob.end(), assembled.begin(), assembled.end(),
                   [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
    return same ? words_for(read, dialect) : std::string();
}

}  // namespace

void append_marshalling(IlSource& source, std::string& to, Token parent) {
    const auto rows = source.rows.marshalling.rows(coded(CodedIndex::HasFieldMarshal, parent));
    if (rows.empty()) return;
    const ByteSpan blob =
        source.metadata.blob(Table::FieldMarshal, rows.front(), col::FieldMarshal::NativeType);
    // No descriptor is that long, but thousands of parameters may share one blob.
    constexpr std::size_t longest = 65536;
    const bool said = !blob.empty() && blob.size() <= longest;
    if (rows.size() > 1 || !said) source.gap(GapKind::marshalling, parent);
    if (!said) return;
    const std::string words = exact_words(read_marshalling(blob), blob, source.options.dialect);
    if (words.empty() && source.for_mono()) return source.gap(GapKind::native_type, parent);
    to += "marshal(";
    if (!words.empty()) {
        to += words;
    } else {
        to += '{';
        for (const std::uint8_t byte : blob) {
            to += ' ';
            append_hex(to, byte, 2);
        }
        to += " }";
    }
    to += ") ";
}

}  // namespace clrkit::dis
