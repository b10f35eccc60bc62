// Tables whose rows contradict each other: nesting, generics, layouts, data, resources, scopes. The
// number in front of a test's name is its row in docs/robustness.md; rows 1 to 26 are in tbl_test.cpp.
#include "support/catch.h"
#include "support/opened.h"

#include <clrkit/dotnet/metadata/indexes.h>

#include <ctime>

using namespace clrkit;
using namespace clrkit::test;

namespace {

using Rids = std::vector<std::uint32_t>;

constexpr std::uint32_t module_type = minimal_rows::module_type;
constexpr std::uint32_t program = minimal_rows::program;

std::uint32_t add_type(ImageSpec& image, std::uint32_t flags = 0x100000) {
    return image.metadata.tables.add(table::TypeDef,
                                     {flags, image.metadata.heaps.string("More"), 0, 0, 1, 2});
}

std::uint32_t add_field(ImageSpec& image, const Bytes& signature, std::uint32_t flags = 0x16) {
    return image.metadata.tables.add(table::Field, {flags, image.metadata.heaps.string("f"),
                                                    image.metadata.heaps.blob(signature)});
}

void nest(ImageSpec& image, std::uint32_t nested, std::uint32_t enclosing) {
    image.metadata.tables.add(table::NestedClass, {nested, enclosing});
}

Indexes indexes_of(const Opened& opened) {
    auto indexes = Indexes::build(opened.metadata);
    REQUIRE(indexes.has_value());
    return std::move(*indexes);
}

/// All rows of a table with a key, whatever their order.
Rids rows_with(const Opened& opened, Table table, unsigned column, std::uint32_t key) {
    const KeyIndex index(opened.metadata, table, column);
    const auto rows = index.rows(key);
    return {rows.begin(), rows.end()};
}

/// A column's stored values, from the first row to the last.
Rids column_of(const Opened& opened, Table table, unsigned column) {
    Rids out;
    for (std::uint32_t rid = 1; rid <= opened.metadata.rows(table); ++rid) {
        out.push_back(opened.metadata.cell(table, rid, column));
    }
    return out;
}

const Bytes int_field{0x06, 0x08};

}  // namespace

// ----------------------------------------------------------------------------------------- nesting

TEST_CASE("TBL-27 two NestedClass rows for one type: the first counts") {
    ImageSpec image = minimal();
    const std::uint32_t type = add_type(image);
    nest(image, type, program);
    nest(image, type, module_type);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(indexes_of(opened).encloser(type) == program);
}

TEST_CASE("TBL-27 types nested in themselves and in each other: shown as the rows say") {
    ImageSpec image = minimal();
    const std::uint32_t self = add_type(image);
    const std::uint32_t a = add_type(image);
    const std::uint32_t b = add_type(image);
    nest(image, self, self);
    nest(image, a, b);
    nest(image, b, a);
    const Opened opened = open(image);
    require_kept(opened);
    const Indexes indexes = indexes_of(opened);
    CHECK(indexes.encloser(self) == self);
    CHECK(indexes.encloser(a) == b);
    CHECK(indexes.encloser(b) == a);
    CHECK(indexes.type("Minimal", "Program") == program);
}

TEST_CASE("TBL-27 enclosing type 0 or out of range, nested type out of range: top-level types") {
    ImageSpec image = minimal();
    const std::uint32_t a = add_type(image);
    const std::uint32_t b = add_type(image);
    nest(image, a, 0);
    nest(image, b, 0x7FFF);
    nest(image, 0x7FFF, program);
    nest(image, 0, program);
    const Opened opened = open(image);
    require_kept(opened);
    const Indexes indexes = indexes_of(opened);
    CHECK(indexes.encloser(a) == 0);
    CHECK(indexes.encloser(b) == 0);
    CHECK(indexes.encloser(program) == 0);
    CHECK(indexes.encloser(0x7FFF) == 0);
}

TEST_CASE("TBL-27 an enclosing type behind its nested one: nested all the same") {
    ImageSpec image = minimal();
    const std::uint32_t nested = add_type(image);
    const std::uint32_t enclosing = add_type(image);
    nest(image, nested, enclosing);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(indexes_of(opened).encloser(nested) == enclosing);
}

