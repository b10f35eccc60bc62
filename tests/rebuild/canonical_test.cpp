// Canonical form: a rebuild depends on what an image means, not on how wastefully it was written.
#include "support/catch.h"
#include "support/noise.h"
#include "support/real_files.h"
#include "support/rebuilt.h"

#include <cstdio>
#include <string>

using namespace clrkit;

TEST_CASE(
    "Rebuilding an image with noise gives the same bytes as rebuilding it without, and fewer") {
    Writer writer;
    int same = 0;
    int exempt = 0;
    for (const test::FileSet& set : test::real_files()) {
        if (set.name == "dotnet") continue;  // compilers' output of many kinds is in the others
        for (const auto& path : set.files) {
            const auto original = Module::open(path.string());
            if (!original) continue;
            INFO(path);
            const auto rebuilt = writer.rebuild(original->state(), test::rebuild_freely());
            if (!rebuilt) continue;
            if (rebuilt->report.literal_pin != rebuild::LiteralPin::none ||
                rebuilt->report.blobs_pinned) {
                ++exempt;
                continue;
            }
            const test::Bytes clean(rebuilt->bytes.begin(), rebuilt->bytes.end());
            const auto module = Module::from_bytes(clean);
            REQUIRE(module);
            const test::Bytes noisy = test::with_noise(*module, {.seed = 7, .wide = same % 4 == 0});
            REQUIRE_FALSE(noisy.empty());
            CHECK(noisy.size() >= clean.size());
            const auto reopened = Module::from_bytes(noisy);
            REQUIRE(reopened);
            const bool alike = test::rebuilt(writer, *reopened) == clean;
            CHECK(alike);
            ++same;
        }
    }
    std::printf("  %d alike, %d exempt: their literals or blobs are pinned\n", same, exempt);
    CHECK(same > 0);
}
