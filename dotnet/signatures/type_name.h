// Type names as reflection writes them: in custom attributes, marshalling descriptors, permission
// sets and calls of Type.GetType (grammar: .NET, "Specifying fully qualified type names"). Everything
// is a view of the text that was parsed; nothing is unescaped or put right.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/limits.h>

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

namespace clrkit {

/// Why a text is no type name.
enum class TypeNameFault : std::uint8_t {
    none,
    empty_name,
    bad_escape,
    bad_character,
    bad_suffix,
    unbalanced,
    empty_assembly,
    trailing_text,
    too_deep,
    no_memory,
};
/// Static text for a diagnostic's note.
CLRKIT_API const char* note_of(TypeNameFault fault);

/// One type of a name: the outermost, or an argument of a generic one.
struct TypeNameNode {
    /// Namespace, enclosing types and the type itself, as in `Space.Outer+Inner`, with its escapes.
    std::string_view name;
    /// Arrays, pointers, by-reference, as in `[][,]*&`; empty for most.
    std::string_view suffixes;
    /// What stands behind the comma, from the first character that is no space: the assembly's name
    /// byte for byte. Empty when there is none.
    std::string_view assembly;
    /// How many generic arguments follow.
    std::uint32_t arguments = 0;
    /// Index of the node behind this one and its arguments.
    std::uint32_t end = 0;
};
static_assert(sizeof(TypeNameNode) <= 64 && std::is_trivially_copyable_v<TypeNameNode>);

/// Parses a whole text into nodes in preorder; `nodes` is emptied first and meant to be used again.
/// On a fault it is left empty.
CLRKIT_API TypeNameFault parse_type_name(std::string_view text, std::vector<TypeNameNode>& nodes,
                                         std::uint32_t depth = Limits{}.depth);

/// The same without the arguments, which are checked all the same: allocates nothing. `outermost` is
/// set on success only; its `end` is 1.
CLRKIT_API TypeNameFault split_type_name(std::string_view text, TypeNameNode& outermost,
                                         std::uint32_t depth = Limits{}.depth);

/// The first character of `text` from `from` on that is `wanted` and not escaped; npos if none is.
CLRKIT_API std::size_t find_unescaped(std::string_view text, char wanted, std::size_t from = 0);

}  // namespace clrkit
