// Building signatures, and encoding decoded ones.
#include "signatures/blobs.h"
#include "support/allocation_counter.h"

#include <functional>

using namespace clrkit;
using namespace clrkit::test;

namespace {

const Token object(Table::TypeRef, 1);
const Token program(Table::TypeDef, 2);
constexpr auto int32 = ElementType::i4;
constexpr auto none = ElementType::void_;

Bytes written(const std::function<void(SignatureWriter&)>& build) {
    std::uint8_t scratch[64];
    WriteBuffer output(scratch);
    const BlobWriteContext context{output, {}};
    SignatureWriter writer(context);
    build(writer);
    CHECK(writer.ok());
    CHECK(output.bytes_written() == output.to_vector().size());
    return output.to_vector();
}

bool refused(const std::function<void(SignatureWriter&)>& build) {
    WriteBuffer output;
    const BlobWriteContext context{output, {}};
    SignatureWriter writer(context);
    build(writer);
    return !writer.ok();
}

}  // namespace

TEST_CASE("Fields, methods, properties, locals and instantiations") {
    CHECK(written([](auto& to) { to.field().primitive(int32); }) == Bytes{0x06, 0x08});
    CHECK(written([](auto& to) {
              to.method(calling_convention::has_this, 2)
                  .primitive(none)
                  .primitive(ElementType::string)
                  .type(ElementType::class_, object);
          }) == Bytes{0x20, 0x02, 0x01, 0x0E, 0x12, 0x05});
    CHECK(written([](auto& to) {
              to.method(calling_convention::standard, 1, 2).mvar(0).mvar(1);
          }) == Bytes{0x10, 0x02, 0x01, 0x1E, 0x00, 0x1E, 0x01});
    CHECK(written([](auto& to) { to.property(true, 1).primitive(int32).var(3); }) ==
          Bytes{0x28, 0x01, 0x08, 0x13, 0x03});
    CHECK(written([](auto& to) { to.property(false, 0).primitive(int32); }) ==
          Bytes{0x08, 0x00, 0x08});
    CHECK(written([](auto& to) {
              to.locals(2).pinned().by_ref().primitive(int32).sz_array().primitive(int32);
          }) == Bytes{0x07, 0x02, 0x45, 0x10, 0x08, 0x1D, 0x08});
    CHECK(written([](auto& to) { to.method_instance(1).primitive(int32); }) ==
          Bytes{0x0A, 0x01, 0x08});
}

TEST_CASE("Instances, function pointers, modifiers and the sentinel") {
    CHECK(written([](auto& to) {
              to.generic_instance(ElementType::value_type, program, 2).primitive(int32).var(0);
          }) == Bytes{0x15, 0x11, 0x08, 0x02, 0x08, 0x13, 0x00});
    CHECK(written([](auto& to) {
              to.pointer()
                  .function_pointer(calling_convention::stdcall, 1)
                  .primitive(none)
                  .pointer()
                  .primitive(none);
          }) == Bytes{0x0F, 0x1B, 0x02, 0x01, 0x01, 0x0F, 0x01});
    CHECK(written([](auto& to) {
              to.field().modreq(object).modopt(Token(Table::TypeSpec, 1)).primitive(int32);
          }) == Bytes{0x06, 0x1F, 0x05, 0x20, 0x06, 0x08});
    CHECK(written([](auto& to) {
              to.method(calling_convention::vararg, 2)
                  .primitive(none)
                  .primitive(int32)
                  .sentinel()
                  .primitive(int32);
          }) == Bytes{0x05, 0x02, 0x01, 0x08, 0x41, 0x08});
}

