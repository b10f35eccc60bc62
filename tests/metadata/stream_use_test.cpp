// Telling streams apart that begin at the same byte.
#include "support/catch.h"
#include "support/opened.h"

#include <clrkit/dotnet/write/writer.h>

#include <algorithm>

using namespace clrkit;

TEST_CASE("A stream that begins where an empty heap does is not taken for it") {
    test::ImageSpec image = test::minimal();
    image.metadata.tables.row(test::table::Module, 1)[col::Module::Mvid] = 0;
    image.metadata.heaps.guids.clear();
    const test::Bytes content = test::bytes_of("kept as it is");
    auto& streams = image.metadata.streams;
    const auto guids = std::ranges::find(streams, test::bytes_of("#GUID"), &test::StreamSpec::name);
    REQUIRE(guids != streams.end());
    streams.insert(guids + 1, test::stream("#Custom", content));
    const auto opened = test::open(image);
    REQUIRE(opened.module);

    const auto stream_of = [](const Metadata& metadata, std::string_view name) {
        auto cursor = metadata.root().streams();
        auto stream = cursor.next();
        while (stream && stream->name != name) stream = cursor.next();
        return stream;
    };
    const auto custom = stream_of(opened.metadata, "#Custom");
    const auto empty = stream_of(opened.metadata, "#GUID");
    REQUIRE(custom);
    REQUIRE(empty);
    REQUIRE(empty->content.data() == custom->content.data());
    CHECK(opened.metadata.use_of(*custom) == StreamUse::none);
    CHECK(opened.metadata.use_of(*empty) == StreamUse::guids);

    Writer writer;
    const auto rebuilt = writer.rebuild(opened.module->state());
    REQUIRE(rebuilt);
    const auto reopened = Module::from_bytes(rebuilt->bytes);
    REQUIRE(reopened);
    const auto kept = stream_of(reopened->metadata(), "#Custom");
    REQUIRE(kept);
    CHECK(std::ranges::equal(kept->content, custom->content));
}
