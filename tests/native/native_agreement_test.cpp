// LIEF's view of every image of this machine against our own.
#include "support/catch.h"
#include "support/environment.h"
#include "support/real_files.h"

#include <clrkit/core/io/input_file.h>
#include <clrkit/core/native/client.h>
#include <clrkit/core/native/compare.h>
#include <clrkit/core/pe/debug_directory.h>
#include <clrkit/core/pe/relocations.h>
#include <clrkit/core/pe/rich_header.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using namespace clrkit;
using namespace clrkit::test;

namespace {

struct Tally {
    std::size_t agree = 0;
    std::size_t not_pe = 0;
    std::size_t exceptions = 0;
};

/// Where LIEF is right to say no: the PE signature is damaged, which Mono does not mind.
bool is_known_exception(const std::string& path) {
    return std::ranges::any_of(std::vector{"bitmono_bitdotnet.exe", "bitmono_maximum.exe"},
                               [&](const char* name) { return path.ends_with(name); });
}

std::string rich_text(std::uint32_t key, std::uint64_t tools) {
    return std::to_string(key) + " with " + std::to_string(tools);
}

/// What `disagreements` does not compare: parts that hostile files make differ for good reasons.
std::vector<std::string> further_disagreements(const pe::Image& image, const native::Facts& facts) {
    std::vector<std::string> found;
    const auto rich = pe::RichHeader::read(image);
    const std::string ours = rich ? rich_text(rich->key, rich->entries.size()) : "none";
    const std::string theirs =
        facts.rich ? rich_text(facts.rich->key, facts.rich->tools.count) : "none";
    if (ours != theirs) found.push_back("Rich header: " + ours + " here, " + theirs + " there");
    const pe::Relocations relocations = pe::Relocations::read(image);
    if (relocations.complete && relocations.entries.size() != facts.relocations) {
        found.push_back("relocations: " + std::to_string(relocations.entries.size()) + " here, " +
                        std::to_string(facts.relocations) + " there");
    }
    const pe::DebugDirectory debug = pe::DebugDirectory::read(image);
    if (!debug.entries.empty() && !facts.debug.items.empty() &&
        debug.entries[0].header.type != facts.debug.items[0].type) {
        found.emplace_back("the first debug entry has another type");
    }
    return found;
}

void compare(const std::string& path, Tally& tally) {
    const auto file = InputFile::open(path);
    REQUIRE(file);
    const auto image = pe::Image::parse(file->bytes());
    if (!image) {
        ++tally.not_pe;
        return;
    }
    const auto facts = native::ask(file->bytes());
    if (is_known_exception(path)) {
        CHECK(!facts);
        ++tally.exceptions;
        return;
    }
    INFO(path);
    if (!facts) {
        FAIL_CHECK(facts.error().sentence);
        return;
    }
    auto found = native::disagreements(*image, *facts);
    const auto further = further_disagreements(*image, *facts);
    found.insert(found.end(), further.begin(), further.end());
    for (const std::string& sentence : found) FAIL_CHECK(sentence);
    if (found.empty()) ++tally.agree;
}

}  // namespace

TEST_CASE("native agreement: LIEF and clrkit see the same in every image of the machine") {
    if (native::find_helper().empty()) SKIP_TEST("clrkit-native is not built: LIEF was not found");
    if (!corpus()) std::printf("SKIPPED: native agreement: CLRKIT_CORPUS is not set\n");
    for (const FileSet& set : real_files()) {
        Tally tally;
        for (const auto& path : set.files) compare(path.string(), tally);
        std::printf("%s: %zu agree, %zu refused as they should be, %zu no PE images\n",
                    set.name.c_str(), tally.agree, tally.exceptions, tally.not_pe);
        CHECK(tally.agree + tally.exceptions + tally.not_pe == set.files.size());
    }
}
