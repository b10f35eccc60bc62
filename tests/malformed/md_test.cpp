// Metadata roots, streams and heaps that are wrong. The number in front of a test's name is its row
// in docs/robustness.md.
#include "support/catch.h"
#include "support/opened.h"

using namespace clrkit;
using namespace clrkit::test;

namespace {

/// The same heap with every name and byte but the terminators replaced.
Bytes scrambled(Bytes heap) {
    for (std::uint8_t& byte : heap) {
        if (byte != 0) byte = 'x';
    }
    return heap;
}

void insert_first(MetadataSpec& metadata, StreamSpec spec) {
    metadata.streams.insert(metadata.streams.begin(), std::move(spec));
}

/// The image with its tables in a #- stream.
ImageSpec uncompressed() {
    ImageSpec image = minimal();
    image.metadata.named("#~").name = bytes_of("#-");
    return image;
}

std::string_view program_name(const Opened& opened) {
    return opened.metadata.string(Table::TypeDef, minimal_rows::program, col::TypeDef::TypeName);
}

std::string text_of(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

Bytes vector_of(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

std::size_t streams_in(const Opened& opened) {
    std::size_t count = 0;
    for (auto cursor = opened.metadata.root().streams(); cursor.next();) ++count;
    return count;
}

}  // namespace

// ------------------------------------------------------------------------------- root and streams

TEST_CASE("MD-01 the metadata signature is wrong: refused, the root's place named") {
    ImageSpec image = minimal();
    image.metadata.signature = 0x424A5343;
    check_refused(open(image), Stage::metadata, ErrorCode::metadata_bad_signature,
                  image.metadata_offset());
}

TEST_CASE("MD-02 the version string is empty: opens") {
    ImageSpec image = minimal();
    image.metadata.version = {};
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.root().version().empty());
}

TEST_CASE("MD-02 the version string's length is no multiple of four: rounded up") {
    ImageSpec image = minimal();
    image.metadata.version_length = 10;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.root().version() == "v4.0.30319");
}

TEST_CASE("MD-02 the version string has no NUL: it ends with its field") {
    ImageSpec image = minimal();
    image.metadata.version = bytes_of("v4.0.30319xy");
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.root().version() == "v4.0.30319xy");
}

TEST_CASE("MD-02 the version string is longer than 255 bytes: opens") {
    ImageSpec image = minimal();
    image.metadata.version = Bytes(400, 'v');
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.root().version().size() == 400);
}

TEST_CASE("MD-02 the version string is longer than the file: refused, its length's place named") {
    for (const std::uint32_t length : {0x10000U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
        INFO("length " << length);
        ImageSpec image = minimal();
        image.metadata.version_length = length;
        check_refused(open(image), Stage::metadata, ErrorCode::metadata_truncated,
                      image.metadata_offset() + 12);
    }
}

TEST_CASE("MD-03 bytes behind the version string's NUL: shown and kept") {
    ImageSpec image = minimal();
    image.metadata.version = bytes_of(std::string_view("v4.0.30319\0Z", 12));
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.root().version() == "v4.0.30319");
    CHECK(opened.metadata.root().version_field()[11] == 'Z');
}

TEST_CASE("MD-04 no streams are declared: refused") {
    ImageSpec image = minimal();
    image.metadata.stream_count = 0;
    check_refused(open(image), Stage::metadata, ErrorCode::no_table_stream,
                  image.metadata_offset());
}

TEST_CASE("MD-04 65535 streams are declared and five exist: the five are used") {
    ImageSpec image = minimal();
    image.metadata.stream_count = 0xFFFF;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.reported(ErrorCode::metadata_truncated));
}

TEST_CASE("MD-05 a stream starts outside the metadata: it is empty, the rest opens") {
    ImageSpec image = minimal();
    image.metadata.named("#US").offset = 0x7FFFFFFF;
    const Opened opened = open(image);
    REQUIRE_FALSE(opened.error.has_value());
    CHECK(opened.metadata.user_strings().bytes().empty());
    CHECK(program_name(opened) == "Program");
    CHECK(opened.reported_at(ErrorCode::stream_outside) ==
          image.metadata_offset() + image.metadata.stream_header_offset(2));
    CHECK(opened.reported(ErrorCode::refused_by_runtime));
    check_kept(opened);
}

