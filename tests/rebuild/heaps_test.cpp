// What rebuilding does to heaps, bodies and rows, on images built here.
#include "support/catch.h"
#include "support/opened.h"
#include "support/rebuilt.h"

#include <algorithm>

using namespace clrkit;
namespace rows = clrkit::test::table;

namespace {

/// The image rebuilt and opened again; the bytes stay in it.
test::Opened rebuilt_and_opened(const test::ImageSpec& spec) {
    const test::Opened before = test::open(spec);
    REQUIRE(before.module);
    Writer writer;
    return test::open(test::rebuilt(writer, *before.module));
}

bool holds(ByteSpan heap, std::string_view text) {
    return std::string_view(reinterpret_cast<const char*>(heap.data()), heap.size()).find(text) !=
           std::string_view::npos;
}

}  // namespace

TEST_CASE("Names that another one ends with share its bytes; unreferenced names go") {
    test::ImageSpec spec = test::minimal();
    auto& heaps = spec.metadata.heaps;
    heaps.string("nobody refers to this");
    for (const char* name : {"ReadLine", "Line", "ine", "ReadLine"}) {
        // Each entry of its own, also where the same text stands there already.
        const auto offset = static_cast<std::uint32_t>(heaps.strings.size());
        test::append(heaps.strings, test::bytes_of(std::string(name) + '\0'));
        spec.metadata.tables.add(rows::ModuleRef, {offset});
    }
    const test::Opened after = rebuilt_and_opened(spec);
    REQUIRE(after.module);
    test::check_minimal(after);
    const Metadata& metadata = after.module->metadata();
    const auto offset = [&](std::uint32_t rid) { return metadata.cell(Table::ModuleRef, rid, 0); };
    CHECK(metadata.string(Table::ModuleRef, 1, 0) == "ReadLine");
    CHECK(metadata.string(Table::ModuleRef, 2, 0) == "Line");
    CHECK(offset(2) == offset(1) + 4);
    CHECK(offset(3) == offset(1) + 5);
    CHECK(offset(4) == offset(1));
    CHECK_FALSE(holds(metadata.strings().bytes(), "nobody"));
}

TEST_CASE("Names that are not UTF-8, and one that the heap ends in, keep their bytes") {
    test::ImageSpec spec = test::minimal();
    auto& heaps = spec.metadata.heaps;
    const std::uint32_t odd = heaps.string("\xFF\xFE\x01");
    const auto last = static_cast<std::uint32_t>(heaps.strings.size());
    test::append(heaps.strings, test::bytes_of("open"));  // no NUL
    spec.metadata.tables.add(rows::ModuleRef, {odd});
    spec.metadata.tables.add(rows::ModuleRef, {last});
    auto& stream = spec.metadata.named("#Strings");
    stream.padding_counts = false;
    const test::Opened after = rebuilt_and_opened(spec);
    REQUIRE(after.module);
    const Metadata& metadata = after.module->metadata();
    CHECK(metadata.string(Table::ModuleRef, 1, 0) == "\xFF\xFE\x01");
    CHECK(metadata.string(Table::ModuleRef, 2, 0) == "open");
}

TEST_CASE("Equal blobs become one, with the shortest form of their length") {
    test::ImageSpec spec = test::minimal();
    auto& heaps = spec.metadata.heaps;
    const auto add = [&](const test::Bytes& entry) {
        const auto offset = static_cast<std::uint32_t>(heaps.blobs.size());
        test::append(heaps.blobs, entry);
        return offset;
    };
    for (const test::Bytes& entry : {test::Bytes{2, 0x06, 0x08}, test::Bytes{0x80, 2, 0x06, 0x08},
                                     test::Bytes{0xC0, 0, 0, 2, 0x06, 0x08}}) {
        spec.metadata.tables.add(rows::TypeSpec, {add(entry)});
    }
    const test::Opened after = rebuilt_and_opened(spec);
    REQUIRE(after.module);
    const Metadata& metadata = after.module->metadata();
    const std::uint32_t first = metadata.cell(Table::TypeSpec, 1, 0);
    CHECK(metadata.cell(Table::TypeSpec, 2, 0) == first);
    CHECK(metadata.cell(Table::TypeSpec, 3, 0) == first);
    CHECK(metadata.blobs().entry(first).prefix == 1);
}

