// Table streams whose header, row counts, indexes or lists are wrong. The number in front of a test's
// name is its row in docs/robustness.md; rows 27 and up are in tbl_rows_test.cpp.
#include "support/catch.h"
#include "support/opened.h"

#include <clrkit/dotnet/metadata/indexes.h>

using namespace clrkit;
using namespace clrkit::test;

namespace {

using Rids = std::vector<std::uint32_t>;

/// The image with its tables in a #- stream.
ImageSpec uncompressed() {
    ImageSpec image = minimal();
    image.metadata.named("#~").name = bytes_of("#-");
    return image;
}

/// Adds `count` fields named f without a signature.
void add_fields(ImageSpec& image, int count) {
    const std::uint32_t name = image.metadata.heaps.string("f");
    for (int i = 0; i < count; ++i) image.metadata.tables.add(table::Field, {0x16, name, 0});
}

std::uint32_t add_type(ImageSpec& image, std::uint32_t field_list, std::uint32_t method_list = 2) {
    const std::uint32_t name = image.metadata.heaps.string("More");
    return image.metadata.tables.add(table::TypeDef,
                                     {0x100000, name, 0, 0, field_list, method_list});
}

void set_field_list(ImageSpec& image, std::uint32_t type, std::uint32_t start) {
    image.metadata.tables.row(table::TypeDef, type)[4] = start;
}

template <class Range>
Rids rids(const Range& range) {
    Rids out;
    for (const auto handle : range) out.push_back(handle.rid);
    return out;
}

Rids fields_of(const Opened& opened, std::uint32_t type) {
    return rids(opened.module->type(type).fields());
}

void add_attribute(ImageSpec& image, std::uint32_t raw_parent) {
    image.metadata.tables.add(
        table::CustomAttribute,
        {raw_parent, coded("CustomAttributeType", table::MemberRef, minimal_rows::write_line), 0});
}

Rids attributes_with(const Opened& opened, std::uint32_t raw_parent) {
    const KeyIndex index(opened.metadata, Table::CustomAttribute, col::CustomAttribute::Parent);
    const auto rows = index.rows(raw_parent);
    return {rows.begin(), rows.end()};
}

constexpr std::uint32_t program = minimal_rows::program;

}  // namespace

// ------------------------------------------------------------------------------------ the header

TEST_CASE("TBL-01 four extra bytes behind the row counts: skipped and kept") {
    ImageSpec image = minimal();
    image.metadata.tables.extra_data = 0xDEADBEEF;
    require_kept(open(image));
}

TEST_CASE("TBL-02 the heap-size bits say wide where the heaps are small: followed") {
    for (std::uint8_t bits = 1; bits < 8; ++bits) {
        ImageSpec image = minimal();
        image.metadata.tables.heap_sizes = bits;
        require_kept(open(image));
    }
}

TEST_CASE("TBL-02 the heap-size bits say narrow where the heaps are large: followed") {
    ImageSpec image = minimal();
    image.metadata.heaps.strings.resize(0x20000);
    image.metadata.heaps.blobs.resize(0x20000);
    require_kept(open(image));
}

TEST_CASE("TBL-03 the padding, delta and has-delete bits of the heap sizes: shown and kept") {
    ImageSpec image = minimal();
    image.metadata.tables.heap_sizes = 0x08 | 0x20 | 0x80;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.tables().header().heap_sizes == 0xA8);
}

TEST_CASE("TBL-04 rows of a table nobody knows: reported, the known tables shown") {
    for (const int unknown : {0x2D, 0x2E, 0x2F, 0x38, 0x3F}) {
        INFO("table " << unknown);
        ImageSpec image = minimal();
        image.metadata.tables.declared_rows[unknown] = 3;
        image.metadata.tables.raw_rows[unknown] = Bytes(24, 0xEE);
        const Opened opened = open(image);
        require_kept(opened);
        CHECK(opened.reported_at(ErrorCode::table_unknown) == image.tables_offset());
    }
}

TEST_CASE("TBL-05 a row count with its high byte set: clamped to the bytes there are") {
    ImageSpec image = minimal();
    image.metadata.tables.declared_rows[table::AssemblyRef] = 0x05000001;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.rows(Table::AssemblyRef) < 100);
    CHECK(opened.metadata.string(Table::AssemblyRef, 1, col::AssemblyRef::Name) == "mscorlib");
    const TablesSpec& tables = image.metadata.tables;
    CHECK(opened.reported_at(ErrorCode::table_clamped) ==
          image.tables_offset() + tables.table_offset(table::AssemblyRef));
}

