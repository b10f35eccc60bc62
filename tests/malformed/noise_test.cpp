// Images cut short, and images with random damage: whatever opens can be walked and is kept by an
// unedited save, whatever does not says at which stage and why. The seeds are fixed.
#include "support/catch.h"
#include "support/environment.h"
#include "support/opened.h"

#include <clrkit/dotnet/write/writer.h>

#include <fstream>
#include <iterator>
#include <random>

using namespace clrkit;
using namespace clrkit::test;

namespace {

Bytes read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file.good());
    return {std::istreambuf_iterator<char>(file), {}};
}

Bytes hello() { return read_file(testdata() / "bin" / "hello.exe"); }

Bytes cut(const Bytes& file, std::size_t size) {
    return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)};
}

void check_cuts(const Bytes& file, std::size_t step) {
    for (std::size_t size = 0; size < file.size(); size += step) {
        INFO("cut at " << size);
        check_survives(open(cut(file, size)));
    }
}

/// CHECKs that a rebuild is refused with a code, or gives an image that opens with the same rows.
void check_rebuild(const Opened& opened, Writer& writer) {
    if (!opened.module) return;
    RebuildOptions options;
    options.limits.output_bytes = std::uint64_t{1} << 20U;
    const auto rebuilt = writer.rebuild(opened.module->state(), options);
    if (!rebuilt) {
        CHECK(rebuilt.error().code != ErrorCode::none);
        return;
    }
    const Opened again = open(Bytes(rebuilt->bytes.begin(), rebuilt->bytes.end()));
    REQUIRE_FALSE(again.error.has_value());
    for (std::size_t i = 0; i < table_slots; ++i) {
        const auto table = static_cast<Table>(i);
        CHECK(again.metadata.rows(table) == opened.metadata.rows(table));
    }
    walk(again);
}

/// Flips one random bit at a time; each file has one flipped bit.
void check_flips(const Bytes& file, std::uint32_t seed, int count) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<std::size_t> bit(0, file.size() * 8 - 1);
    Writer writer;
    for (int i = 0; i < count; ++i) {
        const std::size_t at = bit(random);
        INFO("bit " << at % 8 << " of byte " << at / 8);
        Bytes damaged = file;
        damaged[at / 8] = static_cast<std::uint8_t>(damaged[at / 8] ^ 1U << at % 8);
        const Opened opened = open(damaged);
        check_survives(opened);
        check_rebuild(opened, writer);
        check_survives(open(damaged, Eyes::mono));
    }
}

/// Overwrites a few random bytes with values that parsers dislike.
void check_bursts(const Bytes& file, std::uint32_t seed, int count) {
    constexpr std::uint8_t nasty[] = {0x00, 0x01, 0x7F, 0x80, 0xC0, 0xDF, 0xFE, 0xFF};
    std::mt19937 random(seed);
    Writer writer;
    for (int i = 0; i < count; ++i) {
        INFO("round " << i);
        Bytes damaged = file;
        const std::size_t places = 1 + random() % 16;
        for (std::size_t place = 0; place < places; ++place) {
            damaged[random() % damaged.size()] = nasty[random() % std::size(nasty)];
        }
        const Opened opened = open(damaged);
        check_survives(opened);
        check_rebuild(opened, writer);
    }
}

/// An image in which every table has a row whose cells point to the first row of everything.
ImageSpec every_table() {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    constexpr std::size_t columns[] = {5, 3, 6, 1, 3, 1, 6, 1, 3, 2, 3, 4, 3, 2, 3,
                                       3, 2, 1, 2, 1, 3, 2, 1, 3, 3, 3, 1, 1, 4, 2,
                                       2, 1, 9, 1, 3, 9, 2, 4, 3, 5, 4, 2, 4, 2, 2};
    for (std::size_t id = 0; id < std::size(columns); ++id) {
        tables.add(static_cast<table::Id>(id), Row(columns[id], 1));
    }
    return image;
}

}  // namespace

TEST_CASE("a small image cut at every byte") { check_cuts(build(minimal()), 1); }

TEST_CASE("an image with every table cut at every 7 bytes") { check_cuts(build(every_table()), 7); }

TEST_CASE("a compiler's image cut at every 64 bytes") { check_cuts(hello(), 64); }

TEST_CASE("a Portable PDB cut at every byte") {
    const Bytes whole = minimal_pdb().encode();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        INFO("cut at " << size);
        Diagnostics diagnostics;
        MetadataOptions options;
        options.diagnostics = &diagnostics;
        const Bytes part = cut(whole, size);
        const auto metadata = Metadata::parse(part, 0, options);
        CHECK((metadata.has_value() || metadata.error().code != ErrorCode::none));
    }
}

TEST_CASE("a small image with one bit flipped, every bit of headers, root and tables") {
    const ImageSpec image = minimal();
    const Bytes file = build(image);
    const std::size_t headers_end = image.pe.section_header_offset(1);
    const std::size_t tables_end =
        image.metadata_offset() + image.metadata.stream_offset("#Strings");
    for (std::size_t byte = 0; byte < tables_end; ++byte) {
        if (byte == headers_end) byte = image.clr_offset();
        for (unsigned bit = 0; bit < 8; ++bit) {
            INFO("bit " << bit << " of byte " << byte);
            Bytes damaged = file;
            damaged[byte] = static_cast<std::uint8_t>(damaged[byte] ^ 1U << bit);
            check_survives(open(damaged));
        }
    }
}

TEST_CASE("an image with every table, one random bit flipped") {
    check_flips(build(every_table()), 20'240'229, 3000);
}

TEST_CASE("a compiler's image with one random bit flipped") { check_flips(hello(), 7, 3000); }

TEST_CASE("images with up to 16 random bytes overwritten") {
    check_bursts(build(every_table()), 31, 3000);
    check_bursts(hello(), 32, 3000);
}

TEST_CASE("an image whose tables hold random bytes") {
    std::mt19937 random(99);
    for (int i = 0; i < 300; ++i) {
        INFO("round " << i);
        ImageSpec image = every_table();
        for (int id = 0; id <= 0x2C; ++id) {
            image.metadata.tables.declared_rows[id] = 3;
            Bytes rows(static_cast<std::size_t>(3 * image.metadata.tables.row_size(id)));
            for (std::uint8_t& byte : rows) byte = static_cast<std::uint8_t>(random() % 6);
            image.metadata.tables.raw_rows[id] = rows;
        }
        check_survives(open(image));
    }
}

TEST_CASE("random bytes, with and without the magic of an image in front") {
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        INFO("round " << i);
        Bytes noise(random() % 700);
        for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>(random());
        check_survives(open(noise));
        put(noise, 0, bytes_of("MZ"));
        put(noise, 0x3C, little_endian(0x40, 4));
        put(noise, 0x40, bytes_of(std::string_view("PE\0\0", 4)));
        check_survives(open(noise));
        put(noise, 0x58, little_endian(0x10B, 2));
        check_survives(open(noise));
    }
}
