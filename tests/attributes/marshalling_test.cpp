// Marshalling descriptors and constants: read, copied, written.
#include "support/allocation_counter.h"
#include "support/attribute_samples.h"
#include "support/catch.h"

#include <clrkit/dotnet/attributes/constant.h>
#include <clrkit/dotnet/attributes/marshalling.h>

using namespace clrkit;
using namespace clrkit::test;

namespace {

template <class Write>
Bytes written(Write write) {
    std::array<std::uint8_t, 64> scratch;
    WriteBuffer output(scratch);
    const BlobWriteContext context{output, {}};
    write(MarshalWriter(context));
    CHECK_FALSE(output.failed());
    return output.to_vector();
}

Copied copied_marshalling(const Bytes& blob) {
    return transcoded([&](const BlobReadContext& read, const BlobWriteContext& write) {
        return transcode_marshalling(blob, read, write);
    });
}

}  // namespace

TEST_CASE("What the marshalling writer writes is copied as the same bytes") {
    const std::vector<Bytes> all{
        written([](MarshalWriter w) { w.simple(NativeType::lpwstr); }),
        written([](MarshalWriter w) { w.array(NativeType::max); }),
        written([](MarshalWriter w) { w.array(NativeType::i4, 1, 300, 1); }),
        written([](MarshalWriter w) { w.fixed_array(16, NativeType::u1); }),
        written([](MarshalWriter w) { w.fixed_string(0x4000); }),
        written([](MarshalWriter w) { w.safe_array(std::nullopt); }),
        written([](MarshalWriter w) { w.safe_array(13, "A.B, C"); }),
        written([](MarshalWriter w) { w.interface(NativeType::iunknown, 2); }),
        written([](MarshalWriter w) { w.custom("A.B, C", "cookie"); }),
    };
    for (const Bytes& blob : all) check_same(copied_marshalling(blob), blob);
    CHECK(all[2] == Bytes{0x2A, 0x07, 0x01, 0x81, 0x2C, 0x01});
    CHECK(all[6] == joined({Bytes{0x1D, 13}, ser_string("A.B, C")}));
    CHECK(all[8] == joined({Bytes{0x2C, 0, 0}, ser_string("A.B, C"), ser_string("cookie")}));
}

TEST_CASE("A descriptor's parts are what its bytes say") {
    const Bytes array{0x2A, 0x50, 0x01, 0x02};
    const MarshallingDescriptor a = read_marshalling(array);
    CHECK(a.type == NativeType::array);
    CHECK(a.element == 0x50U);
    CHECK(a.parameter == 1U);
    CHECK(a.count == 2U);
    CHECK_FALSE(a.flags.has_value());
    const Bytes custom = joined({Bytes{0x2C}, ser_string("g"), ser_string("n"), ser_string("m, a"),
                                 ser_string("c"), Bytes{9}});
    const MarshallingDescriptor c = read_marshalling(custom);
    CHECK(c.guid == "g");
    CHECK(c.native_name == "n");
    CHECK(c.managed_name == "m, a");
    CHECK(c.cookie == "c");
    CHECK(c.trailing.size() == 1);
}

TEST_CASE("A descriptor that was read can be written again") {
    const Bytes blob = joined({Bytes{0x1D, 13}, ser_string("X"), Bytes{1, 2}});
    CHECK(written([&](MarshalWriter w) { w.descriptor(read_marshalling(blob)); }) == blob);
}

TEST_CASE("Copying descriptors and constants allocates nothing") {
    const Bytes blob = joined({Bytes{0x2C, 0, 0}, ser_string("A.B, C"), ser_string("cookie")});
    const Bytes number{1, 2, 3, 4};
    std::array<std::uint8_t, 64> scratch;
    WriteBuffer output(scratch);
    const Allocations made = allocations_in([&] {
        for (int i = 0; i < 100; ++i) {
            (void)transcode_marshalling(blob, {}, {output, {}});
            (void)transcode_constant(ElementType::i4, number, {}, {output, {}});
            output.reset();
        }
    });
    CHECK(made.count == 0);
}

// -------------------------------------------------------------------------------------- constants

TEST_CASE("A constant is a number, a text, or null") {
    using Kind = ConstantValue::Kind;
    const Bytes four{0x78, 0x56, 0x34, 0x12};
    const ConstantValue number = read_constant(ElementType::i4, four);
    CHECK(number.kind == Kind::number);
    CHECK(number.bits == 0x12345678);
    CHECK(number.bytes.size() == 4);
    CHECK(read_constant(ElementType::string, Bytes{'a', 0}).kind == Kind::text);
    CHECK(read_constant(ElementType::string, Bytes{}).kind == Kind::text);
    CHECK(read_constant(ElementType::class_, Bytes(4, 0)).kind == Kind::null);
}

TEST_CASE("A constant of a row is read by the row's type") {
    ImageSpec image = minimal();
    const std::uint32_t field = image.metadata.tables.add(table::Field, {0x8056, 0, 0});
    image.metadata.tables.add(table::Constant, {0x06, 0, coded("HasConstant", table::Field, field),
                                                image.metadata.heaps.blob({0x02, 0x01})});
    const Opened opened = open(image);
    require_kept(opened);
    CHECK(read_constant(opened.metadata, 1).bits == 0x0102);
    CHECK(read_constant(opened.metadata, 2).kind == ConstantValue::Kind::malformed);
}