TEST_CASE("TBL-28 nested visibility on a top-level type, and the reverse: the table decides") {
    ImageSpec image = minimal();
    const std::uint32_t says_nested = add_type(image, 0x100002);
    const std::uint32_t says_public = add_type(image, 0x100001);
    nest(image, says_public, program);
    const Opened opened = open(image);
    require_kept(opened);
    const Indexes indexes = indexes_of(opened);
    CHECK(indexes.encloser(says_nested) == 0);
    CHECK(indexes.encloser(says_public) == program);
}

TEST_CASE("TBL-29 NestedClass rows are found by the type's row, not by their own") {
    ImageSpec image = minimal();
    add_type(image);
    const std::uint32_t nested = add_type(image);
    nest(image, nested, program);
    const Opened opened = open(image);
    require_kept(opened);
    const Indexes indexes = indexes_of(opened);
    CHECK(indexes.encloser(1) == 0);
    CHECK(indexes.encloser(nested) == program);
    CHECK(opened.metadata.find(Table::NestedClass, nested).first == 1);
}

TEST_CASE("TBL-30 <Module> is nested, and encloses: shown as the rows say") {
    ImageSpec image = minimal();
    const std::uint32_t type = add_type(image);
    nest(image, module_type, program);
    nest(image, type, module_type);
    const Opened opened = open(image);
    require_kept(opened);
    const Indexes indexes = indexes_of(opened);
    CHECK(indexes.encloser(module_type) == program);
    CHECK(indexes.encloser(type) == module_type);
}

// ------------------------------------------------------------------- generics, interfaces, members

TEST_CASE("TBL-31 generic parameters of one owner in two blocks, numbers with gaps: all found") {
    ImageSpec image = minimal();
    const std::uint32_t name = image.metadata.heaps.string("T");
    const std::uint32_t type = coded("TypeOrMethodDef", table::TypeDef, program);
    const std::uint32_t method = coded("TypeOrMethodDef", table::MethodDef, 1);
    TablesSpec& tables = image.metadata.tables;
    tables.add(table::GenericParam, {5, 0, method, name});
    tables.add(table::GenericParam, {0, 0, type, name});
    tables.add(table::GenericParam, {0, 0, method, name});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(rows_with(opened, Table::GenericParam, col::GenericParam::Owner, method) == Rids{1, 3});
    CHECK(rows_with(opened, Table::GenericParam, col::GenericParam::Owner, type) == Rids{2});
}

TEST_CASE("TBL-32 constraints in no order, one of a parameter that is not there: all shown") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    const std::uint32_t object = coded("TypeDefOrRef", table::TypeRef, minimal_rows::object_ref);
    tables.add(table::GenericParam, {0, 0, coded("TypeOrMethodDef", table::TypeDef, program), 0});
    for (const std::uint32_t owner : {9U, 1U, 0U, 1U}) {
        tables.add(table::GenericParamConstraint, {owner, object});
    }
    const Opened opened = open(image);
    require_kept(opened);
    constexpr unsigned owner = col::GenericParamConstraint::Owner;
    CHECK(rows_with(opened, Table::GenericParamConstraint, owner, 1) == Rids{2, 4});
    CHECK(rows_with(opened, Table::GenericParamConstraint, owner, 9) == Rids{1});
}

TEST_CASE("TBL-33 interfaces in no order, one twice: the order is kept") {
    ImageSpec image = minimal();
    const std::uint32_t object = coded("TypeDefOrRef", table::TypeRef, minimal_rows::object_ref);
    const std::uint32_t console = coded("TypeDefOrRef", table::TypeRef, minimal_rows::console_ref);
    TablesSpec& tables = image.metadata.tables;
    tables.add(table::InterfaceImpl, {program, console});
    tables.add(table::InterfaceImpl, {module_type, object});
    tables.add(table::InterfaceImpl, {program, console});
    tables.add(table::InterfaceImpl, {program, object});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(rows_with(opened, Table::InterfaceImpl, col::InterfaceImpl::Class, program) ==
          Rids{1, 3, 4});
}

