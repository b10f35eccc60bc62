// What a TypeDef or TypeRef row says of a type: its own two names and where it is (ECMA-335 II.22.37,
// II.22.38, II.22.32). Views of the metadata's heaps.
#pragma once

#include <clrkit/dotnet/metadata/indexes.h>
#include <clrkit/dotnet/metadata/metadata.h>

#include <cstdint>
#include <string_view>

namespace clrkit {

struct TypeReference {
    std::string_view name_space;
    std::string_view name;
    /// The type around it, or the scope: AssemblyRef, ModuleRef, Module; no token for a TypeDef that
    /// is not nested and a TypeRef without a scope.
    Token parent;
    /// The parent is a type.
    bool nested = false;
    /// There is such a row.
    bool found = false;
};

/// Rows that lead in a circle lead whoever follows `parent` in a circle. Without `indexes` a nested
/// TypeDef's encloser is found as the runtime finds it: by a scan in `#-`.
inline TypeReference type_reference(const Metadata& metadata, const Indexes* indexes, Token type) {
    if (!metadata.tables().has(type)) return {};
    TypeReference reference;
    reference.found = true;
    const std::uint32_t rid = type.rid();
    if (type.table() == Table::TypeDef) {
        reference.name_space = metadata.string(Table::TypeDef, rid, col::TypeDef::TypeNamespace);
        reference.name = metadata.string(Table::TypeDef, rid, col::TypeDef::TypeName);
        const std::uint32_t encloser =
            indexes != nullptr
                ? indexes->encloser(rid)
                : metadata.cell(Table::NestedClass, metadata.pick(Table::NestedClass, rid),
                                col::NestedClass::EnclosingClass);
        if (encloser != 0) reference.parent = Token(Table::TypeDef, encloser);
        reference.nested = encloser != 0;
    } else if (type.table() == Table::TypeRef) {
        reference.name_space = metadata.string(Table::TypeRef, rid, col::TypeRef::TypeNamespace);
        reference.name = metadata.string(Table::TypeRef, rid, col::TypeRef::TypeName);
        const Token scope = metadata.token(Table::TypeRef, rid, col::TypeRef::ResolutionScope);
        if (scope.rid() != 0) reference.parent = scope;
        reference.nested = reference.parent.table() == Table::TypeRef;
    } else {
        reference.found = false;
    }
    return reference;
}

}  // namespace clrkit
