// Decoding into nodes: a walk whose visitor appends what it hears. Where a subtree ends is worked out
// afterwards, from the last node to the first, so that nothing needs a stack.
#include <clrkit/dotnet/signatures/signature.h>

#include <algorithm>
#include <new>
#include <utility>

namespace clrkit {

class SignatureBuilder : public SignatureVisitor {
public:
    SignatureBuilder(ByteSpan blob, SignatureArena& arena)
        : nodes_(arena.nodes_), blob_(blob), root_(arena.size()) {}

    /// Every node but the root takes at least one byte; so nothing below allocates. False when there
    /// is no memory.
    bool make_room(BlobKind kind) {
        const std::size_t needed = nodes_.size() + blob_.size() + 1;
        try {
            if (needed > nodes_.capacity()) {
                nodes_.reserve(std::max(needed, 2 * nodes_.capacity()));
            }
        } catch (const std::bad_alloc&) {
            return false;
        }
        using Role = SignatureNode::Role;
        add({.role = kind == BlobKind::type_signature ? Role::type_signature : Role::signature,
             .count = 1});
        return true;
    }

    void header(std::uint8_t convention) {
        const unsigned kind = convention & calling_convention::mask;
        const bool counts_only =
            kind == calling_convention::local || kind == calling_convention::generic_instance;
        more_ = counts_only ? 0 : 1;
        const bool method = !counts_only && kind != calling_convention::property;
        generic_count_follows_ = method && (convention & calling_convention::generic) != 0;
        nodes_.back().detail = convention;
    }
    void count(std::uint32_t value) {
        if (std::exchange(generic_count_follows_, false)) {
            nodes_.back().value = value;
        } else {
            nodes_.back().count = value + more_;
        }
    }
    void element(ElementType type) {
        more_ = 0;
        add({.type = type});
    }
    void generic_kind(ElementType type) { nodes_.back().detail = static_cast<std::uint8_t>(type); }
    void token(std::uint32_t encoded) { nodes_.back().value = encoded; }
    void number(std::uint32_t value) { nodes_.back().value = value; }
    void shape(ByteSpan bytes) {
        add({.role = SignatureNode::Role::shape,
             .value = static_cast<std::uint32_t>(bytes.data() - blob_.data()),
             .count = static_cast<std::uint32_t>(bytes.size())});
    }

    void close() {
        for (std::size_t i = nodes_.size(); i-- > root_;) {
            auto end = static_cast<std::uint32_t>(i + 1);
            for (std::uint32_t left = below(nodes_[i]); left != 0; --left) end = nodes_[end].end;
            nodes_[i].end = end;
        }
    }
    void undo() { nodes_.resize(root_); }
    std::uint32_t root() const { return root_; }

private:
    void add(const SignatureNode& node) { nodes_.push_back(node); }

    /// How many nodes stand right below one.
    static std::uint32_t below(const SignatureNode& node) {
        switch (node.role) {
            case SignatureNode::Role::shape: return 0;
            case SignatureNode::Role::signature:
            case SignatureNode::Role::type_signature: return node.count;
            case SignatureNode::Role::type: break;
        }
        if (is_prefix(node.type)) return 1;
        return node.type == ElementType::array ? 2 : node.count;
    }

    std::vector<SignatureNode>& nodes_;
    ByteSpan blob_;
    std::uint32_t root_;
    std::uint32_t more_ = 0;  // types beside those that the next count counts
    bool generic_count_follows_ = false;
};

TypeList::Kind Signature::kind() const {
    if (!has_header()) return TypeList::Kind::single;
    switch (calling_convention() & calling_convention::mask) {
        case calling_convention::field: return TypeList::Kind::single;
        case calling_convention::local: return TypeList::Kind::locals;
        case calling_convention::property: return TypeList::Kind::property;
        case calling_convention::generic_instance: return TypeList::Kind::generic_arguments;
        default: return TypeList::Kind::method;
    }
}

SignatureTypes Signature::parameters() const {
    const TypeList::Kind list = kind();
    if (list != TypeList::Kind::method && list != TypeList::Kind::property) return types();
    return {*arena_, blob_, (*arena_)[node_ + 1].end, node().count - 1};
}

std::optional<std::uint32_t> Signature::sentinel() const {
    std::uint32_t in_front = 0;
    for (const SignatureType parameter : parameters()) {
        for (std::uint32_t at = parameter.index(); is_prefix((*arena_)[at].type); ++at) {
            if ((*arena_)[at].type == ElementType::sentinel) return in_front;
        }
        ++in_front;
    }
    return std::nullopt;
}

Result<Signature> decode_signature(ByteSpan blob, BlobKind kind, const BlobReadContext& context,
                                   SignatureArena& arena) {
    SignatureBuilder builder(blob, arena);
    if (!builder.make_room(kind)) {
        return failure(Stage::signature, ErrorCode::out_of_memory, no_offset, nullptr,
                       context.owner.value());
    }
    ByteReader reader(blob);
    SignatureWalker walker(reader, builder, context.depth);
    if (const SignatureFault fault = walker.walk(kind); fault != SignatureFault::none) {
        builder.undo();
        return failure(Stage::signature, ErrorCode::signature_malformed, no_offset, note_of(fault),
                       context.owner.value());
    }
    builder.close();
    return Signature(arena, blob, builder.root(), static_cast<std::uint32_t>(reader.position()));
}

}  // namespace clrkit