TEST_CASE("TBL-34 a MethodImpl whose body is a MemberRef, or no method at all: shown and kept") {
    ImageSpec image = minimal();
    const std::uint32_t reference = coded("MethodDefOrRef", table::MemberRef, 1);
    const std::uint32_t missing = coded("MethodDefOrRef", table::MethodDef, 77);
    image.metadata.tables.add(table::MethodImpl, {module_type, reference, missing});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.token(Table::MethodImpl, 1, col::MethodImpl::MethodBody) ==
          Token(Table::MemberRef, 1));
    const Token declaration =
        opened.metadata.token(Table::MethodImpl, 1, col::MethodImpl::MethodDeclaration);
    CHECK_FALSE(opened.metadata.tables().has(declaration));
}

TEST_CASE("TBL-35 method semantics of several kinds at once, of none, of a foreign method: kept") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    tables.add(table::Property, {0, image.metadata.heaps.string("P"), 0});
    tables.add(table::PropertyMap, {program, 1});
    const std::uint32_t property = coded("HasSemantics", table::Property, 1);
    for (const std::uint32_t kinds : {0x3FU, 0U, 0x8000U}) {
        tables.add(table::MethodSemantics, {kinds, 1, property});
    }
    tables.add(table::MethodSemantics, {2, 99, property});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(column_of(opened, Table::MethodSemantics, col::MethodSemantics::Semantics) ==
          Rids{0x3F, 0, 0x8000, 2});
    CHECK(opened.metadata.find(Table::MethodSemantics, property).size() == 4);
}

TEST_CASE("TBL-36 a property and an event without accessors and without a map: nobody owns them") {
    ImageSpec image = minimal();
    image.metadata.tables.add(table::Property, {0, image.metadata.heaps.string("P"), 0});
    image.metadata.tables.add(table::Event, {0, image.metadata.heaps.string("E"), 0});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.string(Table::Property, 1, col::Property::Name) == "P");
    CHECK(opened.metadata.string(Table::Event, 1, col::Event::Name) == "E");
    const Indexes indexes = indexes_of(opened);
    CHECK(indexes.owner(Token(Table::Property, 1)) == 0);
    CHECK(indexes.owner(Token(Table::Event, 1)) == 0);
}

// -------------------------------------------------------------------------------- layouts and data

TEST_CASE("TBL-37 several layouts of one type, data of one field: the one the runtime takes") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    const std::uint32_t field = add_field(image, int_field);
    for (std::uint32_t i = 1; i <= 3; ++i) {
        tables.add(table::ClassLayout, {0, i * 8, program});
        tables.add(table::FieldLayout, {i * 4, field});
        tables.add(table::FieldRVA, {image.area.add(Bytes(4, 1)), field});
    }
    const Opened opened = open(image);
    require_kept(opened);
    // The binary search meets the middle row first.
    CHECK(opened.metadata.pick(Table::ClassLayout, program) == 2);
    CHECK(opened.metadata.pick(Table::FieldLayout, field) == 2);
    CHECK(opened.metadata.pick(Table::FieldRVA, field) == 2);
    CHECK(opened.metadata.find(Table::FieldRVA, field).size() == 3);

    image.metadata.named("#~").name = bytes_of("#-");
    CHECK(open(image).metadata.pick(Table::FieldRVA, field) == 1);
}

TEST_CASE(
    "TBL-38 field data at RVA 0, outside, inside code, inside other data: opens and is kept") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    const std::uint32_t data = image.area.add(Bytes(64, 0xDA));
    const std::uint32_t code = tables.row(table::MethodDef, 1)[0];
    for (const std::uint32_t rva : {0U, 0x7FFF0000U, 0xFFFFFFFFU, code + 2, data, data + 30}) {
        tables.add(table::FieldRVA, {rva, add_field(image, int_field)});
    }
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(column_of(opened, Table::FieldRVA, col::FieldRVA::RVA).size() == 6);
    CHECK(opened.at(0x7FFF0000).empty());
    CHECK(opened.at(data + 30)[0] == 0xDA);
}