TEST_CASE("A blob that is a signature here and data there has a successor for each") {
    test::ImageSpec spec = test::minimal();
    // A field of class 0x05, with a token in four bytes where one is enough.
    const test::Bytes entry{0x06, 0x12, 0xC0, 0, 0, 5};
    const std::uint32_t blob = spec.metadata.heaps.blob(entry);
    spec.metadata.tables.add(rows::StandAloneSig, {blob});
    spec.metadata.tables.add(rows::DeclSecurity, {1, 0, blob});
    const test::Opened before = test::open(spec);
    REQUIRE(before.module);
    Writer writer;
    const auto rebuilt = writer.rebuild(before.module->state());
    REQUIRE(rebuilt);
    CHECK(rebuilt->report.signatures.changed == 1);
    CHECK(rebuilt->report.signatures.raw == 0);
    const auto after = Module::from_bytes(rebuilt->bytes);
    REQUIRE(after);
    const auto blob_of = [&](Table table, unsigned column) {
        const ByteSpan content = after->metadata().blob(table, 1, column);
        return test::Bytes(content.begin(), content.end());
    };
    CHECK(blob_of(Table::StandAloneSig, 0) == test::Bytes{0x06, 0x12, 5});
    CHECK(blob_of(Table::DeclSecurity, col::DeclSecurity::PermissionSet) == entry);
}

TEST_CASE("A signature that does not decode is copied as it is, and said so") {
    test::ImageSpec spec = test::minimal();
    const test::Bytes entry{0x06, 0x17};  // no such element type
    spec.metadata.tables.add(rows::StandAloneSig, {spec.metadata.heaps.blob(entry)});
    const test::Opened before = test::open(spec);
    REQUIRE(before.module);
    Writer writer;
    Diagnostics diagnostics;
    RebuildOptions options;
    options.diagnostics = &diagnostics;
    const auto rebuilt = writer.rebuild(before.module->state(), options);
    REQUIRE(rebuilt);
    CHECK(rebuilt->report.signatures.raw == 1);
    CHECK(rebuilt->report.signatures.first_raw == Token(Table::StandAloneSig, 1));
    REQUIRE(diagnostics.count(ErrorCode::signature_malformed) == 1);
    CHECK(diagnostics.kept()[0].token == Token(Table::StandAloneSig, 1).value());
    const auto after = Module::from_bytes(rebuilt->bytes);
    REQUIRE(after);
    CHECK(std::ranges::equal(after->metadata().blob(Table::StandAloneSig, 1, 0), entry));
}

TEST_CASE("A reassembled attribute takes the shortest form, by its constructor") {
    test::ImageSpec spec = test::minimal();
    auto& heaps = spec.metadata.heaps;
    auto& tables = spec.metadata.tables;
    const std::uint32_t name = heaps.string("A");
    const std::uint32_t type = tables.add(rows::TypeRef, {0, name, 0});
    const std::uint32_t constructor = heaps.string(".ctor");
    const auto member = [&](const test::Bytes& signature) {
        return tables.add(rows::MemberRef, {type << 3U | 1U, constructor, heaps.blob(signature)});
    };
    const std::uint32_t takes_string = member({0x20, 1, 0x01, 0x0E});  // instance void (string)
    const std::uint32_t takes_nothing = member({0x20, 0, 0x01});       // instance void ()
    // The string's length takes two bytes where one is enough; no named arguments.
    const std::uint32_t value = heaps.blob({1, 0, 0x80, 1, 'x', 0, 0});
    for (const std::uint32_t method : {takes_string, takes_nothing}) {
        tables.add(rows::CustomAttribute, {1U << 5U | 7U, method << 3U | 3U, value});
    }
    const test::Opened before = test::open(spec);
    REQUIRE(before.module);
    Writer writer;
    RebuildOptions options;
    options.reassemble = true;
    const auto rebuilt = writer.rebuild(before.module->state(), options);
    REQUIRE(rebuilt);
    CHECK(rebuilt->report.attributes.changed == 1);
    CHECK(rebuilt->report.attributes.raw == 1);  // the other constructor takes no string
    const auto after = Module::from_bytes(rebuilt->bytes);
    REQUIRE(after);
    const auto value_of = [&](std::uint32_t rid) {
        const ByteSpan content =
            after->metadata().blob(Table::CustomAttribute, rid, col::CustomAttribute::Value);
        return test::Bytes(content.begin(), content.end());
    };
    CHECK(value_of(1) == test::Bytes{1, 0, 1, 'x', 0, 0});
    CHECK(value_of(2) == test::Bytes{1, 0, 0x80, 1, 'x', 0, 0});
}

