// Two trees in preorder are equal when their nodes are, one after the other: no stack. TypeSpecs met
// on the way are pairs to be compared later; a pair met again is one that is being compared already.
#include <clrkit/core/bytes/hash.h>
#include <clrkit/dotnet/signatures/compare_signatures.h>
#include <clrkit/dotnet/signatures/type_reference.h>

#include <algorithm>
#include <string_view>

namespace clrkit {
namespace {

/// TypeSpecs followed in one comparison; one more, and the signatures count as different.
constexpr std::size_t pairs_at_most = 1024;
/// Enclosing types that a hash looks at; what is equal is equal in these too.
constexpr int levels_hashed = 4;

bool has_token(ElementType type) {
    switch (type) {
        case ElementType::class_:
        case ElementType::value_type:
        case ElementType::generic_instance:
        case ElementType::modreq:
        case ElementType::modopt: return true;
        default: return false;
    }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Where a type is that no other type encloses.
std::string_view assembly_of(const Metadata& metadata, Token scope) {
    if (scope.table() == Table::AssemblyRef) {
        return metadata.string(Table::AssemblyRef, scope.rid(), col::AssemblyRef::Name);
    }
    if (metadata.rows(Table::Assembly) != 0) {
        return metadata.string(Table::Assembly, 1, col::Assembly::Name);
    }
    return metadata.string(Table::Module, 1, col::Module::Name);
}

bool equal_assemblies(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower, lower);
}

/// The same for names that differ in case only.
std::uint64_t hash_assembly(std::string_view name) {
    std::uint64_t hash = 0;
    for (const char c : name) hash = hash * 31 + static_cast<std::uint8_t>(lower(c));
    return hash;
}

std::uint64_t combine(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15;
    return hash ^ hash >> 32U;
}

bool equal_shapes(const ArrayShape& a, const ArrayShape& b) {
    if (a.rank() != b.rank() || a.size_count() != b.size_count() ||
        a.lower_bound_count() != b.lower_bound_count()) {
        return false;
    }
    auto dimensions_a = a.dimensions();
    auto dimensions_b = b.dimensions();
    for (std::uint32_t i = std::max(a.size_count(), a.lower_bound_count()); i != 0; --i) {
        const ArrayShape::Dimension x = dimensions_a.next();
        const ArrayShape::Dimension y = dimensions_b.next();
        if (x.size != y.size || x.lower_bound != y.lower_bound) return false;
    }
    return true;
}

bool same_bytes_of_same_module(const ScopedSignature& a, const ScopedSignature& b) {
    return a.scope.metadata == b.scope.metadata && a.kind == b.kind &&
           std::ranges::equal(a.blob, b.blob);
}

ScopedSignature type_spec(const TokenScope& scope, std::uint32_t rid) {
    return {scope, scope.metadata->blob(Table::TypeSpec, rid, col::TypeSpec::Signature),
            BlobKind::type_signature};
}

}  // namespace

std::uint32_t SignatureComparer::skip_modifiers(const SignatureArena& nodes,
                                                std::uint32_t at) const {
    if (options_.modifiers) return at;
    while (at < nodes.size() &&
           (nodes[at].type == ElementType::modreq || nodes[at].type == ElementType::modopt)) {
        ++at;
    }
    return at;
}

bool SignatureComparer::equal_or_pending(const TokenScope& a, Token type_a, const TokenScope& b,
                                         Token type_b) {
    if (a.metadata == b.metadata && type_a == type_b) return true;
    if ((type_a.table() == Table::TypeSpec) != (type_b.table() == Table::TypeSpec)) return false;
    if (type_a.table() == Table::TypeSpec) {
        const Pair pair{type_a.rid(), type_b.rid()};
        if (std::ranges::find(type_specs_, pair) != type_specs_.end()) return true;
        if (type_specs_.size() == pairs_at_most) return false;
        type_specs_.push_back(pair);
        return true;
    }
    for (std::uint32_t level = 0; level < Limits{}.depth; ++level) {
        const TypeReference x = type_reference(*a.metadata, a.indexes, type_a);
        const TypeReference y = type_reference(*b.metadata, b.indexes, type_b);
        if (!x.found || !y.found) return false;
        if (x.name != y.name || x.name_space != y.name_space || x.nested != y.nested) return false;
        if (!x.nested) {
            return equal_assemblies(assembly_of(*a.metadata, x.parent),
                                    assembly_of(*b.metadata, y.parent));
        }
        type_a = x.parent;
        type_b = y.parent;
    }
    return false;
}

bool SignatureComparer::equal_values(const ScopedSignature& a, const SignatureNode& node_a,
                                     const ScopedSignature& b, const SignatureNode& node_b) {
    if (node_a.role == SignatureNode::Role::shape) {
        return equal_shapes(ArrayShape(a.blob.subspan(node_a.value, node_a.count)),
                            ArrayShape(b.blob.subspan(node_b.value, node_b.count)));
    }
    if (node_a.detail != node_b.detail || node_a.count != node_b.count) return false;
    if (!has_token(node_a.type)) return node_a.value == node_b.value;
    const Token type_a = token_of_encoded(node_a.value);
    const Token type_b = token_of_encoded(node_b.value);
    // What leads nowhere is the same only when it is the same number.
    const bool nowhere_a = !a.scope.metadata->tables().has(type_a);
    const bool nowhere_b = !b.scope.metadata->tables().has(type_b);
    if (nowhere_a || nowhere_b) return nowhere_a && nowhere_b && node_a.value == node_b.value;
    return equal_or_pending(a.scope, type_a, b.scope, type_b);
}

bool SignatureComparer::equal_nodes(const ScopedSignature& a, const ScopedSignature& b) {
    a_.clear();
    b_.clear();
    if (!decode_signature(a.blob, a.kind, {}, a_) || !decode_signature(b.blob, b.kind, {}, b_)) {
        return same_bytes_of_same_module(a, b);
    }
    std::uint32_t at_a = skip_modifiers(a_, 0);
    std::uint32_t at_b = skip_modifiers(b_, 0);
    while (at_a < a_.size() && at_b < b_.size()) {
        const SignatureNode& node_a = a_[at_a];
        const SignatureNode& node_b = b_[at_b];
        if (node_a.type != node_b.type || node_a.role != node_b.role) return false;
        if (!equal_values(a, node_a, b, node_b)) return false;
        at_a = skip_modifiers(a_, at_a + 1);
        at_b = skip_modifiers(b_, at_b + 1);
    }
    return at_a == a_.size() && at_b == b_.size();
}

bool SignatureComparer::equal_pending(const TokenScope& a, const TokenScope& b) {
    for (std::size_t i = 0; i < type_specs_.size(); ++i) {
        const auto [rid_a, rid_b] = type_specs_[i];
        if (!equal_nodes(type_spec(a, rid_a), type_spec(b, rid_b))) return false;
    }
    return true;
}

bool SignatureComparer::equal(const ScopedSignature& a, const ScopedSignature& b) {
    type_specs_.clear();
    return equal_nodes(a, b) && equal_pending(a.scope, b.scope);
}

bool SignatureComparer::equal_types(const TokenScope& a, Token type_a, const TokenScope& b,
                                    Token type_b) {
    type_specs_.clear();
    return equal_or_pending(a, type_a, b, type_b) && equal_pending(a, b);
}

std::uint64_t SignatureComparer::hash_type(const TokenScope& scope, Token type) {
    const Metadata& metadata = *scope.metadata;
    // TypeSpecs hash alike: one may contain itself, and they are rare where a token is asked for.
    if (type.table() == Table::TypeSpec) return 1;
    std::uint64_t hash = 0;
    for (int level = 0; level < levels_hashed; ++level) {
        const TypeReference reference = type_reference(metadata, scope.indexes, type);
        if (!reference.found) return combine(hash, 2);
        hash = combine(hash, hash_text(reference.name));
        hash = combine(hash, hash_text(reference.name_space));
        if (!reference.nested) {
            return combine(hash, hash_assembly(assembly_of(metadata, reference.parent)));
        }
        type = reference.parent;
    }
    return hash;
}

std::uint64_t SignatureComparer::hash(const ScopedSignature& signature) {
    a_.clear();
    if (!decode_signature(signature.blob, signature.kind, {}, a_)) {
        return hash_bytes(signature.blob);
    }
    std::uint64_t hash = 0;
    for (std::uint32_t at = skip_modifiers(a_, 0); at < a_.size();
         at = skip_modifiers(a_, at + 1)) {
        const SignatureNode& node = a_[at];
        hash = combine(hash, static_cast<std::uint64_t>(node.type) << 8U | node.detail);
        if (node.role == SignatureNode::Role::shape) {
            hash = combine(hash, ArrayShape(signature.blob.subspan(node.value, node.count)).rank());
        } else if (has_token(node.type)) {
            const Token type = token_of_encoded(node.value);
            const bool nowhere = !signature.scope.metadata->tables().has(type);
            hash = combine(hash, nowhere ? node.value : hash_type(signature.scope, type));
        } else {
            hash = combine(hash, std::uint64_t{node.value} << 32U | node.count);
        }
    }
    return hash;
}

}  // namespace clrkit