TEST_CASE("TBL-39 two constants of one field, of unknown type, of a short blob: bytes kept") {
    ImageSpec image = minimal();
    const std::uint32_t field = add_field(image, int_field);
    const std::uint32_t parent = coded("HasConstant", table::Field, field);
    const std::uint32_t blob = image.metadata.heaps.blob({0x12, 0x34});
    for (const std::uint32_t type : {0x08U, 0x12U, 0x00U, 0xFFU}) {
        image.metadata.tables.add(table::Constant, {type, 0x5A, parent, blob});
    }
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.find(Table::Constant, parent).size() == 4);
    CHECK(column_of(opened, Table::Constant, col::Constant::Type) == Rids{8, 0x12, 0, 0xFF});
    CHECK(opened.metadata.cell(Table::Constant, 1, col::Constant::Padding) == 0x5A);
    CHECK(opened.metadata.blob(Table::Constant, 1, col::Constant::Value).size() == 2);
}

TEST_CASE("TBL-40 a P/Invoke map without a module, without a name: opens") {
    ImageSpec image = minimal();
    const std::uint32_t method = coded("MemberForwarded", table::MethodDef, 1);
    image.metadata.tables.add(table::ImplMap, {0x100, method, 0, 0});
    image.metadata.tables.add(table::ImplMap, {0x100, method, 0x7FFF, 99});
    const Opened opened = open(image);
    require_kept(opened);
    const Metadata& metadata = opened.metadata;
    CHECK(metadata.string(Table::ImplMap, 1, col::ImplMap::ImportName).empty());
    CHECK(metadata.token(Table::ImplMap, 1, col::ImplMap::ImportScope) == Token{});
    CHECK_FALSE(
        metadata.tables().has(metadata.token(Table::ImplMap, 2, col::ImplMap::ImportScope)));
}

namespace {

/// The image with a block of managed resources (one of four bytes), and rows as given.
ImageSpec with_resources(std::initializer_list<Row> rows, std::optional<std::uint32_t> size = {}) {
    ImageSpec image = minimal();
    Bytes block = little_endian(4, 4);
    append(block, bytes_of("data"));
    const std::uint32_t rva = image.area.add(block);
    image.clr.resources = {rva, size.value_or(static_cast<std::uint32_t>(block.size()))};
    for (const Row& row : rows) image.metadata.tables.add(table::ManifestResource, row);
    return image;
}

}  // namespace

TEST_CASE(
    "TBL-41 manifest resources out of range, overlapping, of a foreign kind: opens, is kept") {
    const std::uint32_t exported = coded("Implementation", table::ExportedType, 1);
    const std::uint32_t bad_tag = 1 << 2 | 3;
    const Opened opened = open(with_resources({{0, 1, 1, 0},
                                               {0, 1, 1, 0},
                                               {2, 1, 1, 0},
                                               {0x7FFFFFFF, 1, 1, 0},
                                               {0xFFFFFFFF, 1, 1, 0},
                                               {0, 1, 1, exported},
                                               {0, 1, 1, bad_tag}}));
    require_kept(opened);
    CHECK(opened.metadata.token(Table::ManifestResource, 7,
                                col::ManifestResource::Implementation) == Token{});
}

