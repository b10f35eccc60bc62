// VS_VERSIONINFO, built in source: every order, every damage.
#include "core/pe_sample.h"
#include "support/environment.h"
#include "support/real_files.h"

#include <clrkit/core/io/input_file.h>
#include <clrkit/core/pe/version_info.h>

#include <random>

using namespace clrkit;
using namespace clrkit::test;
using pe::VersionInfo;

namespace {

Bytes utf16(std::u16string_view text) {
    Bytes out;
    for (const char16_t unit : text) append(out, little_endian(unit, 2));
    return out;
}

std::u16string text_of(ByteSpan units) {
    std::u16string out;
    for (std::size_t i = 0; i + 2 <= units.size(); i += 2)
        out += static_cast<char16_t>(load_le<std::uint16_t>(units.data() + i));
    return out;
}

void align(Bytes& bytes) { bytes.resize((bytes.size() + 3) / 4 * 4); }

/// One block: header, key, value, children, each aligned.
Bytes block(std::u16string_view key, std::uint16_t kind, const Bytes& value,
            const std::vector<Bytes>& children = {}) {
    Bytes out(4, 0);
    append(out, little_endian(kind, 2));
    append(out, utf16(key));
    append(out, {0, 0});
    align(out);
    append(out, value);
    for (const Bytes& child : children) {
        align(out);
        append(out, child);
    }
    put(out, 0, little_endian(out.size(), 2));
    put(out, 2, little_endian(kind == 1 ? value.size() / 2 : value.size(), 2));
    return out;
}

Bytes string(std::u16string_view key, std::u16string_view value) {
    Bytes units = utf16(value);
    append(units, {0, 0});
    return block(key, 1, units);
}

Bytes fixed() {
    return words({pe::fixed_file_info_signature, 0x10000, 0x00010002, 0x00030004, 0x00050006,
                  0x00070008, 0x3F, 0, 4, 2, 0, 0, 0});
}

Bytes strings() {
    return block(u"StringFileInfo", 1, {},
                 {block(u"040904B0", 1, {},
                        {string(u"CompanyName", u"Ünïcode & Co"), string(u"FileVersion", u"1.2")}),
                  block(u"00000000", 1, {}, {string(u"Comments", u"")})});
}

Bytes translations() {
    return block(u"VarFileInfo", 1, {},
                 {block(u"Translation", 0, words({0x04B00409, 0x04B00000}))});
}

Bytes whole() { return block(u"VS_VERSION_INFO", 0, fixed(), {strings(), translations()}); }

struct Read {
    Bytes bytes;
    Diagnostics diagnostics;
    VersionInfo info;
};

/// Reads the bytes as a leaf that stands at offset 0x1000 of its file.
Read read(Bytes bytes) {
    Read out{std::move(bytes), {}, {}};
    pe::ResourceLeaf leaf;
    leaf.data = out.bytes;
    leaf.range = {0x1000, out.bytes.size()};
    out.info = VersionInfo::read(leaf, &out.diagnostics);
    return out;
}

void check_whole(const Read& read) {
    const VersionInfo& info = read.info;
    CHECK(info.complete);
    CHECK(read.diagnostics.empty());
    REQUIRE(info.fixed);
    CHECK(info.fixed->file_version_high == 0x00010002U);
    CHECK(info.fixed->product_version_low == 0x00070008U);
    REQUIRE(info.tables.size() == 2);
    CHECK(text_of(info.tables[0].key) == u"040904B0");
    REQUIRE(info.strings_of(info.tables[0]).size() == 2);
    REQUIRE(info.strings_of(info.tables[1]).size() == 1);
    REQUIRE(info.find(u"CompanyName") != nullptr);
    CHECK(text_of(info.find(u"CompanyName")->value) == u"Ünïcode & Co");
    CHECK(text_of(info.find(u"FileVersion")->value) == u"1.2");
    CHECK(info.find(u"Comments")->value.empty());
    CHECK(info.find(u"Comment") == nullptr);
    REQUIRE(info.translations.size() == 2);
    CHECK(info.translations[0].language == 0x409);
    CHECK(info.translations[0].code_page == 1200);
}

}  // namespace

TEST_CASE("version info: everything is read") { check_whole(read(whole())); }

TEST_CASE("version info: translations may stand before strings") {
    check_whole(read(block(u"VS_VERSION_INFO", 0, fixed(), {translations(), strings()})));
}

TEST_CASE("version info: unknown blocks are passed over") {
    check_whole(read(
        block(u"VS_VERSION_INFO", 0, fixed(),
              {block(u"Else", 1, {}, {string(u"a", u"b")}), strings(),
               block(u"VarFileInfo", 1, {}, {block(u"Other", 0, words({1}))}), translations()})));
}

TEST_CASE("version info: zeros behind a block are padding, inside and outside") {
    Bytes padded = whole();
    padded.resize(padded.size() + 40);
    check_whole(read(padded));
    put(padded, 0, little_endian(padded.size(), 2));
    check_whole(read(padded));
}

