// Nodes of attributes are printed in one pass, with a stack of what is still to be closed.
#include <clrkit/core/bytes/utf8.h>
#include <clrkit/dotnet/attributes/print_blobs.h>
#include <clrkit/dotnet/signatures/print_signature.h>

#include <array>
#include <bit>
#include <charconv>
#include <span>
#include <vector>

namespace clrkit {
namespace {

using Kind = AttributeNode::Kind;

template <class Number>
void append_number(std::string& to, Number number) {
    std::array<char, 64> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    to.append(digits.data(), end);
}

void append_hex(std::string& to, std::uint32_t value, int digits) {
    constexpr std::string_view hex = "0123456789abcdef";
    while (digits-- > 0) to += hex[value >> (4 * digits) & 15U];
}

/// A character below 0x80, escaped where it has to be.
void append_ascii(std::string& to, char character, char quote) {
    const auto code = static_cast<std::uint8_t>(character);
    if (character == quote || character == '\\') {
        to += '\\';
        to += character;
    } else if (character == '\n') {
        to += "\\n";
    } else if (character == '\r') {
        to += "\\r";
    } else if (character == '\t') {
        to += "\\t";
    } else if (code < 0x20 || code == 0x7F) {
        to += "\\u";
        append_hex(to, code, 4);
    } else {
        to += character;
    }
}

/// A UTF-16 unit on its own.
void append_unit(std::string& to, std::uint16_t unit, char quote) {
    if (unit < 0x80) return append_ascii(to, static_cast<char>(unit), quote);
    to += "\\u";
    append_hex(to, unit, 4);
}

/// Whether the digits of a boxed number do not show what it is.
bool needs_type(ElementType type) {
    return type != ElementType::i4 && type >= ElementType::i1 && type <= ElementType::r8;
}

/// Prints nodes [first, end) of a list.
class NodePrinter {
public:
    NodePrinter(const Metadata& metadata, std::span<const AttributeNode> nodes, std::string& to)
        : metadata_(metadata), nodes_(nodes), to_(to) {}

    void print(std::uint32_t first, std::uint32_t end) {
        to_ += '(';
        for (std::uint32_t at = first; at < end; ++at) {
            close(at);
            if (!first_) to_ += ", ";
            first_ = false;
            print_node(nodes_[at]);
        }
        close(end);
        to_ += ')';
    }

private:
    void close(std::uint32_t at) {
        while (!open_arrays_.empty() && open_arrays_.back() <= at) {
            to_ += '}';
            open_arrays_.pop_back();
            first_ = false;
        }
    }

    void print_node(const AttributeNode& node) {
        switch (node.kind) {
            case Kind::number:
                print_enum(node);
                print_number(node.element, node.bits, to_);
                break;
            case Kind::text: print_text(node); break;
            case Kind::numbers: print_numbers(node); break;
            case Kind::array:
                if (node.is_null) {
                    to_ += "null";
                    break;
                }
                to_ += '{';
                open_arrays_.push_back(node.end);
                first_ = true;
                break;
            case Kind::boxed:
                if (!node.is_enum && !node.is_array && needs_type(node.element)) {
                    to_ += std::string("(") + name_of(node.element) + ')';
                }
                first_ = true;  // its value follows at once
                break;
            case Kind::named:
                to_ += node.text();
                to_ += " = ";
                first_ = true;
                break;
        }
    }

    void print_text(const AttributeNode& node) {
        if (node.is_null) {
            to_ += "null";
        } else if (node.element == ElementType::type) {
            to_ += "typeof(";
            print_quoted(node.text(), to_);
            to_ += ')';
        } else {
            print_quoted(node.text(), to_);
        }
    }

    void print_numbers(const AttributeNode& node) {
        if (node.is_null) {
            to_ += "null";
            return;
        }
        print_enum(node);
        to_ += '{';
        for (std::uint32_t i = 0; i < node.count; ++i) {
            if (i != 0) to_ += ", ";
            print_number(node.element, node.element_bits(i), to_);
        }
        to_ += '}';
    }

    void print_enum(const AttributeNode& node) {
        if (!node.is_enum) return;
        to_ += '(';
        if (node.enum_type.rid() != 0) {
            to_ += type_reference_text(metadata_, node.enum_type, {.scopes = false});
        } else {
            to_ += node.enum_name.substr(0, node.enum_name.find(','));
        }
        to_ += ')';
    }

