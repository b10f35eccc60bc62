// One pass over the nodes; what is still open is a stack of where it ends.
#include "verbs/attribute_json.h"

#include <clrkit/dotnet/signatures/print_signature.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace clrkit::cli {
namespace {

using Kind = AttributeNode::Kind;

/// As in signatures, and names for what only attributes have.
std::string_view type_name(ElementType type) {
    if (type == ElementType::type) return "type";
    return type == ElementType::boxed ? "object" : name_of(type);
}

class ArgumentWriter {
public:
    ArgumentWriter(Json& out, const Metadata& metadata) : out_(out), metadata_(metadata) {}

    void write(const AttributeNode& node, std::uint32_t at) {
        close(at);
        if (!in_object_) out_.begin_object();
        in_object_ = false;
        switch (node.kind) {
            case Kind::number:
                write_type(node);
                out_.key("value");
                write_number(node.element, node.bits);
                break;
            case Kind::text:
                write_type(node);
                if (node.is_null) {
                    out_.null("value");
                } else {
                    out_.name("value", node.text());
                }
                break;
            case Kind::numbers:
            case Kind::array: return write_array(node);
            case Kind::boxed:
                out_.member("boxed", true);
                in_object_ = true;  // its value adds to the object
                return;
            case Kind::named:
                out_.text("kind", node.is_property ? "property" : "field");
                out_.name("name", node.text());
                in_object_ = true;
                return;
        }
        out_.end_object();
    }

    /// Ends what ends in front of node `at`.
    void close(std::uint32_t at) {
        while (!open_arrays_.empty() && open_arrays_.back() <= at) {
            open_arrays_.pop_back();
            out_.end_array();
            out_.end_object();
        }
    }

private:
    void write_type(const AttributeNode& node) {
        out_.text("type", type_name(node.element));
        if (!node.is_enum) return;
        if (node.enum_type.rid() != 0) {
            out_.text("enum", type_reference_text(metadata_, node.enum_type));
        } else {
            out_.name("enum", node.enum_name);
        }
    }

    void write_array(const AttributeNode& node) {
        write_type(node);
        out_.member("array", true);
        if (node.is_null) {
            out_.null("values");
            out_.end_object();
            return;
        }
        out_.begin_array("values");
        if (node.kind == Kind::array) {
            open_arrays_.push_back(node.end);
            return;
        }
        for (std::uint32_t i = 0; i < node.count; ++i) {
            write_number(node.element, node.element_bits(i));
        }
        out_.end_array();
        out_.end_object();
    }

    void write_number(ElementType type, std::uint64_t bits) {
        switch (type) {
            case ElementType::boolean:
                if (bits <= 1) return out_.boolean(bits == 1);
                return out_.number(bits);
            case ElementType::i1: return out_.signed_number(static_cast<std::int8_t>(bits));
            case ElementType::i2: return out_.signed_number(static_cast<std::int16_t>(bits));
            case ElementType::i4: return out_.signed_number(static_cast<std::int32_t>(bits));
            case ElementType::i8: return out_.signed_number(static_cast<std::int64_t>(bits));
            case ElementType::r4:
                return out_.real(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
            case ElementType::r8: return out_.real(std::bit_cast<double>(bits));
            default: return out_.number(bits);
        }
    }

    Json& out_;
    const Metadata& metadata_;
    std::vector<std::uint32_t> open_arrays_;
    bool in_object_ = false;
};

}  // namespace

void write_arguments(Json& out, const Metadata& metadata, const CustomAttribute& attribute) {
    if (!attribute.decoded()) {
        out.text("undecoded", note_of(attribute.fault));
        return;
    }
    const auto count = static_cast<std::uint32_t>(attribute.nodes.size());
    std::uint32_t at = 0;
    ArgumentWriter writer(out, metadata);
    out.begin_array("arguments");
    for (; at < count && attribute.nodes[at].kind != Kind::named; ++at) {
        writer.write(attribute.nodes[at], at);
    }
    writer.close(at);
    out.end_array();
    if (at == count) return;
    out.begin_array("named");
    for (; at < count; ++at) writer.write(attribute.nodes[at], at);
    writer.close(at);
    out.end_array();
}

}  // namespace clrkit::cli