TEST_CASE("MD-05 a stream's offset and size wrap around: it is empty, the rest opens") {
    ImageSpec image = minimal();
    image.metadata.named("#US").offset = 0xFFFFFFF0;
    image.metadata.named("#US").size = 0x20;
    const Opened opened = open(image);
    REQUIRE_FALSE(opened.error.has_value());
    CHECK(opened.metadata.user_strings().bytes().empty());
    CHECK(program_name(opened) == "Program");
}

TEST_CASE("MD-05 the table stream starts outside the metadata: refused") {
    ImageSpec image = minimal();
    image.metadata.named("#~").offset = 0x7FFFFFFF;
    const Opened opened = open(image);
    REQUIRE(opened.error.has_value());
    CHECK(opened.error->stage == Stage::tables);
    CHECK(opened.error->code == ErrorCode::table_stream_truncated);
}

TEST_CASE("MD-06 a stream name of 32 bytes without NUL: that stream is dropped") {
    ImageSpec image = minimal();
    StreamSpec odd = stream("#123456789012345678901234567890X", Bytes(4));
    odd.name_padding = Bytes{};
    insert_first(image.metadata, odd);
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.reported_at(ErrorCode::stream_name_unterminated) ==
          image.metadata_offset() + image.metadata.stream_header_offset(0));
}

TEST_CASE("MD-06 a stream name longer than 32 bytes in the last header: the rest opens") {
    ImageSpec image = minimal();
    image.metadata.streams.push_back(stream(std::string(60, 'n'), Bytes(4)));
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.reported(ErrorCode::stream_name_unterminated));
}

TEST_CASE("MD-07 bytes behind a stream name's NUL: skipped and kept") {
    ImageSpec image = minimal();
    image.metadata.named("#~").name_padding = Bytes{0, 0xEE};
    image.metadata.named("#Strings").name_padding = Bytes{0, 0xEE, 0xEE, 0xEE};
    const Opened opened = open(image);
    require_kept(opened);
}

TEST_CASE("MD-08 a heap occurs twice beside #~: the last one counts") {
    for (const std::string_view name : {"#Strings", "#US", "#GUID", "#Blob"}) {
        INFO(name);
        ImageSpec image = minimal();
        insert_first(image.metadata, stream(name, Bytes(16, 'x')));
        const Opened opened = open(image);
        require_kept(opened);
        CHECK(opened.module->mvid().value()[0] == 0x6D);
        CHECK(opened.reported(ErrorCode::stream_duplicate));
    }
    ImageSpec image = minimal();
    image.metadata.streams.push_back(stream("#Strings", scrambled(image.metadata.heaps.strings)));
    CHECK(program_name(open(image)) == "xxxxxxx");
}

TEST_CASE("MD-08 two #~ streams: the last one is shown, reported as refused by the runtime") {
    ImageSpec image = minimal();
    insert_first(image.metadata, stream("#~", Bytes(100)));
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.reported(ErrorCode::stream_duplicate));
    CHECK(opened.reported(ErrorCode::refused_by_runtime));
}

TEST_CASE("MD-09 a heap occurs twice beside #-: the first one counts for .NET, the last for Mono") {
    ImageSpec image = uncompressed();
    const Bytes other = scrambled(image.metadata.heaps.strings);
    image.metadata.streams.push_back(stream("#Strings", other));
    const Opened first = open(image);
    require_minimal(first);
    CHECK(program_name(open(image, Eyes::mono)) == "xxxxxxx");
    check_kept(first);
}

TEST_CASE("MD-09 two heaps beside #- whose names differ in case: one and the same for .NET only") {
    ImageSpec image = uncompressed();
    insert_first(image.metadata, stream("#STRINGS", scrambled(image.metadata.heaps.strings)));
    CHECK(program_name(open(image)) == "xxxxxxx");
    CHECK(program_name(open(image, Eyes::mono)) == "Program");
}

TEST_CASE("MD-10 heap names in another case: taken beside #- by .NET, and nowhere else") {
    ImageSpec image = uncompressed();
    image.metadata.named("#Strings").name = bytes_of("#strings");
    image.metadata.named("#Blob").name = bytes_of("#BLOB");
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(program_name(open(image, Eyes::mono)).empty());

    image.metadata.named("#-").name = bytes_of("#~");
    CHECK(program_name(open(image)).empty());
}