TEST_CASE("TBL-06 a huge row count in a small file: clamped, widths follow what is declared") {
    ImageSpec image = minimal();
    image.metadata.tables.declared_rows[table::MethodDef] = 0x00FFFFFF;
    const Opened opened = open(image);
    require_opened(opened);
    CHECK(opened.metadata.rows(Table::MethodDef) < 100);
    CHECK(opened.metadata.tables().layout(Table::MethodDef).declared == 0x00FFFFFF);
    CHECK(opened.metadata.tables().column(Table::TypeDef, col::TypeDef::MethodList).width() == 4);
    CHECK(opened.module->type(program).name() == "Program");
    CHECK(opened.module->method(1).name() == "Main");
    walk(opened);
}

TEST_CASE("TBL-07 the tables would take more than 4 GiB: refused, the stream's place named") {
    ImageSpec image = minimal();
    image.metadata.tables.declared_rows[table::TypeDef] = 0xFFFFFFFF;
    check_refused(open(image), Stage::tables, ErrorCode::table_too_large, image.tables_offset());
}

TEST_CASE("TBL-07 a product of row count and row size that wraps 32 bits to little: refused") {
    ImageSpec image = minimal();
    // MethodDef rows have 14 bytes here: 14 * 0x12492493 is 2 more than 4 GiB.
    image.metadata.tables.declared_rows[table::MethodDef] = 0x12492493;
    image.metadata.tables.widths[{table::MethodDef, 5}] = 2;
    const Opened opened = open(image);
    REQUIRE(opened.error.has_value());
    CHECK(opened.error->code == ErrorCode::table_too_large);
}

TEST_CASE("TBL-08 tables of version 1.1: a generic parameter has a fifth column") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    tables.major_version = 1;
    tables.minor_version = 1;
    const std::uint32_t name = image.metadata.heaps.string("T");
    Bytes row;
    for (const std::uint32_t cell :
         {0U, 0U, coded("TypeOrMethodDef", table::TypeDef, program), name, 0x0DU}) {
        append(row, little_endian(cell, 2));
    }
    tables.declared_rows[table::GenericParam] = 1;
    tables.raw_rows[table::GenericParam] = row;
    tables.add(table::MethodSpec, {coded("MethodDefOrRef", table::MethodDef, 1), 0x77});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.string(Table::GenericParam, 1, col::GenericParam::Name) == "T");
    CHECK(opened.metadata.cell(Table::GenericParam, 1, 4) == 0x0D);
    CHECK(opened.metadata.cell(Table::MethodSpec, 1, col::MethodSpec::Instantiation) == 0x77);
}

TEST_CASE("TBL-08 tables of version 1.0 or one to come: opens") {
    for (const int major : {1, 3, 0xFF}) {
        ImageSpec image = minimal();
        image.metadata.tables.major_version = static_cast<std::uint8_t>(major);
        require_kept(open(image));
    }
}

// ---------------------------------------------------------------------------------- sorted or not

TEST_CASE(
    "TBL-09 said to be sorted and not: the runtime's search and the full scan are both there") {
    ImageSpec image = minimal();
    image.metadata.tables.sorted = ~std::uint64_t{0};
    for (const std::uint32_t parent : {0x65U, 0x25U, 0x45U}) add_attribute(image, parent);
    const Opened opened = open(image);
    require_kept(opened);
    const auto found = [&](std::uint32_t key) {
        const RowRange range = opened.metadata.find(Table::CustomAttribute, key);
        return range.empty() ? 0 : range.first;
    };
    CHECK(found(0x25) == 2);
    CHECK(found(0x45) == 3);
    CHECK(found(0x65) == 0);  // as the runtime misses it
    CHECK(attributes_with(opened, 0x65) == Rids{1});
}

TEST_CASE("TBL-10 sorted and not said to be: #~ is searched as ever, #- is scanned") {
    for (const bool compressed : {true, false}) {
        ImageSpec image = compressed ? minimal() : uncompressed();
        image.metadata.tables.sorted = 0;
        for (const std::uint32_t parent : {0x25U, 0x45U, 0x45U, 0x65U}) {
            add_attribute(image, parent);
        }
        const Opened opened = open(image);
        require_kept(opened);
        const RowRange range = opened.metadata.find(Table::CustomAttribute, 0x45);
        CHECK(range.first == 2);
        CHECK(range.end == 4);
    }
}

