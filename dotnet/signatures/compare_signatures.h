// Comparing signatures and types of different modules: by structure and by name, since every module
// has tokens of its own. Follows no forwarders and opens no other module: a type is where its
// reference says it is.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/dotnet/metadata/indexes.h>
#include <clrkit/dotnet/metadata/metadata.h>
#include <clrkit/dotnet/signatures/signature.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace clrkit {

/// Whose tokens are meant. Both must outlive the comparison; `indexes` may be null, see PrintOptions.
struct TokenScope {
    const Metadata* metadata = nullptr;
    const Indexes* indexes = nullptr;
};

/// A signature, and whose tokens are in it.
struct ScopedSignature {
    TokenScope scope;
    ByteSpan blob;
    BlobKind kind = BlobKind::method_signature;
};

struct CompareOptions {
    /// False: modreq and modopt are as if they were not there.
    bool modifiers = true;
};

/// Keeps its memory: once it is warm, comparing and hashing allocate nothing.
class SignatureComparer {
public:
    explicit SignatureComparer(const CompareOptions& options = {}) : options_(options) {}

    /// True when both have the same structure (calling convention, counts, shapes, the sentinel's
    /// place, `class` against `valuetype`) and in every place the same type, see `equal_types`.
    /// Trailing bytes and the length of numbers do not count. What cannot be decoded equals nothing
    /// but the same bytes of the same module.
    CLRKIT_API bool equal(const ScopedSignature& a, const ScopedSignature& b);

    /// True for types with the same namespaces and names, enclosing ones included, in assemblies of
    /// the same name (whatever its case, as runtimes compare it; versions and keys do not count). A
    /// TypeDef, and a TypeRef whose scope is no AssemblyRef, are in the module's own assembly, or
    /// where it has none in the module. A TypeSpec equals a TypeSpec with an equal signature. Two
    /// TypeSpecs that differ in nothing but in how they contain themselves are equal.
    CLRKIT_API bool equal_types(const TokenScope& a, Token type_a, const TokenScope& b,
                                Token type_b);

    /// Equal for what `equal` or `equal_types` calls equal. Different in every process.
    CLRKIT_API std::uint64_t hash(const ScopedSignature& signature);
    CLRKIT_API static std::uint64_t hash_type(const TokenScope& scope, Token type);

private:
    /// TypeSpec rows still to be compared, or compared already.
    using Pair = std::pair<std::uint32_t, std::uint32_t>;

    bool equal_nodes(const ScopedSignature& a, const ScopedSignature& b);
    bool equal_values(const ScopedSignature& a, const SignatureNode& node_a,
                      const ScopedSignature& b, const SignatureNode& node_b);
    bool equal_or_pending(const TokenScope& a, Token type_a, const TokenScope& b, Token type_b);
    bool equal_pending(const TokenScope& a, const TokenScope& b);
    std::uint32_t skip_modifiers(const SignatureArena& nodes, std::uint32_t at) const;

    CompareOptions options_;
    SignatureArena a_;
    SignatureArena b_;
    std::vector<Pair> type_specs_;
};

}  // namespace clrkit
