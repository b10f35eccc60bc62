// The one description of every metadata table and column (ECMA-335 II.22 and II.24.2.6; Portable
// PDB format, tables 0x30-0x37). Reading, writing, remapping, checking and dumping walk this;
// nothing loops over tables by hand.
#pragma once

#include <clrkit/dotnet/metadata/tokens.h>

#include <array>
#include <cstdint>
#include <span>

namespace clrkit {

enum class ColumnKind : std::uint8_t {
    u8,
    u16,
    u32,
    rva,     // address of a body or of data in the image; 0 where there is none
    string,  // offset into #Strings
    guid,    // index into #GUID, from 1
    blob,    // offset into #Blob; `target` is a BlobKind
    row,     // row of the table `target`, from 1
    list,    // first row of a run in the table `target`; the run ends where the next row's begins
    coded,   // coded index of the kind `target`
};

/// What a blob column's bytes are (ECMA-335 II.23.2 to II.23.4; Portable PDB).
// clang-format off
enum class BlobKind : std::uint8_t {
    raw, field_signature, method_signature, member_ref_signature, stand_alone_signature,
    property_signature, type_signature, method_spec, constant, custom_attribute, marshalling,
    permission_set, public_key, hash, document_name, sequence_points, local_constant, imports,
    custom_debug_information,
};

enum class CodedIndex : std::uint8_t {
    TypeDefOrRef, HasConstant, HasCustomAttribute, HasFieldMarshal, HasDeclSecurity,
    MemberRefParent, HasSemantics, MethodDefOrRef, MemberForwarded, Implementation,
    CustomAttributeType, ResolutionScope, TypeOrMethodDef, HasCustomDebugInformation,
};
// clang-format on
inline constexpr std::size_t coded_index_count = 14;

struct ColumnSpec {
    const char* name = nullptr;
    ColumnKind kind = ColumnKind::u8;
    std::uint8_t target = 0;  // Table, CodedIndex or BlobKind, as `kind` says

    constexpr Table table() const { return static_cast<Table>(target); }
    constexpr CodedIndex coded() const { return static_cast<CodedIndex>(target); }
    constexpr BlobKind blob() const { return static_cast<BlobKind>(target); }
};

inline constexpr std::size_t columns_at_most = 9;

struct TableSpec {
    const char* name = nullptr;
    std::uint8_t column_count = 0;
    /// Column a sorted table is ordered by, or `no_sort`.
    std::uint8_t sort_column = 0xFF;
    std::array<ColumnSpec, columns_at_most> columns{};

    static constexpr std::uint8_t no_sort = 0xFF;
    constexpr std::span<const ColumnSpec> all_columns() const {
        return {columns.data(), column_count};
    }
};

struct CodedSpec {
    std::uint8_t tag_bits = 0;
    std::uint8_t count = 0;
    std::array<Table, 27> tables{};  // by tag; Table::none where a tag is not used

