// Headers from an image and back. One function knows the two shapes of the optional header in each
// direction.
#include <clrkit/core/pe/headers.h>

#include <clrkit/core/pe/place.h>
#include <clrkit/core/try.h>

#include <algorithm>
#include <limits>

namespace clrkit::pe {
namespace {

template <class OptionalHeader>
void read_optional(const OptionalHeader& from, Headers& to) {
    to.start = from.start;
    if constexpr (requires { from.base_of_data; }) to.base_of_data = from.base_of_data;
    to.image_base = from.image_base;
    to.middle = from.middle;
    to.size_of_stack_reserve = from.size_of_stack_reserve;
    to.size_of_stack_commit = from.size_of_stack_commit;
    to.size_of_heap_reserve = from.size_of_heap_reserve;
    to.size_of_heap_commit = from.size_of_heap_commit;
    to.loader_flags = from.loader_flags;
    to.number_of_rva_and_sizes = from.number_of_rva_and_sizes;
}

template <class OptionalHeader>
OptionalHeader optional_of(const Headers& from) {
    // The fields wider in PE32+: cut here, checked by the caller.
    using Wide = std::conditional_t<std::is_same_v<OptionalHeader, OptionalHeader64>, std::uint64_t,
                                    std::uint32_t>;
    OptionalHeader to{};
    to.start = from.start;
    if constexpr (requires { to.base_of_data; }) to.base_of_data = from.base_of_data;
    to.image_base = static_cast<Wide>(from.image_base);
    to.middle = from.middle;
    to.size_of_stack_reserve = static_cast<Wide>(from.size_of_stack_reserve);
    to.size_of_stack_commit = static_cast<Wide>(from.size_of_stack_commit);
    to.size_of_heap_reserve = static_cast<Wide>(from.size_of_heap_reserve);
    to.size_of_heap_commit = static_cast<Wide>(from.size_of_heap_commit);
    to.loader_flags = from.loader_flags;
    to.number_of_rva_and_sizes = from.number_of_rva_and_sizes;
    return to;
}

Status check_widths(const Headers& headers) {
    if (headers.is_pe32_plus()) return {};
    const std::uint64_t widest =
        std::max({headers.image_base, headers.size_of_stack_reserve, headers.size_of_stack_commit,
                  headers.size_of_heap_reserve, headers.size_of_heap_commit});
    if (widest <= std::numeric_limits<std::uint32_t>::max()) return {};
    return failure(Stage::write, ErrorCode::value_too_wide, headers.optional_offset(),
                   "a field of a PE32 optional header has 32 bits");
}

}  // namespace

Headers Headers::read(const Image& image) {
    Headers headers;
    const ByteSpan file = image.bytes();
    headers.dos = image.dos_header();
    if (image.pe_offset() > sizeof(DosHeader)) {
        headers.stub =
            slice_clamped(file, sizeof(DosHeader), image.pe_offset() - sizeof(DosHeader));
    }
    headers.signature = load_le<std::uint32_t>(file.data() + image.pe_offset());
    headers.coff = image.coff();
    if (const OptionalHeader32* narrow = image.optional32()) read_optional(*narrow, headers);
    if (const OptionalHeader64* wide = image.optional64()) read_optional(*wide, headers);

    headers.directories.reserve(image.directory_entries());
    for (std::uint32_t i = 0; i < image.directory_entries(); ++i) {
        headers.directories.push_back(image.directory(static_cast<Directory>(i)));
    }
    const std::uint64_t extra =
        headers.directories_offset() + headers.directories.size() * sizeof(DataDirectory);
    if (headers.sections_offset() > extra) {
        headers.extra = slice_clamped(file, extra, headers.sections_offset() - extra);
    }
    const std::span<const SectionHeader> sections = image.sections();
    headers.sections.assign(sections.begin(), sections.end());
    return headers;
}

Status write(const Headers& headers, MutableByteSpan out) {
    TRY_DO(check_widths(headers));
    Placer placer(out);
    placer.put(0, headers.dos);
    placer.put(sizeof(DosHeader), headers.stub);
    placer.put(headers.dos.pe_offset, headers.signature);
    placer.put(headers.coff_offset(), headers.coff);
    if (headers.is_pe32_plus()) {
        placer.put(headers.optional_offset(), optional_of<OptionalHeader64>(headers));
    } else {
        placer.put(headers.optional_offset(), optional_of<OptionalHeader32>(headers));
    }
    std::uint64_t at = headers.directories_offset();
    for (const DataDirectory& directory : headers.directories) {
        placer.put(at, directory);
        at += sizeof(DataDirectory);
    }
    placer.put(at, headers.extra);
    at = headers.sections_offset();
    for (const SectionHeader& section : headers.sections) {
        placer.put(at, section);
        at += sizeof(SectionHeader);
    }
    return placer.status();
}

void claim_headers(const Headers& headers, std::vector<Claim>& claims) {
    const std::uint64_t pe = headers.dos.pe_offset;
    claim(claims, {0, std::min<std::uint64_t>(pe, sizeof(DosHeader))}, ClaimKind::dos_header);
    claim(claims, {sizeof(DosHeader), headers.stub.size()}, ClaimKind::dos_stub);
    const std::uint64_t directories_end =
        headers.directories_offset() + headers.directories.size() * sizeof(DataDirectory);
    claim(claims, {pe, directories_end + headers.extra.size() - pe}, ClaimKind::pe_headers);
    claim(claims, {headers.sections_offset(), headers.sections.size() * sizeof(SectionHeader)},
          ClaimKind::section_headers);
}

}  // namespace clrkit::pe