TEST_CASE(
    "MD-11 #~ and #-: the first one counts, for Mono #-; reported as refused by the runtime") {
    ImageSpec image = minimal();
    TablesSpec other = image.metadata.tables;
    other.row(table::TypeDef, minimal_rows::program)[1] = 0;
    image.metadata.streams.push_back(stream("#-", other.encode()));
    const Opened compressed = open(image);
    require_minimal(compressed);
    CHECK_FALSE(compressed.metadata.uncompressed());
    CHECK(compressed.reported(ErrorCode::refused_by_runtime));
    CHECK(program_name(open(image, Eyes::mono)).empty());
    check_kept(compressed);

    std::swap(image.metadata.streams.front(), image.metadata.streams.back());
    const Opened uncompressed_first = open(image);
    CHECK(uncompressed_first.metadata.uncompressed());
    CHECK(uncompressed_first.reported(ErrorCode::refused_by_runtime));
    CHECK(program_name(uncompressed_first).empty());
    CHECK(program_name(open(image, Eyes::mono)).empty());
}

TEST_CASE("MD-12 #Schema behind #~: the rules of #- hold, the first heap counts") {
    ImageSpec image = minimal();
    image.metadata.streams.push_back(stream("#Schema", Bytes(4)));
    image.metadata.streams.push_back(stream("#Strings", scrambled(image.metadata.heaps.strings)));
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.uncompressed());
    CHECK_FALSE(opened.reported(ErrorCode::refused_by_runtime));
    CHECK(program_name(open(image, Eyes::mono)) == "xxxxxxx");
}

TEST_CASE("MD-12 #Schema in front of #~: shown by the rules of #~, reported as refused") {
    ImageSpec image = minimal();
    insert_first(image.metadata, stream("#Schema", Bytes(4)));
    const Opened opened = open(image);
    require_kept(opened);
    CHECK_FALSE(opened.metadata.uncompressed());
    CHECK(opened.reported(ErrorCode::refused_by_runtime));
}

TEST_CASE("MD-12 #Schema behind #-: nothing changes, in front of it the runtime refuses") {
    ImageSpec image = uncompressed();
    image.metadata.streams.push_back(stream("#Schema", Bytes(4)));
    const Opened behind = open(image);
    require_minimal(behind);
    CHECK_FALSE(behind.reported(ErrorCode::refused_by_runtime));

    std::swap(image.metadata.streams.front(), image.metadata.streams.back());
    const Opened before = open(image);
    require_minimal(before);
    CHECK(before.reported(ErrorCode::refused_by_runtime));
}

TEST_CASE("MD-13 no table stream: refused") {
    ImageSpec image = minimal();
    image.metadata.remove("#~");
    check_refused(open(image), Stage::metadata, ErrorCode::no_table_stream,
                  image.metadata_offset());
}

TEST_CASE("MD-14 #JTD beside #-: every index takes four bytes") {
    ImageSpec image = uncompressed();
    image.metadata.streams.push_back(stream("#JTD", Bytes(4)));
    image.metadata.tables.all_wide = true;
    const Opened opened = open(image);
    require_kept(opened);
    require_minimal(open(image, Eyes::mono));
}

TEST_CASE("MD-14 #JTD beside #~: widens indexes for Mono, nothing for .NET") {
    ImageSpec image = minimal();
    image.metadata.streams.push_back(stream("#JTD", Bytes(4)));
    require_minimal(open(image));
    image.metadata.tables.all_wide = true;
    require_minimal(open(image, Eyes::mono));
}

TEST_CASE("MD-15 a heap is missing: what it would hold is empty") {
    for (const std::string_view name : {"#Strings", "#US", "#GUID", "#Blob"}) {
        INFO(name);
        ImageSpec image = minimal();
        image.metadata.remove(name);
        const Opened opened = open(image);
        REQUIRE_FALSE(opened.error.has_value());
        CHECK(opened.metadata.rows(Table::TypeDef) == 2);
        CHECK(program_name(opened) == (name == "#Strings" ? "" : "Program"));
        CHECK(opened.module->mvid().has_value() == (name != "#GUID"));
        CHECK(opened.module->method(1).signature().empty() == (name == "#Blob"));
        CHECK(opened.metadata.user_strings().at(1).empty() == (name == "#US"));
        walk(opened);
        check_kept(opened);
    }
}

