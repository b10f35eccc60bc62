// Tables by number and metadata tokens (ECMA-335 II.22, III.1.9).
#pragma once

#include <cstdint>

namespace clrkit {

// clang-format off: one line a group
// NOLINTBEGIN(readability-identifier-naming): the standard's own names
enum class Table : std::uint8_t {
    Module = 0x00, TypeRef, TypeDef, FieldPtr, Field, MethodPtr, MethodDef, ParamPtr, Param,
    InterfaceImpl, MemberRef, Constant, CustomAttribute, FieldMarshal, DeclSecurity, ClassLayout,
    FieldLayout, StandAloneSig, EventMap, EventPtr, Event, PropertyMap, PropertyPtr, Property,
    MethodSemantics, MethodImpl, ModuleRef, TypeSpec, ImplMap, FieldRVA, EncLog, EncMap, Assembly,
    AssemblyProcessor, AssemblyOS, AssemblyRef, AssemblyRefProcessor, AssemblyRefOS, File,
    ExportedType, ManifestResource, NestedClass, GenericParam, MethodSpec, GenericParamConstraint,
    Document = 0x30, MethodDebugInformation, LocalScope, LocalVariable, LocalConstant, ImportScope,
    StateMachineMethod, CustomDebugInformation,
    none = 0xFF,
};

/// Columns by name. The order is the schema's; a test compares the names.
namespace col {
namespace Module { enum : std::uint8_t { Generation, Name, Mvid, EncId, EncBaseId }; }
namespace TypeRef { enum : std::uint8_t { ResolutionScope, TypeName, TypeNamespace }; }
namespace TypeDef { enum : std::uint8_t { Flags, TypeName, TypeNamespace, Extends, FieldList, MethodList }; }
namespace Field { enum : std::uint8_t { Flags, Name, Signature }; }
namespace MethodDef { enum : std::uint8_t { RVA, ImplFlags, Flags, Name, Signature, ParamList }; }
namespace Param { enum : std::uint8_t { Flags, Sequence, Name }; }
namespace InterfaceImpl { enum : std::uint8_t { Class, Interface }; }
namespace MemberRef { enum : std::uint8_t { Class, Name, Signature }; }
namespace Constant { enum : std::uint8_t { Type, Padding, Parent, Value }; }
namespace CustomAttribute { enum : std::uint8_t { Parent, Type, Value }; }
namespace FieldMarshal { enum : std::uint8_t { Parent, NativeType }; }
namespace DeclSecurity { enum : std::uint8_t { Action, Parent, PermissionSet }; }
namespace ClassLayout { enum : std::uint8_t { PackingSize, ClassSize, Parent }; }
namespace FieldLayout { enum : std::uint8_t { Offset, Field }; }
namespace StandAloneSig { enum : std::uint8_t { Signature }; }
namespace EventMap { enum : std::uint8_t { Parent, EventList }; }
namespace Event { enum : std::uint8_t { EventFlags, Name, EventType }; }
namespace PropertyMap { enum : std::uint8_t { Parent, PropertyList }; }
namespace Property { enum : std::uint8_t { Flags, Name, Type }; }
namespace MethodSemantics { enum : std::uint8_t { Semantics, Method, Association }; }
namespace MethodImpl { enum : std::uint8_t { Class, MethodBody, MethodDeclaration }; }
namespace ModuleRef { enum : std::uint8_t { Name }; }
namespace TypeSpec { enum : std::uint8_t { Signature }; }
namespace ImplMap { enum : std::uint8_t { MappingFlags, MemberForwarded, ImportName, ImportScope }; }
namespace FieldRVA { enum : std::uint8_t { RVA, Field }; }
namespace Assembly { enum : std::uint8_t { HashAlgId, MajorVersion, MinorVersion, BuildNumber, RevisionNumber, Flags, PublicKey, Name, Culture }; }
namespace AssemblyRef { enum : std::uint8_t { MajorVersion, MinorVersion, BuildNumber, RevisionNumber, Flags, PublicKeyOrToken, Name, Culture, HashValue }; }
namespace File { enum : std::uint8_t { Flags, Name, HashValue }; }
namespace ExportedType { enum : std::uint8_t { Flags, TypeDefId, TypeName, TypeNamespace, Implementation }; }
namespace ManifestResource { enum : std::uint8_t { Offset, Flags, Name, Implementation }; }
namespace NestedClass { enum : std::uint8_t { NestedClass, EnclosingClass }; }
namespace GenericParam { enum : std::uint8_t { Number, Flags, Owner, Name }; }
namespace MethodSpec { enum : std::uint8_t { Method, Instantiation }; }
namespace GenericParamConstraint { enum : std::uint8_t { Owner, Constraint }; }
}  // namespace col
// NOLINTEND(readability-identifier-naming)
// clang-format on

/// One slot per bit of the table stream's mask of present tables.
inline constexpr std::size_t table_slots = 64;

/// A metadata token: table in the high byte, row (from 1) in the low three. 0 is no token.
class Token {
public:
    constexpr Token() = default;
    explicit constexpr Token(std::uint32_t value) : value_(value) {}
    constexpr Token(Table table, std::uint32_t rid)
        : value_(static_cast<std::uint32_t>(table) << 24U | (rid & 0xFFFFFFU)) {}

    constexpr std::uint32_t value() const { return value_; }
    constexpr Table table() const { return static_cast<Table>(value_ >> 24U); }
    constexpr std::uint32_t rid() const { return value_ & 0xFFFFFFU; }
    constexpr bool operator==(const Token&) const = default;

private:
    std::uint32_t value_ = 0;
};

}  // namespace clrkit
