// Entries follow one another, so the table's bytes bound everything here.
#include <clrkit/core/pe/certificates.h>

#include <clrkit/core/bytes/reader.h>
#include <clrkit/core/pe/place.h>

#include <algorithm>

namespace clrkit::pe {
namespace {

constexpr std::uint32_t header_size = 8;
constexpr std::uint32_t alignment = 8;

}  // namespace

Certificates Certificates::read(const Image& image, Diagnostics* diagnostics) {
    Certificates result;
    const auto fault = [&](ErrorCode code, std::uint64_t offset, const char* note) {
        result.complete = false;
        report(diagnostics, Stage::pe, code, offset, note);
    };
    const DataDirectory directory = image.directory(Directory::certificate);
    if (directory.rva == 0 || directory.size == 0) return result;
    const std::uint64_t start = directory.rva;  // not an RVA
    const ByteSpan table = slice_clamped(image.bytes(), start, directory.size);
    if (table.size() < directory.size) {
        const auto entry = image.directory_offset(Directory::certificate);
        fault(ErrorCode::pe_directory_outside, entry.value_or(no_offset), "certificates");
    }
    if (table.empty()) return result;
    result.table = {start, table.size()};
    result.at_end = result.table.end() == image.bytes().size();

    ByteReader reader(table);
    while (reader.left() != 0 && !all_zero(reader.rest())) {
        Certificate certificate;
        certificate.offset = start + reader.position();
        certificate.length = reader.u32();
        certificate.revision = reader.u16();
        certificate.type = reader.u16();
        if (reader.ok() && certificate.length >= header_size) {
            certificate.data = reader.bytes(certificate.length - header_size);
        } else {
            reader.fail();
        }
        if (!reader.ok()) {
            fault(ErrorCode::pe_bad_entry, certificate.offset, "a certificate has a wrong length");
            break;
        }
        result.entries.push_back(certificate);
        const std::size_t padding = (alignment - reader.position() % alignment) % alignment;
        reader.skip(std::min(padding, reader.left()));
    }
    return result;
}

Status emit(const Certificates& certificates, MutableByteSpan out) {
    Placer placer(out);
    for (const Certificate& certificate : certificates.entries) {
        placer.put(certificate.offset, certificate.length);
        placer.put(certificate.offset + 4, certificate.revision);
        placer.put(certificate.offset + 6, certificate.type);
        placer.put(certificate.offset + header_size, certificate.data);
    }
    return placer.status();
}

void claim_certificates(const Certificates& certificates, std::vector<Claim>& claims) {
    for (std::size_t i = 0; i < certificates.entries.size(); ++i) {
        claim(claims, certificates.entries[i].range(), ClaimKind::certificate,
              static_cast<std::uint32_t>(i));
    }
}

}  // namespace clrkit::pe