TEST_CASE("MD-16 #GUID is no multiple of 16: the incomplete one is none") {
    ImageSpec image = minimal();
    append(image.metadata.heaps.guids, Bytes(12, 7));
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.guids().count() == 1);
    CHECK_FALSE(opened.metadata.guids().at(2).has_value());
}

TEST_CASE("MD-16 a GUID index past the heap: no GUID") {
    for (const std::uint32_t index : {2U, 0xFFFFU}) {
        ImageSpec image = minimal();
        image.metadata.tables.row(table::Module, 1)[2] = index;
        const Opened opened = open(image);
        require_kept(opened);
        CHECK_FALSE(opened.module->mvid().has_value());
    }
}

TEST_CASE("MD-17 streams nobody knows, one without a name: listed and kept") {
    ImageSpec image = minimal();
    insert_first(image.metadata, stream("#Confuser", Bytes(8, 0xAB)));
    image.metadata.streams.push_back(stream("", Bytes(4, 0xCD)));
    image.metadata.streams.push_back(stream("\xFF\x01 name", Bytes(4, 0xEF)));
    const Opened opened = open(image);
    require_kept(opened);
    auto cursor = opened.metadata.root().streams();
    const auto first = cursor.next();
    REQUIRE(first.has_value());
    CHECK(first->name == "#Confuser");
    CHECK(vector_of(first->content) == Bytes(8, 0xAB));
    CHECK(streams_in(opened) == 8);
}

TEST_CASE("MD-17 five thousand streams: listed and kept") {
    ImageSpec image = minimal();
    const std::vector<StreamSpec> many(5000, stream("#x", Bytes(4)));
    image.metadata.streams.insert(image.metadata.streams.begin(), many.begin(), many.end());
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(streams_in(opened) == 5005);
}

TEST_CASE("MD-18 a stream's size is 0: it is empty") {
    ImageSpec image = minimal();
    image.metadata.named("#Strings").size = 0;
    const Opened opened = open(image);
    REQUIRE_FALSE(opened.error.has_value());
    CHECK(opened.metadata.rows(Table::TypeDef) == 2);
    CHECK(program_name(opened).empty());
    check_kept(opened);
}

TEST_CASE("MD-18 a stream's size is 4 GiB: clamped to what is there") {
    for (const std::string_view name : {"#~", "#Strings", "#US", "#GUID", "#Blob"}) {
        INFO(name);
        ImageSpec image = minimal();
        image.metadata.named(name).size = 0xFFFFFFFF;
        const Opened opened = open(image);
        require_kept(opened);
        CHECK(opened.reported(ErrorCode::stream_outside));
        CHECK(opened.reported(ErrorCode::refused_by_runtime));
    }
}

TEST_CASE("MD-19 two streams share bytes: both are shown") {
    ImageSpec image = minimal();
    image.metadata.streams.push_back(stream("#Copy", Bytes{}));
    image.metadata.named("#Copy").offset = image.metadata.stream_offset("#Strings");
    image.metadata.named("#Copy").size = 16;
    const Opened opened = open(image);
    require_kept(opened);
}

TEST_CASE("MD-19 one range serves as two heaps: both are shown") {
    ImageSpec image = minimal();
    // Strings and blobs in one: every offset means what it meant in its own heap.
    const auto moved = static_cast<std::uint32_t>(image.metadata.heaps.strings.size());
    Bytes both = image.metadata.heaps.strings;
    append(both, image.metadata.heaps.blobs);
    image.metadata.tables.row(table::MethodDef, 1)[4] += moved;
    image.metadata.tables.row(table::MemberRef, 1)[2] += moved;
    image.metadata.heaps.strings = both;
    image.metadata.heaps.blobs = Bytes{};
    image.metadata.named("#Blob").offset = image.metadata.stream_offset("#Strings");
    image.metadata.named("#Blob").size = static_cast<std::uint32_t>(both.size());
    const Opened opened = open(image);
    require_kept(opened);
}

// ------------------------------------------------------------------------------------------ heaps