TEST_CASE("A large attribute that repeats is found although the heap is full by then") {
    test::ImageSpec spec = test::minimal();
    auto& heaps = spec.metadata.heaps;
    auto& tables = spec.metadata.tables;
    const std::uint32_t type = tables.add(rows::TypeRef, {0, heaps.string("A"), 0});
    const std::uint32_t constructor =
        tables.add(rows::MemberRef,
                   {type << 3U | 1U, heaps.string(".ctor"), heaps.blob({0x20, 1, 0x01, 0x0E})});
    test::Bytes value{1, 0, 0x83, 0xE8};  // a string of a thousand bytes
    value.resize(4 + 1000, 'x');
    test::append(value, {0, 0});
    const std::uint32_t blob = heaps.blob(value);
    for (int i = 0; i < 3; ++i) {
        tables.add(rows::CustomAttribute, {1U << 5U | 7U, constructor << 3U | 3U, blob});
    }
    const test::Opened before = test::open(spec);
    REQUIRE(before.module);
    Writer writer;
    RebuildOptions options;
    options.reassemble = true;
    const auto rebuilt = writer.rebuild(before.module->state(), options);
    REQUIRE(rebuilt);
    CHECK(rebuilt->report.attributes.decoded == 3);
}

TEST_CASE("A cell that points past its heap is refused, with the row") {
    test::ImageSpec spec = test::minimal();
    spec.metadata.tables.add(rows::ModuleRef, {0x7000});
    const test::Opened before = test::open(spec);
    REQUIRE(before.module);
    Writer writer;
    const auto refused = writer.rebuild(before.module->state());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::heap_index_outside);
    CHECK(refused.error().token == Token(Table::ModuleRef, 1).value());
}

TEST_CASE("A body that cannot be swept over pins the literals") {
    test::ImageSpec spec = test::minimal();
    auto& heaps = spec.metadata.heaps;
    heaps.user_string(u"nobody loads this");
    const test::Bytes odd{0x2B, 0x01, 0x24, 0x2A};  // br.s over an undefined opcode, ret
    const test::Row like = spec.metadata.tables.row(rows::MethodDef, 1);
    spec.metadata.tables.add(rows::MethodDef, {spec.area.add(test::tiny_body(odd)), 0, 0x16,
                                               heaps.string("Odd"), like[4], 1});
    const test::Opened before = test::open(spec);
    REQUIRE(before.module);
    Writer writer;
    const auto image = writer.rebuild(before.module->state());
    REQUIRE(image);
    CHECK(image->report.literal_pin == rebuild::LiteralPin::opaque_body);
    CHECK(image->report.literal_pin_method == 2);
    const auto after = Module::from_bytes(image->bytes);
    REQUIRE(after);
    CHECK(std::ranges::equal(after->metadata().user_strings().bytes(),
                             before.module->metadata().user_strings().bytes()));
}

TEST_CASE(
    "Bodies that methods share stay shared; what no method refers to is dropped and counted") {
    test::ImageSpec spec = test::minimal();
    const test::Row like = spec.metadata.tables.row(rows::MethodDef, 1);
    const std::uint32_t shared = spec.area.add(test::tiny_body({0x00, 0x2A}));
    spec.area.add(test::tiny_body({0x17, 0x26, 0x2A}));  // left behind by a compiler
    for (const char* name : {"One", "Two"}) {
        spec.metadata.tables.add(rows::MethodDef,
                                 {shared, 0, 0x16, spec.metadata.heaps.string(name), like[4], 1});
    }
    const test::Opened before = test::open(spec);
    REQUIRE(before.module);
    Writer writer;
    const auto image = writer.rebuild(before.module->state());
    REQUIRE(image);
    CHECK(image->report.discarded_runs == 1);
    CHECK(image->report.discarded_bytes == 4);
    CHECK(image->report.bodies.entries == 2);
    const auto after = Module::from_bytes(image->bytes);
    REQUIRE(after);
    CHECK(after->method(2).rva() == after->method(3).rva());
}

TEST_CASE("A name heap of 0xFFFF bytes has narrow indexes, one byte more wide ones") {
    for (const bool wide : {false, true}) {
        test::ImageSpec spec = test::minimal();
        auto& heaps = spec.metadata.heaps;
        // What stands there already is 4-aligned in the new heap, so that the sizes are exact.
        const std::size_t rest = heaps.strings.size();
        const std::string name(0xFFF0 - rest + (wide ? 0x20 : 0), 'n');
        spec.metadata.tables.add(rows::ModuleRef, {heaps.string(name)});
        const test::Opened after = rebuilt_and_opened(spec);
        REQUIRE(after.module);
        const Metadata& metadata = after.module->metadata();
        CHECK(metadata.tables().column(Table::ModuleRef, 0).width() == (wide ? 4 : 2));
        CHECK(metadata.string(Table::ModuleRef, 1, 0).size() == name.size());
    }
}