TEST_CASE("TBL-42 the resources directory's size is 0 or too large: opens and is kept") {
    for (const std::uint32_t size : {0U, 3U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
        INFO("size " << size);
        require_kept(open(with_resources({{0, 1, 1, 0}}, size)));
    }
}

// -------------------------------------------------------------------------------- scopes and rest

TEST_CASE("TBL-43 TypeRef scopes that lead to themselves, round, or nowhere: shown as they stand") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    const std::uint32_t name = image.metadata.heaps.string("R");
    const auto scope = [](std::uint32_t rid) {
        return coded("ResolutionScope", table::TypeRef, rid);
    };
    tables.add(table::TypeRef, {scope(3), name, 0});  // 3: itself
    tables.add(table::TypeRef, {scope(5), name, 0});  // 4: round by 5
    tables.add(table::TypeRef, {scope(4), name, 0});
    tables.add(table::TypeRef, {0, name, 0});
    for (std::uint32_t rid = 7; rid < 5000; ++rid) {
        tables.add(table::TypeRef, {scope(rid - 1), name, 0});
    }
    const Opened opened = open(image);
    require_kept(opened);
    constexpr unsigned column = col::TypeRef::ResolutionScope;
    CHECK(opened.metadata.token(Table::TypeRef, 3, column) == Token(Table::TypeRef, 3));
    CHECK(opened.metadata.token(Table::TypeRef, 4, column) == Token(Table::TypeRef, 5));
    CHECK(opened.metadata.token(Table::TypeRef, 6, column).rid() == 0);
}

TEST_CASE("TBL-44 TypeRef scopes of the Module table, right and wrong row: shown as they stand") {
    ImageSpec image = minimal();
    const std::uint32_t name = image.metadata.heaps.string("Program");
    for (const std::uint32_t rid : {1U, 9U}) {
        image.metadata.tables.add(table::TypeRef,
                                  {coded("ResolutionScope", table::Module, rid), name, 0});
    }
    const Opened opened = open(image);
    require_kept(opened);
    const Token right = opened.metadata.token(Table::TypeRef, 3, col::TypeRef::ResolutionScope);
    const Token wrong = opened.metadata.token(Table::TypeRef, 4, col::TypeRef::ResolutionScope);
    CHECK(opened.metadata.tables().has(right));
    CHECK_FALSE(opened.metadata.tables().has(wrong));
}

TEST_CASE("TBL-45 abstract and P/Invoke methods with an RVA, a body in the headers: kept") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    const Row main = tables.row(table::MethodDef, 1);
    const auto add_method = [&](std::uint32_t rva, std::uint32_t impl, std::uint32_t flags) {
        tables.add(table::MethodDef, {rva, impl, flags, main[3], main[4], 1});
    };
    add_method(main[0], 0, 0x0446);       // abstract
    add_method(main[0], 0, 0x2016);       // P/Invoke
    add_method(main[0], 0x1000, 0x0016);  // internal call
    add_method(0x1F0, 0, 0x0016);         // in the headers' padding
    add_method(0x7FFF0000, 0, 0x0016);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->method(2).rva() == main[0]);
    CHECK(opened.at(0x1F0).size() == 0x10);
    CHECK(opened.at(opened.module->method(6).rva()).empty());
}

TEST_CASE("TBL-46 parameters out of order, twice, more than the method has: order kept") {
    ImageSpec image = minimal();
    const std::uint32_t name = image.metadata.heaps.string("p");
    for (const std::uint32_t sequence : {3U, 0U, 0U, 1U, 1U, 0xFFFFU}) {
        image.metadata.tables.add(table::Param, {0, sequence, name});
    }
    const Opened opened = open(image);
    require_kept(opened);
    Rids sequences;
    for (const Param param : opened.module->method(1).params())
        sequences.push_back(param.sequence());
    CHECK(sequences == Rids{3, 0, 0, 1, 1, 0xFFFF});
}

TEST_CASE("TBL-47 signatures nobody refers to, with blobs that are none: kept") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    tables.add(table::StandAloneSig, {0x7FFF});
    tables.add(table::StandAloneSig, {0});
    tables.add(table::MemberRef, {0, 0, 0xFFFF});
    tables.add(table::MethodSpec, {coded("MethodDefOrRef", table::MethodDef, 99), 0xFFFF});
    tables.add(table::TypeSpec, {0xFFFF});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.blob(Table::StandAloneSig, 1, 0).empty());
    CHECK(opened.metadata.rows(Table::MethodSpec) == 1);
}