TEST_CASE("MD-20 the last name has no NUL: it ends with the heap") {
    ImageSpec image = minimal();
    image.metadata.heaps.string("Unending");
    image.metadata.heaps.strings.pop_back();
    StreamSpec& heap = image.metadata.named("#Strings");
    heap.padding_counts = false;
    const auto at = static_cast<std::uint32_t>(image.metadata.heaps.strings.size() - 8);
    image.metadata.tables.row(table::TypeDef, minimal_rows::module_type)[1] = at;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->type(1).name() == "Unending");
    CHECK(opened.reported(ErrorCode::heap_unterminated));
}

TEST_CASE("MD-20 no name in the heap has a NUL: each ends with the heap") {
    ImageSpec image = minimal();
    image.metadata.heaps.strings = Bytes(400, 'n');
    const Opened opened = open(image);
    REQUIRE_FALSE(opened.error.has_value());
    const std::uint32_t at = image.metadata.tables.row(table::TypeDef, 1)[1];
    CHECK(opened.module->type(1).name() == std::string(400 - at, 'n'));
    walk(opened);
    check_kept(opened);
}

TEST_CASE("MD-21 a name's index points into another name: its tail") {
    ImageSpec image = minimal();
    Row& row = image.metadata.tables.row(table::TypeDef, minimal_rows::module_type);
    row[1] = image.metadata.tables.row(table::TypeDef, minimal_rows::program)[1] + 3;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->type(1).name() == "gram");
}

TEST_CASE("MD-22 a name's index is past the heap: empty") {
    for (const std::uint32_t index : {0x7FFFU, 0xFFFFU}) {
        ImageSpec image = minimal();
        image.metadata.tables.row(table::TypeDef, minimal_rows::module_type)[1] = index;
        const Opened opened = open(image);
        require_kept(opened);
        CHECK(opened.module->type(1).name().empty());
    }
}

TEST_CASE("MD-22 wide name indexes with high bits set: empty") {
    ImageSpec image = minimal();
    image.metadata.tables.heap_sizes = 1;
    image.metadata.tables.row(table::TypeDef, minimal_rows::module_type)[1] = 0xFFFFFFFF;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->type(1).name().empty());
}

TEST_CASE("MD-23 names that are not UTF-8, hold control characters or are 64 KB long: bytes kept") {
    const std::string names[] = {"\xFF\xFE", "\xED\xA0\x80", "a\x01\x1B\x7F", "\xE2\x80\xAEgpj",
                                 std::string(0x10000, 'L')};
    for (const std::string& name : names) {
        ImageSpec image = minimal();
        image.metadata.tables.heap_sizes = 1;
        image.metadata.tables.row(table::TypeDef, minimal_rows::module_type)[1] =
            image.metadata.heaps.string(name);
        const Opened opened = open(image);
        require_kept(opened);
        CHECK(opened.module->type(1).name() == name);
    }
}

TEST_CASE("MD-24 all names are empty: opens") {
    ImageSpec image = minimal();
    image.metadata.tables.row(table::Module, 1)[1] = 0;
    for (Row& row : image.metadata.tables.rows[table::TypeDef]) row[1] = row[2] = 0;
    for (Row& row : image.metadata.tables.rows[table::TypeRef]) row[1] = row[2] = 0;
    image.metadata.tables.row(table::MethodDef, 1)[3] = 0;
    const Opened opened = open(image);
    REQUIRE_FALSE(opened.error.has_value());
    CHECK(opened.module->types().size() == 2);
    CHECK(opened.module->name().empty());
    walk(opened);
    check_kept(opened);
}

TEST_CASE("MD-24 the first type is not called <Module>: row 1 it is, whatever its name") {
    ImageSpec image = minimal();
    image.metadata.tables.row(table::TypeDef, minimal_rows::module_type)[1] =
        image.metadata.heaps.string("NotTheModule");
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.module->type(1).name() == "NotTheModule");
}

TEST_CASE("MD-25 a literal of odd length, with an odd last byte, or half a character: bytes kept") {
    const Bytes contents[] = {{}, {'a'}, {'a', 0}, {'a', 0, 0x7F}, {0x00, 0xD8, 1}, {'a', 0, 'b'}};
    for (const Bytes& content : contents) {
        ImageSpec image = minimal();
        const auto at = static_cast<std::uint32_t>(image.metadata.heaps.user_strings.size());
        append(image.metadata.heaps.user_strings,
               compressed(static_cast<std::uint32_t>(content.size())));
        append(image.metadata.heaps.user_strings, content);
        const Opened opened = open(image);
        require_kept(opened);
        const BlobEntry entry = opened.metadata.user_strings().entry(at);
        CHECK(entry.valid);
        CHECK(vector_of(entry.content) == content);
    }
}

