// From an old blob to a new one: what changes, and what stays.
#include "signatures/blobs.h"
#include "support/allocation_counter.h"

using namespace clrkit;
using namespace clrkit::test;

namespace {

/// TypeRef 1 becomes row 100, TypeRef 2 row 1; TypeDef and TypeSpec stay.
struct Moved {
    std::vector<std::uint32_t> type_refs{100, 1};
    TokenMap map;
    Moved() { map.rows[static_cast<std::size_t>(Table::TypeRef)] = type_refs; }
};

/// Both ways to write a blob anew give `expected`.
void check_becomes(const Bytes& blob, BlobKind kind, const Bytes& expected,
                   const TokenMap* map = nullptr) {
    const Transcoded result = transcoded(blob, kind, map);
    CHECK(result.what == Transcoding::changed);
    CHECK(result.bytes == expected);
    CHECK(encoded_again(blob, kind, map) == expected);
}

}  // namespace

TEST_CASE("Tokens move wherever they stand, and may grow") {
    const Moved moved;
    check_becomes({0x06, 0x12, encoded::object}, BlobKind::field_signature,
                  {0x06, 0x12, 0x81, 0x91}, &moved.map);
    check_becomes({0x15, 0x12, encoded::console, 0x01, 0x1F, encoded::object, 0x08},
                  BlobKind::type_signature, {0x15, 0x12, 0x05, 0x01, 0x1F, 0x81, 0x91, 0x08},
                  &moved.map);
    check_becomes({0x00, 0x01, 0x01, 0x1B, 0x00, 0x00, 0x11, encoded::console},
                  BlobKind::method_signature, {0x00, 0x01, 0x01, 0x1B, 0x00, 0x00, 0x11, 0x05},
                  &moved.map);
}

TEST_CASE("Tokens of tables without a map, and rows past its end, stay") {
    const Moved moved;
    for (const std::uint8_t stays : {encoded::program, encoded::first_spec, std::uint8_t{0x0D}}) {
        const Bytes blob{0x06, 0x12, stays};
        CHECK(transcoded(blob, BlobKind::field_signature, &moved.map).what == Transcoding::same);
        CHECK(transcoded(blob, BlobKind::field_signature, &moved.map).bytes == blob);
    }
}

TEST_CASE("Numbers take their shortest form") {
    check_becomes({0x06, 0x12, 0x80, 0x05}, BlobKind::field_signature, {0x06, 0x12, 0x05});
    check_becomes({0x00, 0xC0, 0x00, 0x00, 0x01, 0x01, 0x13, 0x80, 0x02},
                  BlobKind::method_signature, {0x00, 0x01, 0x01, 0x13, 0x02});
    check_becomes({0x30, 0x80, 0x01, 0x00, 0x01}, BlobKind::method_signature,
                  {0x30, 0x01, 0x00, 0x01});
}

TEST_CASE("Array shapes and bytes behind the end stay as they stand") {
    const Bytes shape{0x14, 0x08, 0x80, 0x01, 0x00, 0x01, 0x80, 0x01};
    check_same(shape, BlobKind::type_signature);
    check_same({0x06, 0x08, 0x80, 0x01, 0x12}, BlobKind::field_signature);
}

TEST_CASE("A blob that does not fit the scratch") {
    check_same(nested(300, {0x0F}, {0x08}), BlobKind::type_signature);
    const Moved moved;
    check_becomes(nested(300, {0x1F, encoded::object}, {0x08}), BlobKind::type_signature,
                  nested(300, {0x1F, 0x81, 0x91}, {0x08}), &moved.map);
}

TEST_CASE("Blobs are transcoded without an allocation") {
    const Moved moved;
    const Bytes small{0x00, 0x01, 0x01, 0x12, encoded::object};
    const Bytes large = nested(5000, {0x1F, encoded::object}, {0x08});
    const auto work = [&](int times) {
        std::uint8_t scratch[256];
        for (int i = 0; i < times; ++i) {
            WriteBuffer output(scratch);
            const BlobWriteContext write{output, TokenEncoder(moved.map)};
            (void)transcode_signature(small, BlobKind::method_signature, {}, write);
            (void)transcode_signature(large, BlobKind::type_signature, {}, write);
        }
    };
    work(4);
    CHECK(allocations_in([&] { work(1000); }).count == 0);
}
