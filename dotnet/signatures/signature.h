// Signatures as a model, for those who look at them (ECMA-335 II.23.2): flat nodes in an arena, read
// through handles. The arena owns the nodes, the blob keeps its bytes; handles are values, good as
// long as both are.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/metadata/schema.h>
#include <clrkit/dotnet/signatures/array_shape.h>
#include <clrkit/dotnet/signatures/contexts.h>
#include <clrkit/dotnet/signatures/element_type.h>
#include <clrkit/dotnet/signatures/walk.h>

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace clrkit {

/// One node; the nodes below it follow it, in the order of the bytes.
struct SignatureNode {
    enum class Role : std::uint8_t {
        type,            // a type, or what stands in front of one: pointer, modifier, sentinel, ...
        shape,           // behind the element type of an array
        signature,       // the root of one with a calling convention
        type_signature,  // the root of one without
    };

    ElementType type = ElementType::end;  // of a type
    Role role = Role::type;
    /// The calling convention of a root or function pointer; CLASS or VALUETYPE of an instance.
    std::uint8_t detail = 0;
    /// TypeDefOrRefOrSpecEncoded; number of a generic parameter; how many generic parameters a
    /// method has; where in the blob a shape begins.
    std::uint32_t value = 0;
    /// Types right below a root, function pointer or instance; bytes of a shape.
    std::uint32_t count = 0;
    /// Index of the first node that is not below this one.
    std::uint32_t end = 0;
};
static_assert(sizeof(SignatureNode) == 16);

/// True for what stands in front of a type: that type is the next node.
constexpr bool is_prefix(ElementType type) {
    switch (type) {
        case ElementType::pointer:
        case ElementType::by_ref:
        case ElementType::sz_array:
        case ElementType::pinned:
        case ElementType::modreq:
        case ElementType::modopt:
        case ElementType::sentinel: return true;
        default: return false;
    }
}

/// The nodes of any number of signatures, one behind the other. Meant to be used again and again:
/// once it has grown, decoding allocates nothing.
class SignatureArena {
public:
    std::span<const SignatureNode> nodes() const { return nodes_; }
    const SignatureNode& operator[](std::uint32_t index) const {
        assert(index < nodes_.size());
        return nodes_[index];
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
    /// Forgets the nodes from `size` on; handles to those before stay good.
    void shrink(std::uint32_t size) {
        if (size < nodes_.size()) nodes_.resize(size);
    }
    void clear() { nodes_.clear(); }

private:
    friend class SignatureBuilder;
    std::vector<SignatureNode> nodes_;
};

class SignatureTypes;
class Signature;

/// A type in a signature, with what stands in front of it.
class SignatureType {
public:
    SignatureType(const SignatureArena& arena, ByteSpan blob, std::uint32_t node)
        : arena_(&arena), blob_(blob), node_(node) {}

    ElementType kind() const { return node().type; }
    /// Of a class, value type, instance or modifier, as stored.
    std::uint32_t encoded_token() const { return node().value; }
    /// The same decoded: no token where the tag means nothing or the row number cannot be one.
    Token token() const { return token_of_encoded(node().value); }
    /// Of a generic parameter.
    std::uint32_t number() const { return node().value; }
    /// What an instance says of its type: `class_` or `value_type`.
    ElementType generic_kind() const { return static_cast<ElementType>(node().detail); }
    /// The type behind a prefix (see `is_prefix`), the element type of an array.
    SignatureType element() const {
        assert(is_prefix(kind()) || kind() == ElementType::array);
        return {*arena_, blob_, node_ + 1};
    }
    /// Of an array.
    ArrayShape shape() const {
        assert(kind() == ElementType::array);
        const SignatureNode& shape = (*arena_)[node().end - 1];
        return ArrayShape(blob_.subspan(shape.value, shape.count));
    }
    /// The arguments of an instance.
    SignatureTypes arguments() const;
    /// The signature of a function pointer.
    Signature function() const;
    /// The type behind custom modifiers, pinning and the sentinel: itself when there are none.
    SignatureType unmodified() const {
        std::uint32_t at = node_;
        while (is_prefix((*arena_)[at].type) && !shapes_type((*arena_)[at].type)) ++at;
        return {*arena_, blob_, at};
    }

    std::uint32_t index() const { return node_; }
    const SignatureNode& node() const { return (*arena_)[node_]; }

private:
    static bool shapes_type(ElementType type) {
        return type == ElementType::pointer || type == ElementType::by_ref ||
               type == ElementType::sz_array;
    }

    const SignatureArena* arena_;
    ByteSpan blob_;
    std::uint32_t node_;
};

/// Types side by side.
class SignatureTypes {
public:
    SignatureTypes(const SignatureArena& arena, ByteSpan blob, std::uint32_t first,
                   std::uint32_t count)
        : arena_(&arena), blob_(blob), first_(first), count_(count) {}

    class Iterator {
    public:
        Iterator(const SignatureTypes* types, std::uint32_t node, std::uint32_t left)
            : types_(types), node_(node), left_(left) {}
        SignatureType operator*() const { return {*types_->arena_, types_->blob_, node_}; }
        Iterator& operator++() {
            node_ = (*types_->arena_)[node_].end;
            --left_;
            return *this;
        }
        bool operator==(const Iterator& other) const { return left_ == other.left_; }

    private:
        const SignatureTypes* types_;
        std::uint32_t node_;
        std::uint32_t left_;
    };
    Iterator begin() const { return {this, first_, count_}; }
    Iterator end() const { return {this, first_, 0}; }
    std::uint32_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    /// The type at `index`, in as many steps.
    SignatureType operator[](std::uint32_t index) const {
        assert(index < count_);
        std::uint32_t node = first_;
        for (; index != 0; --index) node = (*arena_)[node].end;
        return {*arena_, blob_, node};
    }

private:
    const SignatureArena* arena_;
    ByteSpan blob_;
    std::uint32_t first_;
    std::uint32_t count_;
};

/// A signature of any kind, or that of a function pointer.
class Signature {
public:
    Signature(const SignatureArena& arena, ByteSpan blob, std::uint32_t node,
              std::uint32_t trailing)
        : arena_(&arena), blob_(blob), node_(node), trailing_(trailing) {}

    /// False for that of a TypeSpec.
    bool has_header() const { return node().role != SignatureNode::Role::type_signature; }
    /// Its first byte, flags and all; 0 where there is none.
    std::uint8_t calling_convention() const { return node().detail; }
    /// What its types are.
    CLRKIT_API TypeList::Kind kind() const;
    /// Of a method.
    std::uint32_t generic_parameter_count() const { return node().value; }
    /// All types in it. For methods and properties the first is the return type.
    SignatureTypes types() const { return {*arena_, blob_, node_ + 1, node().count}; }
    /// The return type, or the one type of a field or TypeSpec; `types()` must not be empty.
    SignatureType type() const {
        assert(node().count != 0);
        return {*arena_, blob_, node_ + 1};
    }
    /// `types()` without the return type, where there is one; else all of them.
    CLRKIT_API SignatureTypes parameters() const;
    /// How many parameters stand in front of the (first) sentinel of a vararg call; nothing without.
    CLRKIT_API std::optional<std::uint32_t> sentinel() const;
    /// Bytes of the blob behind the signature; empty for that of a function pointer.
    ByteSpan trailing() const {
        return node().role == SignatureNode::Role::type ? ByteSpan{} : blob_.subspan(trailing_);
    }
    ByteSpan blob() const { return blob_; }

    std::uint32_t index() const { return node_; }
    const SignatureNode& node() const { return (*arena_)[node_]; }
    const SignatureArena& arena() const { return *arena_; }
    /// Its own node and all below.
    std::span<const SignatureNode> nodes() const {
        return arena_->nodes().subspan(node_, node().end - node_);
    }

private:
    const SignatureArena* arena_;
    ByteSpan blob_;
    std::uint32_t node_;
    std::uint32_t trailing_;
};

inline SignatureTypes SignatureType::arguments() const {
    assert(kind() == ElementType::generic_instance);
    return {*arena_, blob_, node_ + 1, node().count};
}
inline Signature SignatureType::function() const {
    assert(kind() == ElementType::function_pointer);
    return {*arena_, blob_, node_, 0};
}

/// Decodes a signature of a kind that `is_signature`, behind what the arena holds already. `blob` must
/// outlive the handles. Errors: `signature_malformed` with the reason as its note, `out_of_memory`; the
/// arena is then as it was. Nesting deeper than the context allows is an error, prefixes (fifty
/// thousand pointers) nest nothing.
CLRKIT_API Result<Signature> decode_signature(ByteSpan blob, BlobKind kind,
                                              const BlobReadContext& context,
                                              SignatureArena& arena);

}  // namespace clrkit
