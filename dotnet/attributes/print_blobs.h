// Attributes, permission sets, marshalling descriptors and constants as text, for dumps and messages.
// Text of the file is quoted and escaped as in C#: it stays on one line and is UTF-8; bytes that are not
// are written \xNN.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/dotnet/attributes/constant.h>
#include <clrkit/dotnet/attributes/custom_attribute.h>
#include <clrkit/dotnet/attributes/marshalling.h>
#include <clrkit/dotnet/attributes/permission_set.h>
#include <clrkit/dotnet/metadata/metadata.h>

#include <string>
#include <string_view>

namespace clrkit {

/// Appends the arguments of an attribute: `("text", (Ns.Color)2, Names = {"a", null})`. Types as their
/// names stand in the blob, in `typeof(...)`; numbers of an enum with its name in front, boxed numbers
/// with their type. `metadata` is the attribute's own, for names of enums. Of an attribute that did not
/// decode the reason: `/* ... */`.
CLRKIT_API void print_arguments(const Metadata& metadata, const CustomAttribute& attribute,
                                std::string& to);
/// Appends `{Ns.PermissionAttribute(Unrestricted = true), ...}`, or the text of an XML set.
CLRKIT_API void print_permission_set(const Metadata& metadata, const PermissionSet& set,
                                     std::string& to);
/// Appends the descriptor as IL assembler source has it inside `marshal( )` (II.7.4).
CLRKIT_API void print_marshalling(const MarshallingDescriptor& descriptor, std::string& to);
/// Appends `5`, `"text"`, `null`.
CLRKIT_API void print_constant(const ConstantValue& constant, std::string& to);

/// Appends a value of a primitive type, `boolean` to `r8`, from its bits.
CLRKIT_API void print_number(ElementType type, std::uint64_t bits, std::string& to);
/// Appends text of the file in quotes.
CLRKIT_API void print_quoted(std::string_view text, std::string& to);

}  // namespace clrkit