TEST_CASE("TBL-11 custom attributes in no order: the index has every one, in table order") {
    ImageSpec image = minimal();
    const std::uint32_t parent = coded("HasCustomAttribute", table::TypeDef, program);
    const std::uint32_t other = coded("HasCustomAttribute", table::MethodDef, 1);
    for (const std::uint32_t key : {parent, other, parent, 0U, parent}) add_attribute(image, key);
    const Opened opened = open(image);
    require_kept(opened);
    const auto indexes = Indexes::build(opened.metadata);
    REQUIRE(indexes.has_value());
    const auto rows = indexes->attribute_rows(Token(Table::TypeDef, program));
    CHECK(Rids(rows.begin(), rows.end()) == Rids{1, 3, 5});
}

// -------------------------------------------------------------------------- what is there, and how

TEST_CASE("TBL-12 a table is declared with 0 rows: opens") {
    ImageSpec image = minimal();
    image.metadata.tables.declared_rows[table::Event] = 0;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.rows(Table::Event) == 0);
}

TEST_CASE("TBL-12 a table is not declared and its rows stand there: it has none") {
    ImageSpec image = minimal();
    std::uint64_t valid = 0;
    for (const auto& [id, rows] : image.metadata.tables.rows) valid |= std::uint64_t{1} << id;
    image.metadata.tables.valid = valid & ~(std::uint64_t{1} << table::AssemblyRef);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.rows(Table::AssemblyRef) == 0);
    CHECK(opened.metadata.rows(Table::Assembly) == 1);
}

TEST_CASE("TBL-13 two Module rows: the first counts") {
    ImageSpec image = minimal();
    image.metadata.tables.add(table::Module, {0, image.metadata.heaps.string("second"), 0, 0, 0});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->name() == "minimal.exe");
}

TEST_CASE("TBL-13 no Module row: no name, no MVID") {
    ImageSpec image = minimal();
    image.metadata.tables.rows.erase(table::Module);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->name().empty());
    CHECK_FALSE(opened.module->mvid().has_value());
}

TEST_CASE("TBL-14 two Assembly rows: the first counts, the second is kept") {
    ImageSpec image = minimal();
    image.metadata.tables.add(table::Assembly, {0, 9, 9, 9, 9, 0, 0, 0, 0});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->assembly_name() == "minimal");
    CHECK(opened.module->assembly_version() == Version{1, 0, 0, 0});
    CHECK(opened.metadata.cell(Table::Assembly, 2, col::Assembly::MajorVersion) == 9);
}

TEST_CASE("TBL-15 the Module row's generation and EnC ids are set: shown and kept") {
    ImageSpec image = minimal();
    Row& row = image.metadata.tables.row(table::Module, 1);
    row[0] = 7;
    row[3] = 1;
    row[4] = 0xFFFF;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.cell(Table::Module, 1, col::Module::Generation) == 7);
    CHECK(opened.metadata.cell(Table::Module, 1, col::Module::EncId) == 1);
    CHECK(opened.metadata.cell(Table::Module, 1, col::Module::EncBaseId) == 0xFFFF);
}

TEST_CASE("TBL-16 a coded index has a tag that means nothing: no token, the raw value shown") {
    ImageSpec image = minimal();
    add_attribute(image, 2 << 5 | 31);
    image.metadata.tables.row(table::CustomAttribute, 1)[1] = 1 << 3 | 0;  // tag 0 is not used
    image.metadata.tables.row(table::TypeDef, minimal_rows::module_type)[3] = 1 << 2 | 3;
    const Opened opened = open(image);
    require_kept(opened);
    const Metadata& metadata = opened.metadata;
    CHECK(metadata.token(Table::CustomAttribute, 1, col::CustomAttribute::Parent) == Token{});
    CHECK(metadata.token(Table::CustomAttribute, 1, col::CustomAttribute::Type) == Token{});
    CHECK(metadata.token(Table::TypeDef, 1, col::TypeDef::Extends) == Token{});
    CHECK(metadata.cell(Table::CustomAttribute, 1, col::CustomAttribute::Parent) == 0x5F);
}