TEST_CASE("MD-25 a literal longer than the heap: empty and not valid") {
    ImageSpec image = minimal();
    const auto at = static_cast<std::uint32_t>(image.metadata.heaps.user_strings.size());
    append(image.metadata.heaps.user_strings, {0xDF, 0xFF, 0xFF, 0xFF, 'a'});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK_FALSE(opened.metadata.user_strings().entry(at).valid);
    CHECK(opened.metadata.user_strings().at(at).empty());
}

TEST_CASE("MD-26 #US is larger than a token can point into: its literals are shown") {
    ImageSpec image = minimal();
    image.metadata.heaps.user_strings.resize(0x1000010);
    const std::uint32_t at = image.metadata.heaps.user_string(u"far");
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(at > 0xFFFFFF);
    CHECK(text_of(opened.metadata.user_strings().at(at)) == std::string("f\0a\0r\0\0", 7));
}

TEST_CASE("MD-27 byte 0 of #Blob is not 0: index 0 is empty all the same") {
    ImageSpec image = minimal();
    image.metadata.heaps.blobs[0] = 3;
    image.metadata.heaps.user_strings[0] = 3;
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.blobs().at(0).empty());
    CHECK(opened.metadata.user_strings().at(0).empty());
}

namespace {

/// The image with raw bytes at the end of #Blob, and where they are.
std::pair<ImageSpec, std::uint32_t> with_raw_blob(const Bytes& raw) {
    ImageSpec image = minimal();
    const auto at = static_cast<std::uint32_t>(image.metadata.heaps.blobs.size());
    append(image.metadata.heaps.blobs, raw);
    image.metadata.tables.row(table::MethodDef, minimal_rows::main)[4] = at;
    image.metadata.named("#Blob").padding_counts = false;
    return {image, at};
}

}  // namespace

TEST_CASE("MD-28 a blob's length starts with 111 bits: read as one that starts with 110") {
    const auto [image, at] = with_raw_blob({0xE0, 0, 0, 3, 0, 0, 8});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.blobs().entry(at).prefix == 4);
    CHECK(vector_of(opened.module->method(1).signature()) == Bytes{0, 0, 8});
}

TEST_CASE("MD-29 a blob is longer than its heap: empty and not valid") {
    const Bytes cases[] = {{4, 1, 2, 3}, {0x80}, {0xC0, 0, 0}, {0xDF, 0xFF, 0xFF, 0xFF, 1}, {0xFF}};
    for (const Bytes& raw : cases) {
        const auto [image, at] = with_raw_blob(raw);
        const Opened opened = open(image);
        REQUIRE_FALSE(opened.error.has_value());
        CHECK_FALSE(opened.metadata.blobs().entry(at).valid);
        CHECK(opened.module->method(1).signature().empty());
        CHECK(program_name(opened) == "Program");
        check_kept(opened);
    }
}

TEST_CASE("MD-30 lengths written longer than needed: accepted and kept") {
    const Bytes cases[] = {{0xC0, 0, 0, 3, 0, 0, 8}, {0x80, 3, 0, 0, 8}};
    for (const Bytes& raw : cases) {
        const auto [image, at] = with_raw_blob(raw);
        const Opened opened = open(image);
        require_kept(opened);
        CHECK(opened.metadata.blobs().entry(at).prefix == raw.size() - 3);
        CHECK(vector_of(opened.module->method(1).signature()) == Bytes{0, 0, 8});
    }
}

TEST_CASE("MD-31 fifty thousand names that are tails of one long name: opening looks at none") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    tables.heap_sizes = 1;
    const std::uint32_t name = image.metadata.heaps.string(std::string(0x10000, 'n'));
    for (std::uint32_t i = 0; i < 50'000; ++i) tables.add(table::Field, {0x16, name + i, 0});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(opened.metadata.string(Table::Field, 1, col::Field::Name).size() == 0x10000);
    CHECK(opened.metadata.string(Table::Field, 50'000, col::Field::Name).size() ==
          0x10000 - 49'999);
}
