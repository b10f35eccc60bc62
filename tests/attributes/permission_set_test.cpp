// Permission sets: read, copied, written.
#include "support/allocation_counter.h"
#include "support/attribute_samples.h"
#include "support/catch.h"

#include <clrkit/dotnet/attributes/permission_set.h>

using namespace clrkit;
using namespace clrkit::test;

namespace {

const char* const security = "System.Security.Permissions.SecurityPermissionAttribute, mscorlib";

/// `.`, two attributes: one with a property, one without arguments.
Bytes two_attributes() {
    const Bytes arguments = joined({Bytes{0x01, 0x54, 0x02}, ser_string("Flag"), Bytes{0x01}});
    return joined({Bytes{'.', 0x02}, ser_string(security),
                   compressed(static_cast<std::uint32_t>(arguments.size())), arguments,
                   ser_string("Other"), Bytes{0x01, 0x00}});
}

Copied copied_set(const Opened& opened, const Bytes& blob) {
    return transcoded([&](const BlobReadContext& read, const BlobWriteContext& write) {
        return transcode_permission_set(blob, opened.metadata, {}, read, write);
    });
}

}  // namespace

TEST_CASE("A binary permission set is copied byte for byte") {
    const Opened opened = open(minimal());
    const Bytes blob = two_attributes();
    check_same(copied_set(opened, blob), blob);
    const Bytes trailing = joined({blob, Bytes{1, 2, 3}});
    check_same(copied_set(opened, trailing), trailing);
}

TEST_CASE("A size in front of arguments that shrink shrinks with them") {
    const Opened opened = open(minimal());
    const Bytes blob = joined({Bytes{'.', 0x01}, ser_string("T"), Bytes{0x80, 0x09},
                               Bytes{0x01, 0x54, 0x02, 0x80, 0x01, 'F', 0x01, 0xAA, 0xBB}});
    const Copied copy = copied_set(opened, blob);
    CHECK(copy.result == Transcoding::changed);
    CHECK(copy.bytes == joined({Bytes{'.', 0x01}, ser_string("T"), Bytes{0x08},
                                Bytes{0x01, 0x54, 0x02, 0x01, 'F', 0x01, 0xAA, 0xBB}}));
    CHECK(copied_set(opened, copy.bytes).result == Transcoding::same);
}

TEST_CASE("The model of a permission set has its attributes and their arguments") {
    const Opened opened = open(minimal());
    const Bytes blob = two_attributes();
    PermissionSet set;
    REQUIRE(read_permission_set(blob, opened.metadata, {}, {}, set));
    CHECK(set.form == PermissionSet::Form::binary);
    REQUIRE(set.attributes.size() == 2);
    CHECK(set.attributes[0].type_name == security);
    CHECK(set.attributes[0].named_count == 1);
    REQUIRE(set.nodes.size() == 2);
    CHECK(set.attributes[0].end_node == 2);
    CHECK(set.attributes[1].first_node == set.attributes[1].end_node);
    CHECK(set.nodes[0].text() == "Flag");
    CHECK(set.nodes[1].bits == 1);
    const Bytes xml{'<', 0, '/', 0};
    REQUIRE(read_permission_set(xml, opened.metadata, {}, {}, set));
    CHECK(set.form == PermissionSet::Form::xml);
    CHECK(set.attributes.empty());
    CHECK(set.raw.size() == 4);
}

TEST_CASE("What the permission set writer writes is read as that") {
    std::array<std::uint8_t, 256> scratch;
    std::array<std::uint8_t, 64> more_scratch;
    WriteBuffer output(scratch);
    WriteBuffer arguments(more_scratch);
    const BlobWriteContext context{output, {}};
    const BlobWriteContext inner{arguments, {}};
    const PermissionSetWriter writer(context);
    const CustomAttributeWriter named(inner);
    writer.begin(2);
    named.property(CustomAttributeWriter::of(ElementType::boolean), "Flag");
    named.boolean(true);
    writer.attribute(security, 1, arguments);
    arguments.reset();
    writer.attribute("Other", 0, arguments);
    CHECK_FALSE(output.failed());
    CHECK(output.to_vector() == two_attributes());
}

TEST_CASE("Copying a permission set allocates nothing") {
    const Opened opened = open(minimal());
    const Bytes blob = two_attributes();
    std::array<std::uint8_t, 256> scratch;
    WriteBuffer output(scratch);
    const Allocations made = allocations_in([&] {
        for (int i = 0; i < 100; ++i) {
            (void)transcode_permission_set(blob, opened.metadata, {}, {}, {output, {}});
            output.reset();
        }
    });
    CHECK(made.count == 0);
}
