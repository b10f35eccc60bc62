// How many bytes an enum's value has. A custom attribute's blob (ECMA-335 II.23.3) does not say, and a
// wrong answer reads well-formed nonsense, so what nobody knows stays unknown: nothing here guesses.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/error.h>
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/attributes/type_path.h>
#include <clrkit/dotnet/metadata/metadata.h>
#include <clrkit/dotnet/signatures/element_type.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace clrkit {

/// The underlying type of an enum that is defined in this module: `boolean` to `u8` in the order of
/// ElementType. Nothing when the type is no enum (II.14.3), or hides its value behind more than a few
/// static fields. O(1).
CLRKIT_API std::optional<ElementType> enum_underlying(const Metadata& metadata,
                                                      std::uint32_t type_def);

/// The enums of one module by name. Built in O(rows) on request, immutable from then on.
class EnumTable {
public:
    /// `metadata` must outlive the table. Errors: `out_of_memory`; `limit_reached` when names that
    /// lie inside one another add up to more than the limits allow to read.
    CLRKIT_API static Result<EnumTable> build(const Metadata& metadata, const Limits& limits = {});

    const Metadata& metadata() const { return *metadata_; }
    /// Nothing when there is none of that name, or several that differ.
    CLRKIT_API std::optional<ElementType> find(const TypePath& path) const;

private:
    struct Entry {
        std::uint32_t type = 0;  // 0: free
        std::uint32_t hash = 0;
        ElementType underlying = ElementType::end;  // `end`: several of that name differ
    };

    const Entry* entry(const TypePath& path, std::uint32_t hash) const;
    bool is(std::uint32_t type, const TypePath& path) const;
    Status add_all(std::uint64_t budget);
    bool path_of(std::uint32_t type, TypePath& path) const;
    void add(std::uint32_t type, ElementType underlying, const TypePath& path);

    const Metadata* metadata_ = nullptr;
    std::vector<std::uint32_t> enclosers_;  // by rid
    std::vector<Entry> entries_;            // open addressing
};

/// Knows enums of other modules. An empty one knows nothing.
struct EnumResolver {
    const void* context = nullptr;
    /// `type` is a TypeRef of `metadata`.
    std::optional<ElementType> (*by_reference)(const void* context, const Metadata& metadata,
                                               Token type) = nullptr;
    /// `name` is a reflection type name in an attribute of `metadata`, with its assembly if it names
    /// one.
    std::optional<ElementType> (*by_name)(const void* context, const Metadata& metadata,
                                          std::string_view name) = nullptr;
};

/// Everything that is known about enums: passed by reference to whatever reads attributes.
struct EnumLookup {
    /// The module's own, by name; may be null, then only its TypeDef rows resolve.
    const EnumTable* own = nullptr;
    EnumResolver elsewhere;

    /// The underlying type of a TypeDef or TypeRef of `metadata`.
    CLRKIT_API std::optional<ElementType> by_token(const Metadata& metadata, Token type) const;
    /// The underlying type of a type that an attribute of `metadata` names. As in the runtimes, a
    /// name without an assembly means this module before it means another one.
    CLRKIT_API std::optional<ElementType> by_name(const Metadata& metadata,
                                                  std::string_view name) const;
};

static_assert(sizeof(EnumResolver) <= 24 && std::is_trivially_copyable_v<EnumResolver>);
static_assert(sizeof(EnumLookup) <= 32 && std::is_trivially_copyable_v<EnumLookup>);

/// The simple name in an assembly's display name: `A.B` of `A.B, Version=1.0.0.0`. Empty when it is
/// quoted or escaped.
CLRKIT_API std::string_view simple_assembly_name(std::string_view display_name);
/// True when two simple names are one assembly's: ASCII letters of either case are the same.
CLRKIT_API bool same_assembly_name(std::string_view a, std::string_view b);

}  // namespace clrkit