TEST_CASE("Array shapes with sizes and signed lower bounds, with one of them, with neither") {
    const auto array = [](std::uint32_t rank, std::vector<std::uint32_t> sizes,
                          std::vector<std::int32_t> bounds) {
        return written([&](auto& to) { to.array().primitive(int32).shape(rank, sizes, bounds); });
    };
    CHECK(array(1, {3}, {}) == Bytes{0x14, 0x08, 0x01, 0x01, 0x03, 0x00});
    CHECK(array(7, {}, {}) == Bytes{0x14, 0x08, 0x07, 0x00, 0x00});
    CHECK(array(6, {2, 3}, {-1, 64}) ==
          Bytes{0x14, 0x08, 0x06, 0x02, 0x02, 0x03, 0x02, 0x7F, 0x80, 0x80});
    CHECK(refused([](auto& to) {
        const std::uint32_t sizes[] = {1, 2};
        to.array().primitive(int32).shape(1, sizes);
    }));
}

TEST_CASE("Signed numbers, as the standard's table has them, and back") {
    struct Case {
        std::int32_t value;
        Bytes bytes;
    };
    // ECMA-335 II.23.2
    const std::vector<Case> cases{{3, {0x06}},
                                  {-3, {0x7B}},
                                  {64, {0x80, 0x80}},
                                  {-64, {0x01}},
                                  {8192, {0xC0, 0x00, 0x40, 0x00}},
                                  {-8192, {0x80, 0x01}},
                                  {268435455, {0xDF, 0xFF, 0xFF, 0xFE}},
                                  {-268435456, {0xC0, 0x00, 0x00, 0x01}}};
    for (const Case& c : cases) {
        std::uint8_t out[4];
        const std::uint32_t size = write_compressed_signed(out, c.value);
        CHECK(Bytes(out, out + size) == c.bytes);
        ByteReader reader(c.bytes);
        CHECK(read_compressed_signed(reader) == c.value);
        CHECK(reader.left() == 0);
    }
    for (std::int32_t value = -20'000; value <= 20'000; ++value) {
        std::uint8_t out[4];
        const std::uint32_t size = write_compressed_signed(out, value);
        ByteReader reader(ByteSpan(out, size));
        if (read_compressed_signed(reader) != value) FAIL(value);
    }
}

TEST_CASE("What cannot be written is remembered") {
    CHECK(refused([](auto& to) { to.type(ElementType::class_, Token(Table::Field, 1)); }));
    CHECK(refused([](auto& to) { to.var(0x20000000); }));
    const std::int32_t low[] = {-268435457};
    CHECK(refused([&](auto& to) { to.array().primitive(int32).shape(1, {}, low); }));
}

TEST_CASE("Tokens go through the context's encoder") {
    const std::vector<std::uint32_t> rows{100};
    TokenMap map;
    map.rows[static_cast<std::size_t>(Table::TypeRef)] = rows;
    WriteBuffer output;
    const BlobWriteContext context{output, TokenEncoder(map)};
    CHECK(SignatureWriter(context).field().type(ElementType::class_, object).ok());
    CHECK(output.to_vector() == Bytes{0x06, 0x12, 0x81, 0x91});
}

TEST_CASE("The signature of a function pointer encodes as that of a method") {
    SignatureArena arena;
    const Bytes blob{0x06, 0x1B, 0x02, 0x01, 0x01, 0x08};
    const auto field = decode_signature(blob, BlobKind::field_signature, {}, arena);
    REQUIRE(field);
    WriteBuffer output;
    CHECK(encode_signature(field->type().function(), {output, {}}));
    CHECK(output.to_vector() == Bytes{0x02, 0x01, 0x01, 0x08});
}

TEST_CASE("Building and encoding allocate nothing") {
    SignatureArena arena;
    const Bytes blob{0x00, 0x02, 0x01, 0x12, 0x05, 0x15, 0x12, 0x05, 0x01, 0x08};
    const auto signature = decode_signature(blob, BlobKind::method_signature, {}, arena);
    REQUIRE(signature);
    bool ok = true;
    const Allocations made = allocations_in([&] {
        std::uint8_t scratch[64];
        WriteBuffer output(scratch);
        const BlobWriteContext context{output, {}};
        ok = encode_signature(*signature, context) &&
             SignatureWriter(context).field().pointer().primitive(int32).ok();
    });
    CHECK(ok);
    CHECK(made.count == 0);
}