    constexpr std::span<const Table> all_tables() const { return {tables.data(), count}; }
};

namespace schema_detail {

constexpr ColumnSpec u8(const char* n) { return {n, ColumnKind::u8, 0}; }
constexpr ColumnSpec u16(const char* n) { return {n, ColumnKind::u16, 0}; }
constexpr ColumnSpec rva(const char* n) { return {n, ColumnKind::rva, 0}; }
constexpr ColumnSpec u32(const char* n) { return {n, ColumnKind::u32, 0}; }
constexpr ColumnSpec str(const char* n) { return {n, ColumnKind::string, 0}; }
constexpr ColumnSpec guid(const char* n) { return {n, ColumnKind::guid, 0}; }
constexpr ColumnSpec blob(const char* n, BlobKind k) {
    return {n, ColumnKind::blob, static_cast<std::uint8_t>(k)};
}
constexpr ColumnSpec row(const char* n, Table t) {
    return {n, ColumnKind::row, static_cast<std::uint8_t>(t)};
}
constexpr ColumnSpec list(const char* n, Table t) {
    return {n, ColumnKind::list, static_cast<std::uint8_t>(t)};
}
constexpr ColumnSpec coded(const char* n, CodedIndex k) {
    return {n, ColumnKind::coded, static_cast<std::uint8_t>(k)};
}

template <class... Columns>
constexpr TableSpec table(const char* name, std::uint8_t sort_column, Columns... columns) {
    static_assert(sizeof...(columns) <= columns_at_most);
    return {name, sizeof...(columns), sort_column, {columns...}};
}

template <class... Tables>
constexpr CodedSpec coded_index(std::uint8_t bits, Tables... tables) {
    return {bits, sizeof...(tables), {tables...}};
}

// clang-format off: one table a statement
constexpr std::array<TableSpec, table_slots> make_tables() {
    using enum Table;
    using C = CodedIndex;
    using B = BlobKind;
    constexpr std::uint8_t unsorted = TableSpec::no_sort;
    std::array<TableSpec, table_slots> t{};
    const auto at = [&t](Table which) -> TableSpec& { return t[static_cast<std::size_t>(which)]; };
    at(Module) = table("Module", unsorted, u16("Generation"), str("Name"), guid("Mvid"),
                       guid("EncId"), guid("EncBaseId"));
    at(TypeRef) = table("TypeRef", unsorted, coded("ResolutionScope", C::ResolutionScope),
                        str("TypeName"), str("TypeNamespace"));
    at(TypeDef) = table("TypeDef", unsorted, u32("Flags"), str("TypeName"), str("TypeNamespace"),
                        coded("Extends", C::TypeDefOrRef), list("FieldList", Field),
                        list("MethodList", MethodDef));
    at(FieldPtr) = table("FieldPtr", unsorted, row("Field", Field));
    at(Field) = table("Field", unsorted, u16("Flags"), str("Name"),
                      blob("Signature", B::field_signature));
    at(MethodPtr) = table("MethodPtr", unsorted, row("Method", MethodDef));
    at(MethodDef) = table("MethodDef", unsorted, rva("RVA"), u16("ImplFlags"), u16("Flags"),
                          str("Name"), blob("Signature", B::method_signature),
                          list("ParamList", Param));
    at(ParamPtr) = table("ParamPtr", unsorted, row("Param", Param));
    at(Param) = table("Param", unsorted, u16("Flags"), u16("Sequence"), str("Name"));
    at(InterfaceImpl) = table("InterfaceImpl", 0, row("Class", TypeDef),
                              coded("Interface", C::TypeDefOrRef));
    at(MemberRef) = table("MemberRef", unsorted, coded("Class", C::MemberRefParent), str("Name"),
                          blob("Signature", B::member_ref_signature));
    at(Constant) = table("Constant", 2, u8("Type"), u8("Padding"),
                         coded("Parent", C::HasConstant), blob("Value", B::constant));
    at(CustomAttribute) = table("CustomAttribute", 0, coded("Parent", C::HasCustomAttribute),
                                coded("Type", C::CustomAttributeType),
                                blob("Value", B::custom_attribute));
    at(FieldMarshal) = table("FieldMarshal", 0, coded("Parent", C::HasFieldMarshal),
                             blob("NativeType", B::marshalling));
    at(DeclSecurity) = table("DeclSecurity", 1, u16("Action"), coded("Parent", C::HasDeclSecurity),
                             blob("PermissionSet", B::permission_set));
    at(ClassLayout) = table("ClassLayout", 2, u16("PackingSize"), u32("ClassSize"),
                            row("Parent", TypeDef));
    at(FieldLayout) = table("FieldLayout", 1, u32("Offset"), row("Field", Field));
    at(StandAloneSig) = table("StandAloneSig", unsorted, blob("Signature", B::stand_alone_signature));
    at(EventMap) = table("EventMap", unsorted, row("Parent", TypeDef), list("EventList", Event));
    at(EventPtr) = table("EventPtr", unsorted, row("Event", Event));
    at(Event) = table("Event", unsorted, u16("EventFlags"), str("Name"),
                      coded("EventType", C::TypeDefOrRef));
    at(PropertyMap) = table("PropertyMap", unsorted, row("Parent", TypeDef),
                            list("PropertyList", Property));
    at(PropertyPtr) = table("PropertyPtr", unsorted, row("Property", Property));
    at(Property) = table("Property", unsorted, u16("Flags"), str("Name"),
                         blob("Type", B::property_signature));
    at(MethodSemantics) = table("MethodSemantics", 2, u16("Semantics"), row("Method", MethodDef),
                                coded("Association", C::HasSemantics));
    at(MethodImpl) = table("MethodImpl", 0, row("Class", TypeDef),
                           coded("MethodBody", C::MethodDefOrRef),
                           coded("MethodDeclaration", C::MethodDefOrRef));
    at(ModuleRef) = table("ModuleRef", unsorted, str("Name"));
    at(TypeSpec) = table("TypeSpec", unsorted, blob("Signature", B::type_signature));
    at(ImplMap) = table("ImplMap", 1, u16("MappingFlags"), coded("MemberForwarded", C::MemberForwarded),
                        str("ImportName"), row("ImportScope", ModuleRef));
    at(FieldRVA) = table("FieldRVA", 1, rva("RVA"), row("Field", Field));
    at(EncLog) = table("EncLog", unsorted, u32("Token"), u32("FuncCode"));
    at(EncMap) = table("EncMap", unsorted, u32("Token"));
    at(Assembly) = table("Assembly", unsorted, u32("HashAlgId"), u16("MajorVersion"),
                         u16("MinorVersion"), u16("BuildNumber"), u16("RevisionNumber"),
                         u32("Flags"), blob("PublicKey", B::public_key), str("Name"), str("Culture"));
    at(AssemblyProcessor) = table("AssemblyProcessor", unsorted, u32("Processor"));
    at(AssemblyOS) = table("AssemblyOS", unsorted, u32("OSPlatformID"), u32("OSMajorVersion"),
                           u32("OSMinorVersion"));
    at(AssemblyRef) = table("AssemblyRef", unsorted, u16("MajorVersion"), u16("MinorVersion"),
                            u16("BuildNumber"), u16("RevisionNumber"), u32("Flags"),
                            blob("PublicKeyOrToken", B::public_key), str("Name"), str("Culture"),
                            blob("HashValue", B::hash));
    at(AssemblyRefProcessor) = table("AssemblyRefProcessor", unsorted, u32("Processor"),
                                     row("AssemblyRef", AssemblyRef));
    at(AssemblyRefOS) = table("AssemblyRefOS", unsorted, u32("OSPlatformID"), u32("OSMajorVersion"),
                              u32("OSMinorVersion"), row("AssemblyRef", AssemblyRef));
    at(File) = table("File", unsorted, u32("Flags"), str("Name"), blob("HashValue", B::hash));
    at(ExportedType) = table("ExportedType", unsorted, u32("Flags"), u32("TypeDefId"),
                             str("TypeName"), str("TypeNamespace"),
                             coded("Implementation", C::Implementation));
    at(ManifestResource) = table("ManifestResource", unsorted, u32("Offset"), u32("Flags"),
                                 str("Name"), coded("Implementation", C::Implementation));
    at(NestedClass) = table("NestedClass", 0, row("NestedClass", TypeDef),
                            row("EnclosingClass", TypeDef));
    at(GenericParam) = table("GenericParam", 2, u16("Number"), u16("Flags"),
                             coded("Owner", C::TypeOrMethodDef), str("Name"));
    at(MethodSpec) = table("MethodSpec", unsorted, coded("Method", C::MethodDefOrRef),
                           blob("Instantiation", B::method_spec));
    at(GenericParamConstraint) = table("GenericParamConstraint", 0, row("Owner", GenericParam),
                                       coded("Constraint", C::TypeDefOrRef));
    at(Document) = table("Document", unsorted, blob("Name", B::document_name),
                         guid("HashAlgorithm"), blob("Hash", B::hash), guid("Language"));
    at(MethodDebugInformation) = table("MethodDebugInformation", unsorted, row("Document", Document),
                                       blob("SequencePoints", B::sequence_points));
    at(LocalScope) = table("LocalScope", 0, row("Method", MethodDef), row("ImportScope", ImportScope),
                           list("VariableList", LocalVariable), list("ConstantList", LocalConstant),
                           u32("StartOffset"), u32("Length"));
    at(LocalVariable) = table("LocalVariable", unsorted, u16("Attributes"), u16("Index"), str("Name"));
    at(LocalConstant) = table("LocalConstant", unsorted, str("Name"),
                              blob("Signature", B::local_constant));
    at(ImportScope) = table("ImportScope", unsorted, row("Parent", ImportScope),
                            blob("Imports", B::imports));
    at(StateMachineMethod) = table("StateMachineMethod", 0, row("MoveNextMethod", MethodDef),
                                   row("KickoffMethod", MethodDef));
    at(CustomDebugInformation) = table("CustomDebugInformation", 0,
                                       coded("Parent", C::HasCustomDebugInformation), guid("Kind"),
                                       blob("Value", B::custom_debug_information));
    return t;
}

constexpr std::array<CodedSpec, coded_index_count> make_coded() {
    using enum Table;
    return {
        coded_index(2, TypeDef, TypeRef, TypeSpec),
        coded_index(2, Field, Param, Property),
        coded_index(5, MethodDef, Field, TypeRef, TypeDef, Param, InterfaceImpl, MemberRef, Module,
                    DeclSecurity, Property, Event, StandAloneSig, ModuleRef, TypeSpec, Assembly,
                    AssemblyRef, File, ExportedType, ManifestResource, GenericParam,
                    GenericParamConstraint, MethodSpec),
        coded_index(1, Field, Param),
        coded_index(2, TypeDef, MethodDef, Assembly),
        coded_index(3, TypeDef, TypeRef, ModuleRef, MethodDef, TypeSpec),
        coded_index(1, Event, Property),
        coded_index(1, MethodDef, MemberRef),
        coded_index(1, Field, MethodDef),
        coded_index(2, File, AssemblyRef, ExportedType),
        coded_index(3, none, none, MethodDef, MemberRef, none),
        coded_index(2, Module, ModuleRef, AssemblyRef, TypeRef),
        coded_index(1, TypeDef, MethodDef),
        coded_index(5, MethodDef, Field, TypeRef, TypeDef, Param, InterfaceImpl, MemberRef, Module,
                    DeclSecurity, Property, Event, StandAloneSig, ModuleRef, TypeSpec, Assembly,
                    AssemblyRef, File, ExportedType, ManifestResource, GenericParam,
                    GenericParamConstraint, MethodSpec, Document, LocalScope, LocalVariable,
                    LocalConstant, ImportScope),
    };
}
// clang-format on

}  // namespace schema_detail

namespace schema {

inline constexpr std::array<TableSpec, table_slots> tables = schema_detail::make_tables();
inline constexpr std::array<CodedSpec, coded_index_count> coded = schema_detail::make_coded();

/// GenericParam as version 1.1 of the table stream has it (CLR 2.0 betas).
inline constexpr TableSpec generic_param_v1_1 = schema_detail::table(
    "GenericParam", 2, schema_detail::u16("Number"), schema_detail::u16("Flags"),
    schema_detail::coded("Owner", CodedIndex::TypeOrMethodDef), schema_detail::str("Name"),
    schema_detail::coded("Kind", CodedIndex::TypeDefOrRef));

/// The description of a table; one without columns where the number means nothing.
constexpr const TableSpec& of(Table table) { return tables[static_cast<std::size_t>(table)]; }
constexpr const CodedSpec& of(CodedIndex index) { return coded[static_cast<std::size_t>(index)]; }
constexpr bool known(Table table) { return of(table).column_count != 0; }

}  // namespace schema

/// The token a raw coded index stands for: a row 0 of the table for a null one; nothing-token 0
/// when the tag is not used.
constexpr Token decode(CodedIndex kind, std::uint32_t raw) {
    const CodedSpec& spec = schema::of(kind);
    const std::uint32_t tag = raw & ((1U << spec.tag_bits) - 1U);
    if (tag >= spec.count || spec.tables[tag] == Table::none) return {};
    return Token{spec.tables[tag], raw >> spec.tag_bits};
}

/// The raw coded index of a token, or `bad_coded` when the kind has no tag for its table.
inline constexpr std::uint32_t bad_coded = 0xFFFFFFFF;
constexpr std::uint32_t encode(CodedIndex kind, Token token) {
    const CodedSpec& spec = schema::of(kind);
    for (std::uint32_t tag = 0; tag < spec.count; ++tag) {
        if (spec.tables[tag] == token.table()) return token.rid() << spec.tag_bits | tag;
    }
    return bad_coded;
}

}  // namespace clrkit