    const Metadata& metadata_;
    std::span<const AttributeNode> nodes_;
    std::string& to_;
    std::vector<std::uint32_t> open_arrays_;  // where each ends
    bool first_ = true;
};

void append_reason(std::string& to, const char* why) {
    to += "/* ";
    to += why;
    to += " */";
}

/// UTF-16 in quotes; surrogates without their other half escaped.
void append_utf16(std::string& to, ByteSpan bytes) {
    const auto unit_at = [&](std::size_t at) -> std::uint32_t {
        return at + 2 <= bytes.size() ? load_le<std::uint16_t>(bytes.data() + at) : 0U;
    };
    to += '"';
    for (std::size_t at = 0; at + 2 <= bytes.size(); at += 2) {
        const std::uint32_t unit = unit_at(at);
        const std::uint32_t next = unit_at(at + 2);
        if (unit >> 10U == 0x36 && next >> 10U == 0x37) {
            append_utf8(to, 0x10000U + ((unit & 0x3FFU) << 10U | (next & 0x3FFU)));
            at += 2;
        } else if (unit < 0x80 || unit >> 11U == 0x1B) {
            append_unit(to, static_cast<std::uint16_t>(unit), '"');
        } else {
            append_utf8(to, unit);
        }
    }
    to += '"';
}

}  // namespace

void print_number(ElementType type, std::uint64_t bits, std::string& to) {
    switch (type) {
        case ElementType::boolean:
            if (bits > 1) return append_number(to, bits);
            to += bits == 1 ? "true" : "false";
            return;
        case ElementType::char_:
            to += '\'';
            append_unit(to, static_cast<std::uint16_t>(bits), '\'');
            to += '\'';
            return;
        case ElementType::i1: return append_number(to, int{static_cast<std::int8_t>(bits)});
        case ElementType::i2: return append_number(to, int{static_cast<std::int16_t>(bits)});
        case ElementType::i4: return append_number(to, static_cast<std::int32_t>(bits));
        case ElementType::i8: return append_number(to, static_cast<std::int64_t>(bits));
        case ElementType::r4:
            return append_number(to, std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        case ElementType::r8: return append_number(to, std::bit_cast<double>(bits));
        default: return append_number(to, bits);
    }
}

void print_quoted(std::string_view text, std::string& to) {
    to += '"';
    while (!text.empty()) {
        std::uint32_t code = 0;
        const std::size_t size = utf8_character(text, code);
        if (size == 0) {
            to += "\\x";
            append_hex(to, static_cast<std::uint8_t>(text[0]), 2);
        } else if (size == 1) {
            append_ascii(to, text[0], '"');
        } else {
            to += text.substr(0, size);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    to += '"';
}

void print_arguments(const Metadata& metadata, const CustomAttribute& attribute, std::string& to) {
    if (!attribute.decoded()) return append_reason(to, note_of(attribute.fault));
    NodePrinter(metadata, attribute.nodes, to)
        .print(0, static_cast<std::uint32_t>(attribute.nodes.size()));
}

void print_permission_set(const Metadata& metadata, const PermissionSet& set, std::string& to) {
    switch (set.form) {
        case PermissionSet::Form::empty: return;
        case PermissionSet::Form::xml: return append_utf16(to, set.raw);
        case PermissionSet::Form::malformed: return append_reason(to, "it breaks off");
        case PermissionSet::Form::binary: break;
    }
    to += '{';
    for (const PermissionAttribute& attribute : set.attributes) {
        if (&attribute != set.attributes.data()) to += ", ";
        const std::string_view name = attribute.type_name.value_or("null");
        to += name.substr(0, name.find(','));
        if (attribute.fault != AttributeFault::none) {
            append_reason(to, note_of(attribute.fault));
        } else {
            NodePrinter(metadata, set.nodes, to).print(attribute.first_node, attribute.end_node);
        }
    }
    to += '}';
}

void print_constant(const ConstantValue& constant, std::string& to) {
    switch (constant.kind) {
        case ConstantValue::Kind::number: return print_number(constant.type, constant.bits, to);
        case ConstantValue::Kind::text: return append_utf16(to, constant.bytes);
        case ConstantValue::Kind::null: to += "null"; return;
        case ConstantValue::Kind::malformed:
            return append_reason(to, "it does not have the size of its type");
    }
}

}  // namespace clrkit
