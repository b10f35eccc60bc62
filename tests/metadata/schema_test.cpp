// The schema against itself, and against the tests' own table of columns.
#include "support/catch.h"
#include "support/image_builder.h"

#include <clrkit/dotnet/metadata/schema.h>
#include <clrkit/dotnet/metadata/tables.h>

#include <string>

using namespace clrkit;

TEST_CASE("Column constants name the columns that the schema has at their place") {
    const auto named = [](Table table, unsigned column) {
        return std::string(schema::of(table).columns[column].name);
    };
    CHECK(named(Table::Module, col::Module::Mvid) == "Mvid");
    CHECK(named(Table::Module, col::Module::EncBaseId) == "EncBaseId");
    CHECK(named(Table::TypeRef, col::TypeRef::TypeNamespace) == "TypeNamespace");
    CHECK(named(Table::TypeDef, col::TypeDef::Extends) == "Extends");
    CHECK(named(Table::TypeDef, col::TypeDef::MethodList) == "MethodList");
    CHECK(named(Table::Field, col::Field::Signature) == "Signature");
    CHECK(named(Table::MethodDef, col::MethodDef::RVA) == "RVA");
    CHECK(named(Table::MethodDef, col::MethodDef::ParamList) == "ParamList");
    CHECK(named(Table::Param, col::Param::Name) == "Name");
    CHECK(named(Table::InterfaceImpl, col::InterfaceImpl::Interface) == "Interface");
    CHECK(named(Table::MemberRef, col::MemberRef::Signature) == "Signature");
    CHECK(named(Table::Constant, col::Constant::Value) == "Value");
    CHECK(named(Table::CustomAttribute, col::CustomAttribute::Value) == "Value");
    CHECK(named(Table::FieldMarshal, col::FieldMarshal::NativeType) == "NativeType");
    CHECK(named(Table::DeclSecurity, col::DeclSecurity::PermissionSet) == "PermissionSet");
    CHECK(named(Table::ClassLayout, col::ClassLayout::Parent) == "Parent");
    CHECK(named(Table::FieldLayout, col::FieldLayout::Field) == "Field");
    CHECK(named(Table::StandAloneSig, col::StandAloneSig::Signature) == "Signature");
    CHECK(named(Table::EventMap, col::EventMap::EventList) == "EventList");
    CHECK(named(Table::Event, col::Event::EventType) == "EventType");
    CHECK(named(Table::PropertyMap, col::PropertyMap::PropertyList) == "PropertyList");
    CHECK(named(Table::Property, col::Property::Type) == "Type");
    CHECK(named(Table::MethodSemantics, col::MethodSemantics::Association) == "Association");
    CHECK(named(Table::MethodImpl, col::MethodImpl::MethodDeclaration) == "MethodDeclaration");
    CHECK(named(Table::ModuleRef, col::ModuleRef::Name) == "Name");
    CHECK(named(Table::TypeSpec, col::TypeSpec::Signature) == "Signature");
    CHECK(named(Table::ImplMap, col::ImplMap::ImportScope) == "ImportScope");
    CHECK(named(Table::FieldRVA, col::FieldRVA::Field) == "Field");
    CHECK(named(Table::Assembly, col::Assembly::Culture) == "Culture");
    CHECK(named(Table::AssemblyRef, col::AssemblyRef::HashValue) == "HashValue");
    CHECK(named(Table::File, col::File::HashValue) == "HashValue");
    CHECK(named(Table::ExportedType, col::ExportedType::Implementation) == "Implementation");
    CHECK(named(Table::ManifestResource, col::ManifestResource::Implementation) ==
          "Implementation");
    CHECK(named(Table::NestedClass, col::NestedClass::EnclosingClass) == "EnclosingClass");
    CHECK(named(Table::GenericParam, col::GenericParam::Name) == "Name");
    CHECK(named(Table::MethodSpec, col::MethodSpec::Instantiation) == "Instantiation");
    CHECK(named(Table::GenericParamConstraint, col::GenericParamConstraint::Constraint) ==
          "Constraint");
}

TEST_CASE("Row sizes agree with an independent table of columns, for small and large counts") {
    for (const std::uint32_t count : {1U, 0xFFFFU, 0x10000U}) {
        test::TablesSpec spec;
        for (int table = 0; table < 64; ++table) {
            if (schema::known(static_cast<Table>(table))) spec.declared_rows[table] = count;
        }
        const test::Bytes stream = spec.encode();
        Tables tables;
        REQUIRE(tables.parse(stream, {}));
        for (int table = 0; table < 64; ++table) {
            const auto which = static_cast<Table>(table);
            if (!schema::known(which)) continue;
            INFO(schema::of(which).name << " with " << count << " rows");
            CHECK(tables.layout(which).row_size == spec.row_size(table));
        }
    }
}

TEST_CASE("A coded index takes two bytes up to 2^(16 - tag bits) - 1 rows, four from there on") {
    // HasCustomAttribute has five tag bits, ResolutionScope two.
    struct Limit {
        test::table::Id referenced;
        test::table::Id holder;
        unsigned column;
        std::uint32_t first_wide;
    };
    const Limit limits[] = {{test::table::MethodDef, test::table::CustomAttribute, 0, 1U << 11U},
                            {test::table::ModuleRef, test::table::TypeRef, 0, 1U << 14U},
                            {test::table::Event, test::table::MethodSemantics, 2, 1U << 15U}};
    for (const Limit& limit : limits) {
        for (const int step : {-1, 0, 1}) {
            test::TablesSpec spec;
            spec.declared_rows[limit.holder] = 1;
            const std::uint32_t rows = limit.first_wide + static_cast<std::uint32_t>(step);
            spec.declared_rows[limit.referenced] = rows;
            const test::Bytes stream = spec.encode();
            Tables tables;
            REQUIRE(tables.parse(stream, {}));
            INFO(rows << " rows");
            CHECK(tables.layout(static_cast<Table>(limit.holder)).columns[limit.column].width ==
                  (step < 0 ? 2 : 4));
        }
    }
}

TEST_CASE("Encoding a coded index and decoding it gives the token back, for every tag") {
    for (std::size_t i = 0; i < coded_index_count; ++i) {
        const auto kind = static_cast<CodedIndex>(i);
        for (const Table table : schema::of(kind).all_tables()) {
            if (table == Table::none) continue;
            const Token token(table, 0x1234);
            CHECK(decode(kind, encode(kind, token)) == token);
        }
    }
    CHECK(encode(CodedIndex::HasSemantics, Token(Table::TypeDef, 1)) == bad_coded);
    CHECK(decode(CodedIndex::CustomAttributeType, 0x10) == Token{});
}

TEST_CASE("HasCustomAttribute tags are 19 GenericParam, 20 GenericParamConstraint, 21 MethodSpec") {
    CHECK(decode(CodedIndex::HasCustomAttribute, 1U << 5U | 19U).table() == Table::GenericParam);
    CHECK(decode(CodedIndex::HasCustomAttribute, 1U << 5U | 20U).table() ==
          Table::GenericParamConstraint);
    CHECK(decode(CodedIndex::HasCustomAttribute, 1U << 5U | 21U).table() == Table::MethodSpec);
    CHECK(decode(CodedIndex::HasCustomAttribute, 1U << 5U | 22U) == Token{});
}
