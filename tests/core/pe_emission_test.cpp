// Every part of real images is put back from its parsed values, byte for byte.
#include "core/pe_sample.h"
#include "support/environment.h"

#include <clrkit/core/io/input_file.h>
#include <clrkit/core/pe/certificates.h>
#include <clrkit/core/pe/checksum.h>
#include <clrkit/core/pe/debug_directory.h>
#include <clrkit/core/pe/headers.h>
#include <clrkit/core/pe/imports.h>
#include <clrkit/core/pe/relocations.h>
#include <clrkit/core/pe/resources.h>

#include <filesystem>

using namespace clrkit;
using namespace clrkit::test;

namespace {

void check_parts(const pe::Image& image) {
    const ByteSpan file = image.bytes();
    const pe::Headers headers = pe::Headers::read(image);
    Bytes out(file.size(), 0);
    CHECK(write(headers, out).has_value());
    std::vector<pe::Claim> claims;
    claim_headers(headers, claims);
    check_emitted(file, out, claims);

    check_reemits(file, pe::Imports::read(image), pe::claim_imports);
    if (const auto thunk = pe::EntryThunk::read(image)) {
        check_reemits(file, *thunk, pe::claim_entry_thunk);
    }
    check_reemits(file, pe::Relocations::read(image), pe::claim_relocations);
    check_reemits(file, pe::DebugDirectory::read(image), pe::claim_debug_directory);
    check_reemits(file, pe::Resources::read(image), pe::claim_resources);
    check_reemits(file, pe::Certificates::read(image), pe::claim_certificates);
}

/// Checks all images below a folder and returns how many there were.
int check_folder(const std::filesystem::path& folder) {
    int images = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        const auto file = InputFile::open(entry.path().string());
        if (!file) continue;
        const auto image = pe::Image::parse(file->bytes());
        if (!image) continue;
        INFO(entry.path());
        check_parts(*image);
        ++images;
    }
    return images;
}

}  // namespace

TEST_CASE("PE parts: re-emitted from the images of testdata") {
    CHECK(check_folder(testdata() / "bin") > 1);
}

TEST_CASE("PE parts: re-emitted from the corpus") {
    const auto folder = corpus();
    if (!folder) SKIP_TEST("CLRKIT_CORPUS names no folder");
    CHECK(check_folder(*folder) > 100);
}