TEST_CASE("version info: a value's length counts units or bytes; the text is the same") {
    for (const std::uint32_t stored : {0U, 1U, 4U, 8U, 0xFFFFU}) {
        Bytes odd = string(u"FileVersion", u"1.2");
        put(odd, 2, little_endian(stored, 2));
        const Read got =
            read(block(u"VS_VERSION_INFO", 0, fixed(),
                       {block(u"StringFileInfo", 1, {}, {block(u"040904B0", 1, {}, {odd})})}));
        REQUIRE(got.info.find(u"FileVersion") != nullptr);
        CHECK(text_of(got.info.find(u"FileVersion")->value) == u"1.2");
    }
}

TEST_CASE("version info: without a fixed part") {
    const Read got = read(block(u"VS_VERSION_INFO", 0, {}, {strings()}));
    CHECK(got.info.complete);
    CHECK(!got.info.fixed);
    CHECK(got.info.strings.size() == 3);
}

TEST_CASE("version info: a fixed part without its signature is reported") {
    Bytes bad = whole();
    put(bad, 40, words({0}));
    const Read got = read(bad);
    CHECK(!got.info.fixed);
    CHECK(!got.info.complete);
    REQUIRE(got.diagnostics.total() == 1);
    CHECK(got.diagnostics.kept()[0].offset == 0x1000 + 40);
    CHECK(got.info.strings.size() == 3);
}

TEST_CASE("version info: a block without a length ends its siblings") {
    Bytes bad = string(u"CompanyName", u"x");
    put(bad, 0, {0, 0});
    const Read got =
        read(block(u"VS_VERSION_INFO", 0, fixed(),
                   {block(u"StringFileInfo", 1, {}, {block(u"040904B0", 1, {}, {bad})})}));
    CHECK(!got.info.complete);
    CHECK(got.diagnostics.total() == 1);
    CHECK(got.info.strings.empty());
}

TEST_CASE("version info: a block longer than its parent is cut and reported") {
    Bytes bad = whole();
    put(bad, 0, little_endian(0xFFFF, 2));
    const Read got = read(bad);
    CHECK(!got.info.complete);
    CHECK(got.info.strings.size() == 3);
}

TEST_CASE("version info: no bytes, few bytes, nothing but zeros") {
    for (const std::size_t size : {0U, 1U, 5U, 6U, 7U, 100U}) {
        const Read got = read(Bytes(size, 0));
        CHECK(!got.info.complete);
        CHECK(got.info.strings.empty());
    }
}

TEST_CASE("version info: cut anywhere, damaged anywhere") {
    const Bytes good = whole();
    for (std::size_t size = 0; size < good.size(); ++size) {
        Bytes part(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
        part.shrink_to_fit();
        CHECK(!read(part).info.complete);
    }
    std::mt19937 random(20260719);
    for (int round = 0; round < 20'000; ++round) {
        Bytes bad = good;
        for (int i = 0; i < 3; ++i)
            bad[random() % bad.size()] = static_cast<std::uint8_t>(random());
        const Read got = read(bad);
        CHECK(got.info.strings.size() <= bad.size() / 6);
    }
}

TEST_CASE("version info: padded strings of an installer") {
    if (!corpus()) SKIP_TEST("CLRKIT_CORPUS is not set");
    const auto path = *corpus() / "asmresolver/HelloWorld.PaddedVersionInfo.exe";
    const auto file = InputFile::open(path.string());
    REQUIRE(file);
    const auto image = pe::Image::parse(file->bytes());
    REQUIRE(image);
    const pe::Resources resources = pe::Resources::read(*image);
    const auto* leaf = resources.find(pe::resource_type::version);
    REQUIRE(leaf != nullptr);
    const VersionInfo info = VersionInfo::read(*leaf);
    CHECK(info.complete);
    REQUIRE(info.find(u"FileDescription") != nullptr);
    CHECK(text_of(info.find(u"FileDescription")->value).starts_with(u"This is a test application"));
}

TEST_CASE("version info: compilers' own are read whole") {
    std::size_t found = 0;
    for (const FileSet& set : real_files()) {
        if (set.name == "corpus") continue;
        for (const auto& path : set.files) {
            const auto file = InputFile::open(path.string());
            if (!file) continue;
            const auto image = pe::Image::parse(file->bytes());
            if (!image) continue;
            const pe::Resources resources = pe::Resources::read(*image);
            const auto* leaf = resources.find(pe::resource_type::version);
            if (leaf == nullptr) continue;
            INFO(path.string());
            const VersionInfo info = VersionInfo::read(*leaf);
            CHECK(info.complete);
            CHECK(info.fixed.has_value());
            CHECK(info.find(u"FileVersion") != nullptr);
            ++found;
        }
    }
    std::printf("version resources of compilers read whole: %zu\n", found);
    CHECK(found > 0);
}
