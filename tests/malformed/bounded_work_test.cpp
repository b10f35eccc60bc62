// Images made to multiply work: thousands of rows that share one long thing. Each of these took time
// by the square of its size once, that is many seconds here; none may take more than a moment.
#include "support/catch.h"
#include "support/opened.h"

#include <clrkit/dotnet/metadata/indexes.h>
#include <clrkit/dotnet/module/coverage.h>

#include <string>

using namespace clrkit;
using test::append;
using test::Bytes;
using test::coded;
using test::ImageSpec;
namespace table = test::table;

namespace {

constexpr std::uint32_t many = 30'000;

PinReason pinned_by(const ImageSpec& image) {
    const auto opened = test::open(image);
    REQUIRE(opened.module);
    return cover(opened.module->state()).value().reason;
}

/// As many fields with data as there are layouts, every one of `type`.
ImageSpec mapped_fields(std::uint32_t type) {
    ImageSpec image = test::minimal();
    test::Heaps& heaps = image.metadata.heaps;
    test::TablesSpec& tables = image.metadata.tables;
    Bytes signature{0x06, 0x11};
    append(signature, test::compressed(coded("TypeDefOrRef", table::TypeDef, type)));
    const std::uint32_t blob = heaps.blob(signature);
    const std::uint32_t name = heaps.string("data");
    const std::uint32_t data = image.area.add(Bytes(8, 0x11));
    for (std::uint32_t i = 1; i <= many; ++i) {
        tables.add(table::Field, {0x10, name, blob});
        tables.add(table::FieldRVA, {data, i});
    }
    return image;
}

}  // namespace

TEST_CASE("Many layouts of the type of many mapped fields") {
    ImageSpec image = mapped_fields(2);
    for (std::uint32_t i = 0; i < many; ++i) {
        image.metadata.tables.add(table::ClassLayout, {1, 8, 2});
    }
    CHECK(pinned_by(image) == PinReason::none);
}

TEST_CASE("A layout at the end of a long table that is searched by a scan") {
    ImageSpec image = mapped_fields(2);
    image.metadata.named("#~").name = test::bytes_of("#-");
    for (std::uint32_t i = 1; i < many; ++i) {
        image.metadata.tables.add(table::ClassLayout, {1, 4, 1});
    }
    image.metadata.tables.add(table::ClassLayout, {1, 8, 2});
    CHECK(pinned_by(image) == PinReason::none);
}

TEST_CASE("Many mapped fields with one signature of many modifiers") {
    ImageSpec image = mapped_fields(2);
    Bytes signature;
    for (std::uint32_t i = 0; i < many; ++i) append(signature, Bytes{0x06, 0x1F});
    const std::uint32_t blob = image.metadata.heaps.blob(signature);
    for (auto& row : image.metadata.tables.rows[table::Field]) row[2] = blob;
    CHECK(pinned_by(image) == PinReason::none);
}

TEST_CASE("Many bodies that share one chain of data sections") {
    ImageSpec image = test::minimal();
    Bytes code;
    for (std::uint32_t i = 0; i < many; ++i) {
        append(code, test::little_endian(0x300B, 2));  // fat, more sections, three words long
        append(code, test::little_endian(8, 2));
        append(code, test::little_endian(std::uint64_t{many - 1 - i} * 12, 4));
        append(code, test::little_endian(0, 4));
    }
    for (std::uint32_t i = 0; i < many; ++i) append(code, Bytes{0x80, 4, 0, 0});
    append(code, Bytes{0, 4, 0, 0});
    const std::uint32_t rva = image.area.add(code);
    const std::uint32_t name = image.metadata.heaps.string("method");
    for (std::uint32_t i = 0; i < many; ++i) {
        image.metadata.tables.add(table::MethodDef, {rva + 12 * i, 0, 0x96, name, 1, 1});
    }
    CHECK(pinned_by(image) == PinReason::body_unreadable);
}

TEST_CASE("Many attributes of one type with a long name") {
    ImageSpec image = test::minimal();
    test::TablesSpec& tables = image.metadata.tables;
    const std::uint32_t name = image.metadata.heaps.string(std::string(std::size_t{many} * 8, 'a'));
    tables.add(table::TypeRef, {coded("ResolutionScope", table::AssemblyRef, 1), name, name});
    tables.add(table::MemberRef, {coded("MemberRefParent", table::TypeRef, 3), name, 0});
    for (std::uint32_t i = 0; i < many; ++i) {
        tables.add(table::CustomAttribute, {coded("HasCustomAttribute", table::Assembly, 1),
                                            coded("CustomAttributeType", table::MemberRef, 2), 0});
    }
    const auto opened = test::open(image);
    REQUIRE(opened.module);
    CHECK(opened.module->target_framework().empty());
}

TEST_CASE("MD-31: names of types that lie inside one long name") {
    ImageSpec image = test::minimal();
    const std::uint32_t name = image.metadata.heaps.string(std::string(std::size_t{many} * 8, 'a'));
    for (std::uint32_t i = 0; i < many; ++i) {
        image.metadata.tables.add(table::TypeDef, {1, name + i, 0, 0, 1, 2});
    }
    const auto opened = test::open(image);
    REQUIRE(opened.module);
    const auto indexes = Indexes::build(opened.metadata);
    REQUIRE_FALSE(indexes);
    CHECK(indexes.error().code == ErrorCode::limit_reached);
}

TEST_CASE("A name equals a text that it ends with, and no longer or shorter one") {
    const Bytes heap{0, 'a', 'b', 'c', 0, 'd'};
    const StringHeap names(heap);
    CHECK(names.equals(1, "abc"));
    CHECK(names.equals(2, "bc"));
    CHECK_FALSE(names.equals(1, "ab"));
    CHECK_FALSE(names.equals(1, "abcd"));
    CHECK(names.equals(0, ""));
    CHECK(names.equals(5, "d"));
    CHECK_FALSE(names.equals(5, "de"));
    CHECK(names.equals(6, ""));
    CHECK_FALSE(names.equals(6, "a"));
}
