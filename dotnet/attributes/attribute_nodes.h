// Builds the flat model of attribute arguments: a visitor that fills a vector of nodes. Included by
// sources only.
#pragma once

#include <clrkit/dotnet/attributes/custom_attribute.h>

#include <cstdint>
#include <vector>

namespace clrkit {

/// Appends to `nodes`. While a node is open its `end` holds the number of the node around it, so that
/// nothing beside the nodes is needed to find the way back.
class NodeBuilder : public AttributeVisitor {
public:
    explicit NodeBuilder(std::vector<AttributeNode>& nodes) : nodes_(nodes) {}

    std::uint32_t fixed_count = 0;
    std::uint32_t named_count_read = 0;
    bool has_named_count = false;

    void fixed_argument(const ArgumentType& /*type*/) { ++fixed_count; }
    void named_count(std::uint16_t count) {
        named_count_read = count;
        has_named_count = true;
    }
    void named_argument(ElementType kind) {
        AttributeNode node;
        node.kind = AttributeNode::Kind::named;
        node.is_property = kind == ElementType::property;
        open(node);
        naming_ = true;
    }
    void type(const ArgumentType& type) {
        if (!naming_) {
            AttributeNode node;
            node.kind = AttributeNode::Kind::boxed;
            open(node);
        }
        describe(nodes_[open_], type);
        nodes_[open_].is_array = type.array;
        naming_ = false;
    }
    void name(BlobText name) { set_text(nodes_[open_], name); }
    void array(const ArgumentType& type, std::uint32_t count) {
        AttributeNode node;
        describe(node, type);
        node.is_null = count == null_array;
        node.count = node.is_null ? 0 : count;
        if (type.size() == 0) {
            node.kind = AttributeNode::Kind::array;
            open(node);
        } else {
            node.kind = AttributeNode::Kind::numbers;
            leaf(node);
        }
    }
    void numbers(ByteSpan elements) { nodes_.back().bytes = elements; }
    void number(const ArgumentType& type, std::uint64_t bits) {
        AttributeNode node;
        describe(node, type);
        node.bits = bits;
        leaf(node);
    }
    void text(ElementType type, BlobText text) {
        AttributeNode node;
        node.kind = AttributeNode::Kind::text;
        node.element = type;
        set_text(node, text);
        leaf(node);
    }
    void end_array() {
        close();
        ended();
    }

private:
    static constexpr std::uint32_t none = 0xFFFFFFFF;

    static void describe(AttributeNode& node, const ArgumentType& type) {
        node.element = type.element;
        node.is_enum = type.is_enum;
        node.enum_type = type.enum_type;
        node.enum_name = type.enum_name;
    }
    static void set_text(AttributeNode& node, BlobText text) {
        node.is_null = !text;
        if (text) {
            node.bytes = {reinterpret_cast<const std::uint8_t*>(text->data()), text->size()};
        }
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
    void open(AttributeNode node) {
        node.end = open_;
        open_ = size();
        nodes_.push_back(node);
    }
    void close() {
        const std::uint32_t around = nodes_[open_].end;
        nodes_[open_].end = size();
        open_ = around;
    }
    void leaf(AttributeNode node) {
        node.end = size() + 1;
        nodes_.push_back(node);
        ended();
    }
    /// A value has ended, and with it the boxes and named arguments around it.
    void ended() {
        while (open_ != none && nodes_[open_].kind != AttributeNode::Kind::array) close();
    }

    std::vector<AttributeNode>& nodes_;
    std::uint32_t open_ = none;
    bool naming_ = false;
};

}  // namespace clrkit