TEST_CASE("TBL-17 an index points past its table: its token names no row") {
    ImageSpec image = minimal();
    image.metadata.tables.row(table::TypeRef, 1)[0] = coded("ResolutionScope", table::TypeRef, 99);
    image.metadata.tables.row(table::TypeDef, program)[3] =
        coded("TypeDefOrRef", table::TypeRef, 0x3FFF);
    const Opened opened = open(image);
    require_kept(opened);
    const Token base = opened.module->type(program).extends();
    CHECK(base == Token(Table::TypeRef, 0x3FFF));
    CHECK_FALSE(opened.metadata.tables().has(base));
    CHECK(opened.metadata.string(Table::TypeRef, base.rid(), col::TypeRef::TypeName).empty());
}

// ------------------------------------------------------------------------------------------ lists

TEST_CASE("TBL-18 a list starts at row 0: empty") {
    ImageSpec image = minimal();
    add_fields(image, 3);
    set_field_list(image, minimal_rows::module_type, 0);
    set_field_list(image, program, 0);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(fields_of(opened, minimal_rows::module_type).empty());
    CHECK(fields_of(opened, program).empty());
}

TEST_CASE("TBL-19 a list starts past its table: empty, and the one before it is clamped") {
    ImageSpec image = minimal();
    add_fields(image, 3);
    set_field_list(image, program, 2);
    const std::uint32_t type = add_type(image, 0x7FFF);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(fields_of(opened, program) == Rids{2, 3});
    CHECK(fields_of(opened, type).empty());
}

TEST_CASE("TBL-20 a list starts before the one in front of it: that one is empty") {
    ImageSpec image = minimal();
    add_fields(image, 3);
    set_field_list(image, program, 3);
    const std::uint32_t type = add_type(image, 1);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(fields_of(opened, program).empty());
    CHECK(fields_of(opened, type) == Rids{1, 2, 3});
}

TEST_CASE("TBL-21 two types list the same members: both show them, the first owns them") {
    ImageSpec image = minimal();
    add_fields(image, 3);
    set_field_list(image, minimal_rows::module_type, 1);
    set_field_list(image, program, 4);
    const std::uint32_t type = add_type(image, 2);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(fields_of(opened, minimal_rows::module_type) == Rids{1, 2, 3});
    CHECK(fields_of(opened, type) == Rids{2, 3});
    const auto indexes = Indexes::build(opened.metadata);
    REQUIRE(indexes.has_value());
    CHECK(indexes->owner(Token(Table::Field, 2)) == minimal_rows::module_type);
}

namespace {

/// Exactly as many fields as a two-byte column cannot point behind.
ImageSpec with_65535_fields() {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    tables.declared_rows[table::Field] = 0xFFFF;
    tables.raw_rows[table::Field] = Bytes(std::size_t{0xFFFF} * 6);
    return image;
}

}  // namespace

TEST_CASE("TBL-22 65535 fields and a list that ends behind them: its end wraps to 0") {
    ImageSpec image = with_65535_fields();
    const std::uint32_t type = add_type(image, 0);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->type(program).fields().size() == 0xFFFF);
    CHECK(opened.module->type(type).fields().empty());
}

TEST_CASE("TBL-22 65535 fields and several empty lists behind them: each starts at 0") {
    ImageSpec image = with_65535_fields();
    const std::uint32_t half = add_type(image, 0x8000);
    const std::uint32_t first = add_type(image, 0);
    const std::uint32_t second = add_type(image, 0);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->type(program).fields().size() == 0x7FFF);
    CHECK(opened.module->type(half).fields().size() == 0x8000);
    CHECK(opened.module->type(first).fields().empty());
    CHECK(opened.module->type(second).fields().empty());
    const auto indexes = Indexes::build(opened.metadata);
    REQUIRE(indexes.has_value());
    CHECK(indexes->owner(Token(Table::Field, 0xFFFF)) == half);
}

TEST_CASE("TBL-22 65535 fields and a first list that starts at 0: empty") {
    ImageSpec image = with_65535_fields();
    set_field_list(image, minimal_rows::module_type, 0);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->type(minimal_rows::module_type).fields().empty());
    CHECK(opened.module->type(program).fields().size() == 0xFFFF);
}

TEST_CASE("TBL-22 65534 fields and a list that starts at 0: no wrap, empty") {
    ImageSpec image = with_65535_fields();
    image.metadata.tables.declared_rows[table::Field] = 0xFFFE;
    image.metadata.tables.raw_rows[table::Field] = Bytes(std::size_t{0xFFFE} * 6);
    const std::uint32_t type = add_type(image, 0);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->type(program).fields().empty());
    CHECK(opened.module->type(type).fields().empty());
}

