// Where a type stands: its name and those of the types around it, read from a row or from a text.
// Names are compared as bytes. Views: the metadata, the text or the caller's room own the bytes.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/dotnet/metadata/metadata.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace clrkit {

/// A path that is longer or deeper than these is not followed: whoever asks gets no answer.
struct TypePath {
    static constexpr std::size_t deepest = 16;
    /// Bytes of all names together; CoreCLR takes no type name of more than half of that.
    static constexpr std::size_t longest = 2048;

    struct Part {
        std::string_view name_space;
        std::string_view name;
        bool operator==(const Part&) const = default;
    };
    std::array<Part, deepest> parts;  // the type itself first, then what encloses it
    std::uint32_t count = 0;
    /// Bytes of all names.
    std::size_t size = 0;

    const Part& outermost() const { return parts[count - 1]; }
    void clear() { count = 0, size = 0; }
    /// False when the path becomes too deep or too long.
    bool add(Part part) {
        size += part.name_space.size() + part.name.size();
        if (count == deepest || size > longest) return false;
        parts[count++] = part;
        return true;
    }
    /// Differs from process to process.
    CLRKIT_API std::uint64_t hash() const;
};

/// Room for names without their escapes.
using UnescapedNames = std::array<char, TypePath::longest>;

/// The path of a TypeRef, and the scope of its outermost type: a Module, ModuleRef or AssemblyRef, or
/// row 0 of one. False when it is too deep or too long, or runs in a circle.
CLRKIT_API bool path_of_reference(const Metadata& metadata, std::uint32_t type_ref, TypePath& path,
                                  Token& scope);

/// The path of a name that `split_type_name` took apart: `Space.Outer+Inner`. False when it is too
/// deep or too long.
CLRKIT_API bool path_of_name(std::string_view name, UnescapedNames& room, TypePath& path);

/// The name at an offset of the heap when it is at most `TypePath::longest` bytes; sets `valid` to
/// false otherwise, without looking for its end.
CLRKIT_API std::string_view bounded_name(const Metadata& metadata, std::uint32_t offset,
                                         bool& valid);

/// True when the row of a TypeDef or TypeRef is `name_space.name`. Enclosing types do not count.
CLRKIT_API bool is_named(const Metadata& metadata, Token type, std::string_view name_space,
                         std::string_view name);

}  // namespace clrkit
