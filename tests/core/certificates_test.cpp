#include "core/pe_sample.h"

#include <clrkit/core/pe/certificates.h>
#include <clrkit/core/pe/rich_header.h>

#include <bit>

using namespace clrkit;
using namespace clrkit::test;
using pe::Certificates;
using pe::RichHeader;

namespace {

Bytes certificate(std::uint32_t length, const Bytes& data) {
    return joined({words({length, 0x00020200}), data});
}

PeSpec signed_with(const Bytes& table) {
    PeSpec spec = pe_with(pe::Directory::reserved, {1});
    spec.certificate = table;
    return spec;
}

}  // namespace

TEST_CASE("certificates: entries are read, with padding between them, and re-emitted") {
    const Sample sample(signed_with(joined(
        {certificate(13, bytes_of("first")), {0, 0, 0}, certificate(16, bytes_of("the next"))})));
    Diagnostics diagnostics;
    const Certificates certificates = Certificates::read(sample.image, &diagnostics);
    CHECK(diagnostics.empty());
    CHECK(certificates.complete);
    CHECK(certificates.at_end);
    REQUIRE(certificates.entries.size() == 2);
    CHECK(certificates.entries[0].revision == 0x200);
    CHECK(certificates.entries[0].type == 2);
    CHECK(certificates.entries[0].data.size() == 5);
    CHECK(certificates.entries[1].offset == certificates.table.offset + 16);
    check_reemits(sample.file, certificates, pe::claim_certificates);
}

TEST_CASE("certificates: bytes behind the table are seen") {
    Bytes file = build(signed_with(certificate(16, bytes_of("the only"))));
    file.push_back(0);
    const Sample sample(file);
    const Certificates certificates = Certificates::read(sample.image);
    CHECK(certificates.complete);
    CHECK(!certificates.at_end);
}

TEST_CASE("certificates: none is complete") {
    const Sample sample(pe_with(pe::Directory::reserved, {1}));
    CHECK(Certificates::read(sample.image).complete);
    CHECK(Certificates::read(sample.image).empty());
}

TEST_CASE("PE-40 a certificate of a bogus length: reported, the bytes stay the file's") {
    for (const std::uint32_t length : {0U, 7U, 17U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
        const Sample sample(signed_with(certificate(length, bytes_of("overlay!"))));
        Diagnostics diagnostics;
        const Certificates certificates = Certificates::read(sample.image, &diagnostics);
        INFO("length " << length);
        CHECK(certificates.entries.empty());
        CHECK(!certificates.complete);
        CHECK(certificates.at_end);
        CHECK(certificates.table.size == 16);
        CHECK(diagnostics.count(ErrorCode::pe_bad_entry) == 1);
        check_reemits(sample.file, certificates, pe::claim_certificates);
    }
}

TEST_CASE("PE-40 the certificate table runs past the file: reported, what is there is read") {
    const Bytes table = certificate(16, bytes_of("the only"));
    PeSpec spec = signed_with(table);
    const auto end = static_cast<std::uint32_t>(build(spec).size());
    spec.directories[4] = {end - 16, 0x7FFFFFFF};
    const Sample sample(spec);
    Diagnostics diagnostics;
    const Certificates certificates = Certificates::read(sample.image, &diagnostics);
    CHECK(!certificates.complete);
    CHECK(certificates.entries.size() == 1);
    CHECK(certificates.at_end);
    CHECK(diagnostics.count(ErrorCode::pe_directory_outside) == 1);
}

TEST_CASE("PE-40 the certificate table lies past the file: reported, nothing read") {
    PeSpec spec = signed_with(certificate(16, bytes_of("the only")));
    spec.directories[4] = {0x7FFFFFFF, 0x7FFFFFFF};
    const Sample sample(spec);
    Diagnostics diagnostics;
    const Certificates certificates = Certificates::read(sample.image, &diagnostics);
    CHECK(certificates.empty());
    CHECK(!certificates.complete);
}

// ------------------------------------------------------------------------------------ Rich header

namespace {

/// A DOS header and stub with a Rich header of two tools at 0x80, masked with its own checksum.
PeSpec rich() {
    PeSpec spec = pe_with(pe::Directory::reserved, {1});
    spec.dos.resize(0x80, 0x90);
    spec.pe_placed_at = 0xC0;
    std::uint32_t key = 0x80;
    for (std::uint32_t i = 0; i < 0x80; ++i) {
        if (i < 0x3C || i >= 0x40) {
            key += std::rotl(std::uint32_t{spec.dos[i]}, static_cast<int>(i % 32));
        }
    }
    key += std::rotl(0x00AB1234U, 5) + std::rotl(0x00CD5678U, 33 % 32);
    append(spec.dos, words({0x536E6144 ^ key, key, key, key, 0x00AB1234 ^ key, 5 ^ key,
                            0x00CD5678 ^ key, 33 ^ key, 0x68636952, key}));
    return spec;
}

}  // namespace

TEST_CASE("Rich header: entries and a valid checksum are read") {
    const Sample sample(rich());
    const auto header = RichHeader::read(sample.image);
    REQUIRE(header);
    CHECK(header->range == pe::FileRange{0x80, 40});
    REQUIRE(header->entries.size() == 2);
    CHECK(header->entries[0].product == 0xAB);
    CHECK(header->entries[0].build == 0x1234);
    CHECK(header->entries[0].count == 5);
    CHECK(header->entries[1].count == 33);
    CHECK(header->checksum_valid);
}

TEST_CASE("Rich header: a changed stub makes the checksum invalid") {
    PeSpec spec = rich();
    spec.dos[0x50] ^= 1;
    const Sample sample(spec);
    const auto header = RichHeader::read(sample.image);
    REQUIRE(header);
    CHECK(!header->checksum_valid);
}

TEST_CASE("Rich header: a mark without its beginning is none, and so is an empty stub") {
    PeSpec spec = rich();
    put(spec.dos, 0x80, words({0}));
    CHECK(!RichHeader::read(Sample(spec).image));
    CHECK(!RichHeader::read(Sample(pe_with(pe::Directory::reserved, {1})).image));
    PeSpec tiny = pe_with(pe::Directory::reserved, {1});
    tiny.dos.resize(0x40);
    tiny.pe_placed_at = 0x40;
    CHECK(!RichHeader::read(Sample(tiny).image));
}