TEST_CASE("TBL-48 exported types that contain each other, of no implementation, bad hints: kept") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    const std::uint32_t name = image.metadata.heaps.string("E");
    const auto inside = [](std::uint32_t rid) {
        return coded("Implementation", table::ExportedType, rid);
    };
    for (const std::uint32_t where :
         {inside(1), inside(3), inside(2), 0U, 1U << 2 | 3, inside(99)}) {
        tables.add(table::ExportedType, {0x200000, 0xFFFFFFFF, name, 0, where});
    }
    const Opened opened = open(image);
    require_kept(opened);
    constexpr unsigned column = col::ExportedType::Implementation;
    CHECK(opened.metadata.token(Table::ExportedType, 1, column) == Token(Table::ExportedType, 1));
    CHECK(opened.metadata.token(Table::ExportedType, 5, column) == Token{});
}

TEST_CASE("TBL-49 files and assembly references with odd flags, keys and versions: kept") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    tables.add(table::File, {0xFFFFFFFF, 0x7FFF, 0xFFFF});
    tables.add(table::AssemblyRef,
               {0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFF, 0, 0xFFFF, 0xFFFF});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.cell(Table::AssemblyRef, 2, col::AssemblyRef::MajorVersion) == 0xFFFF);
    CHECK(opened.metadata.blob(Table::AssemblyRef, 2, col::AssemblyRef::PublicKeyOrToken).empty());
}

TEST_CASE("TBL-50 security declarations in no order, two for one parent, empty blobs: kept") {
    ImageSpec image = minimal();
    const std::uint32_t type = coded("HasDeclSecurity", table::TypeDef, program);
    const std::uint32_t assembly = coded("HasDeclSecurity", table::Assembly, 1);
    for (const std::uint32_t parent : {assembly, type, assembly}) {
        image.metadata.tables.add(table::DeclSecurity, {8, parent, 0});
    }
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(rows_with(opened, Table::DeclSecurity, col::DeclSecurity::Parent, assembly) ==
          Rids{1, 3});
}

TEST_CASE("TBL-51 EncLog and EncMap rows: shown and kept") {
    for (const std::string_view name : {"#~", "#-"}) {
        ImageSpec image = minimal();
        image.metadata.named("#~").name = bytes_of(name);
        image.metadata.tables.add(table::EncLog, {0x02000002, 0});
        image.metadata.tables.add(table::EncMap, {0x02000002});
        const Opened opened = open(image);
        require_kept(opened);
        CHECK(opened.metadata.cell(Table::EncMap, 1, 0) == 0x02000002);
        CHECK(opened.metadata.cell(Table::EncLog, 1, 0) == 0x02000002);
    }
}

TEST_CASE("TBL-52 rows of the processor and operating system tables: shown and kept") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    tables.add(table::AssemblyProcessor, {0x14C});
    tables.add(table::AssemblyOS, {1, 2, 3});
    tables.add(table::AssemblyRefProcessor, {0x14C, 1});
    tables.add(table::AssemblyRefOS, {1, 2, 3, 99});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.cell(Table::AssemblyProcessor, 1, 0) == 0x14C);
    CHECK(opened.metadata.cell(Table::AssemblyRefOS, 1, 3) == 99);
}

TEST_CASE("TBL-53 lists that start at 1, N, 1, N, ...: the work stays linear") {
    // A walk per list would take 30 billion steps.
    constexpr std::uint32_t fields = 1'000'000;
    constexpr std::uint32_t types = 60'000;
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    tables.declared_rows[table::Field] = fields;
    tables.raw_rows[table::Field] = Bytes(std::size_t{fields} * 6);
    for (std::uint32_t i = 0; i < types; ++i) {
        tables.add(table::TypeDef, {0, 0, 0, 0, i % 2 == 0 ? 1 : fields, 2});
    }
    const Bytes file = build(image);
    const std::clock_t start = std::clock();
    const Opened opened = open(file);
    require_kept(opened);
    const Indexes indexes = indexes_of(opened);
    CHECK(opened.module->type(3).fields().size() == fields - 1);
    CHECK(indexes.owner(Token(Table::Field, fields - 1)) == 3);
    CHECK(indexes.owner(Token(Table::Field, fields)) == types + 2);
    CHECK((std::clock() - start) / CLOCKS_PER_SEC < 10);
}