TEST_CASE(
    "TBL-23 PropertyMap and EventMap in no order, two rows for one type: each row's list shown") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    const std::uint32_t type = add_type(image, 1);
    for (int i = 0; i < 4; ++i) {
        tables.add(table::Property, {0, image.metadata.heaps.string("p"), 0});
        tables.add(table::Event, {0, image.metadata.heaps.string("e"), 0});
    }
    for (const auto map : {table::PropertyMap, table::EventMap}) {
        tables.add(map, {type, 1});
        tables.add(map, {program, 2});
        tables.add(map, {type, 4});
    }
    const Opened opened = open(image);
    require_kept(opened);
    const auto indexes = Indexes::build(opened.metadata);
    REQUIRE(indexes.has_value());
    for (const Table map : {Table::PropertyMap, Table::EventMap}) {
        CHECK(opened.metadata.list(map, 2, col::PropertyMap::PropertyList).size() == 2);
        const Table member = map == Table::PropertyMap ? Table::Property : Table::Event;
        CHECK(indexes->owner(Token(member, 1)) == type);
        CHECK(indexes->owner(Token(member, 3)) == program);
        CHECK(indexes->owner(Token(member, 4)) == type);
    }
}

// --------------------------------------------------------------------- pointer tables and deletion

TEST_CASE("TBL-24 pointer tables in #-: lists go through them") {
    ImageSpec image = uncompressed();
    add_fields(image, 3);
    for (const std::uint32_t field : {3U, 1U, 2U}) {
        image.metadata.tables.add(table::FieldPtr, {field});
    }
    set_field_list(image, program, 1);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(fields_of(opened, program) == Rids{3, 1, 2});
}

TEST_CASE("TBL-24 a pointer out of range in #-: leads to no row, the others hold") {
    ImageSpec image = uncompressed();
    add_fields(image, 2);
    for (const std::uint32_t field : {2U, 3U, 0U, 0xFFFFU, 1U}) {
        image.metadata.tables.add(table::FieldPtr, {field});
    }
    set_field_list(image, program, 1);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(fields_of(opened, program) == Rids{2, 0, 0, 0, 1});
    for (const Field field : opened.module->type(program).fields()) {
        CHECK(field.name() == (field.rid == 0 ? "" : "f"));
    }
    const auto indexes = Indexes::build(opened.metadata);
    REQUIRE(indexes.has_value());
    CHECK(indexes->owner(Token(Table::Field, 1)) == program);
}

TEST_CASE("TBL-25 Param-, Event- and PropertyPtr and EncMap in #~: ignored") {
    for (const auto id : {table::ParamPtr, table::EventPtr, table::PropertyPtr, table::EncMap}) {
        INFO("table " << int{id});
        ImageSpec image = minimal();
        image.metadata.tables.add(id, {0x7F});
        const Opened opened = open(image);
        require_kept(opened);
        CHECK_FALSE(opened.reported(ErrorCode::refused_by_runtime));
    }
}

TEST_CASE("TBL-25 FieldPtr and MethodPtr in #~: ignored, reported as refused by the runtime") {
    for (const auto id : {table::FieldPtr, table::MethodPtr}) {
        INFO("table " << int{id});
        ImageSpec image = minimal();
        add_fields(image, 1);
        image.metadata.tables.add(id, {0x7F});
        const Opened opened = open(image);
        require_kept(opened);
        CHECK(rids(opened.module->type(program).methods()) == Rids{1});
        CHECK(fields_of(opened, program) == Rids{1});
        CHECK(opened.reported_at(ErrorCode::refused_by_runtime) == image.tables_offset());
    }
}

TEST_CASE("TBL-26 rows marked _Deleted in #-: shown as rows, and kept") {
    ImageSpec image = uncompressed();
    image.metadata.tables.heap_sizes = 0x80;
    const std::uint32_t name = image.metadata.heaps.string("_Deleted");
    image.metadata.tables.add(table::Field, {0x0600, name, 0});
    const std::uint32_t type = add_type(image, 1);
    image.metadata.tables.row(table::TypeDef, type)[1] = name;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->type(type).name() == "_Deleted");
    CHECK(fields_of(opened, type) == Rids{1});
}
