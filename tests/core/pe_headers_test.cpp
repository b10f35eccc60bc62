#include "core/pe_sample.h"

#include <clrkit/core/pe/checksum.h>
#include <clrkit/core/pe/headers.h>

using namespace clrkit;
using namespace clrkit::test;
using pe::Headers;

namespace {

PeSpec plain() { return pe_with(pe::Directory::reserved, bytes_of("part")); }

void check_written_back(const Bytes& file) {
    const auto image = pe::Image::parse(file);
    REQUIRE(image.has_value());
    const Headers headers = Headers::read(*image);
    Bytes out(file.size(), 0);
    REQUIRE(write(headers, out).has_value());
    std::vector<pe::Claim> claims;
    claim_headers(headers, claims);
    check_emitted(file, out, claims);
}

}  // namespace

TEST_CASE("Headers: PE32 and PE32+ are written back as they were read") {
    PeSpec spec = plain();
    spec.certificate = bytes_of("certificate.");
    spec.time_date_stamp = 0x12345678;
    spec.check_sum = 0x9ABCDEF0;
    check_written_back(build(spec));
    spec.pe32_plus = true;
    spec.image_base = 0x123456789ABCDEF0;
    check_written_back(build(spec));
}

TEST_CASE("Headers: bytes behind the directories and missing directories are written back") {
    PeSpec spec = plain();
    spec.optional_header_tail = bytes_of("behind the directories");
    check_written_back(build(spec));
    spec.directory_slots = 3;
    spec.optional_header_tail = bytes_of("odd");
    check_written_back(build(spec));
}

TEST_CASE("Headers: a PE header that overlaps the DOS header is written back") {
    PeSpec spec = plain();
    spec.dos.resize(4);
    spec.pe_placed_at = 4;
    spec.section_alignment = 4;  // e_lfanew is the same word
    spec.file_alignment = 4;
    const Bytes file = build(spec);
    check_written_back(file);
    std::vector<pe::Claim> claims;
    claim_headers(Headers::read(*pe::Image::parse(file)), claims);
    CHECK(claims[0].kind == pe::ClaimKind::dos_header);
    CHECK(claims[0].end() == 4);
}

TEST_CASE("Headers: section headers that the file has no room for are not there") {
    PeSpec spec = plain();
    spec.number_of_sections = 0xFFFF;
    const Bytes file = build(spec);
    const Headers headers = Headers::read(*pe::Image::parse(file));
    CHECK(headers.coff.number_of_sections == 0xFFFF);
    CHECK(headers.sections.size() < 10);
    check_written_back(file);
}

TEST_CASE("Headers: a changed field changes its own bytes only") {
    const Bytes file = build(plain());
    Headers headers = Headers::read(*pe::Image::parse(file));
    headers.size_of_heap_commit = 0x11223344;
    Bytes out = file;
    REQUIRE(write(headers, out).has_value());
    Bytes expected = file;
    put(expected, plain().optional_offset() + 84, little_endian(0x11223344, 4));
    CHECK(out == expected);
}

TEST_CASE("Headers: a value that PE32 cannot hold is refused") {
    const Bytes file = build(plain());
    Headers headers = Headers::read(*pe::Image::parse(file));
    headers.image_base = 0x100000000;
    Bytes out(file.size(), 0);
    const Status status = write(headers, out);
    REQUIRE(!status);
    CHECK(status.error().code == ErrorCode::value_too_wide);
}

TEST_CASE("Headers: a buffer that is too small is refused") {
    const Bytes file = build(plain());
    const Headers headers = Headers::read(*pe::Image::parse(file));
    Bytes out(0x100, 0);
    const Status status = write(headers, out);
    REQUIRE(!status);
    CHECK(status.error().code == ErrorCode::output_budget);
}

TEST_CASE("image: sections aligned below a page are found by the table when the CLR header moves") {
    PeSpec spec = pe_with(pe::Directory::clr_header, Bytes(72, 1));
    spec.section_alignment = 0x200;
    const Sample sample(spec);
    CHECK(sample.image.mapping() == pe::Mapping::file);
    CHECK(sample.image.offset_of(part_rva) == part_offset);
}

TEST_CASE("checksum: is the one the linker wrote") {
    // The words 1, 2, ... 8 add up to 36; the field in the middle, 3 and 4, does not count.
    const Bytes file = joined({words({0x00020001, 0x00040003, 0x00060005, 0x00080007})});
    const ByteSpan whole = file;
    CHECK(pe::checksum({&whole, 1}, 4) == 36 - 7 + 16);
}

TEST_CASE("checksum: carries go around") {
    const Bytes file = words({0xFFFFFFFF, 0, 0x0003FFFF});
    const ByteSpan whole = file;
    CHECK(pe::checksum({&whole, 1}, 4) == 3 + 12);
}

TEST_CASE("checksum: does not depend on how the file is cut into parts") {
    Bytes file;
    for (std::uint32_t i = 0; i < 1001; ++i) file.push_back(static_cast<std::uint8_t>(i * 37 + 11));
    const ByteSpan whole = file;
    const std::uint32_t expected = pe::checksum({&whole, 1}, 300);
    for (std::size_t first = 0; first <= 310; ++first) {
        const ByteSpan parts[] = {
            whole.first(first), {}, whole.subspan(first, 3), whole.subspan(first + 3)};
        INFO("cut at " << first);
        REQUIRE(pe::checksum(parts, 300) == expected);
    }
}

TEST_CASE("checksum: the field does not count, wherever it is") {
    Bytes file(64, 0x55);
    const ByteSpan whole = file;
    for (std::size_t field = 0; field < 70; ++field) {
        const std::uint32_t before = pe::checksum({&whole, 1}, field);
        const Bytes saved = file;
        for (std::size_t i = field; i < std::min<std::size_t>(field + 4, file.size()); ++i) {
            file[i] = 0xA7;
        }
        CHECK(pe::checksum({&whole, 1}, field) == before);
        std::copy(saved.begin(), saved.end(), file.begin());
    }
}
