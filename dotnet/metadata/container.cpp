// Finding the CLR header and the metadata root, and naming what is not a .NET image.
#include <clrkit/core/try.h>
#include <clrkit/dotnet/metadata/container.h>
#include <clrkit/dotnet/metadata/root.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

namespace clrkit {
namespace {

/// Every .NET app host carries this; the eight bytes in front of it are where a bundle's header is,
/// or zero when nothing is bundled (dotnet/runtime, design document for single-file bundles).
constexpr std::array<std::uint8_t, 32> bundle_marker{
    0x8B, 0x12, 0x02, 0xB9, 0x6A, 0x61, 0x20, 0x38, 0x72, 0x7B, 0x93, 0x02, 0x14, 0xD7, 0xA0, 0x32,
    0x13, 0xF5, 0xB9, 0xE6, 0xEF, 0xAE, 0x33, 0x18, 0xEE, 0x3B, 0x2D, 0xCE, 0x24, 0xB3, 0x6A, 0xAE};

/// Why a file that is no .NET image was refused, said as helpfully as its bytes allow.
ErrorCode refine(ByteSpan file, ErrorCode code) {
    if (code != ErrorCode::native_image && code != ErrorCode::elf_image) return code;
    const auto found =
        std::search(file.begin(), file.end(),
                    std::boyer_moore_horspool_searcher(bundle_marker.begin(), bundle_marker.end()));
    if (found == file.end()) return code;
    const auto at = static_cast<std::uint64_t>(found - file.begin());
    const bool bundled = at >= 8 && !all_zero(file.subspan(static_cast<std::size_t>(at - 8), 8));
    return bundled ? ErrorCode::single_file_bundle : ErrorCode::app_host;
}

bool starts_with_root(ByteSpan bytes) {
    return bytes.size() >= 4 && load_le<std::uint32_t>(bytes.data()) == metadata_signature;
}

/// Reads the CLR header and finds the metadata through the image's present mapping.
Status locate(Container& container) {
    const pe::Image& image = container.image;
    const pe::DataDirectory directory = image.directory(pe::Directory::clr_header);
    if (directory.rva == 0) return failure(Stage::clr, ErrorCode::native_image);
    const ByteSpan header = image.from(directory.rva);
    constexpr std::size_t needed = 16;  // through the metadata directory
    if (header.size() < needed) {
        return failure(Stage::clr, ErrorCode::clr_header_outside,
                       image.directory_offset(pe::Directory::clr_header).value_or(no_offset));
    }
    container.clr = {};
    std::memcpy(&container.clr, header.data(), std::min(header.size(), sizeof container.clr));
    container.clr_offset = image.offset_in_file(header);
    container.metadata = image.from(container.clr.metadata.rva);
    if (container.metadata.empty()) {
        return failure(Stage::clr, ErrorCode::metadata_outside, container.clr_offset + 8);
    }
    container.metadata_offset = image.offset_in_file(container.metadata);
    if (!starts_with_root(container.metadata)) {
        return failure(Stage::metadata, ErrorCode::metadata_bad_signature,
                       container.metadata_offset);
    }
    return {};
}

}  // namespace

Result<Container> Container::open_image(ByteSpan file, Diagnostics* diagnostics) {
    const auto parsed = pe::Image::parse(file, diagnostics);
    if (!parsed) {
        Error error = parsed.error();
        error.code = refine(file, error.code);
        return std::unexpected(error);
    }
    Container container;
    container.kind = ContainerKind::pe_file;
    container.file = file;
    container.image = *parsed;
    if (const Status found = locate(container); !found) {
        // Sections aligned below a page: Windows maps the file flat, other loaders do not.
        const bool was_flat = container.image.mapping() == pe::Mapping::memory;
        Container other = container;
        other.image =
            container.image.with_mapping(was_flat ? pe::Mapping::file : pe::Mapping::memory);
        if (!was_flat) other.kind = ContainerKind::pe_memory;
        if (!locate(other)) {
            Error error = found.error();
            error.code = refine(file, error.code);
            return std::unexpected(error);
        }
        container = other;
    }
    if (container.clr.size < sizeof(pe::ClrHeader)) {
        report(diagnostics, Stage::clr, ErrorCode::clr_header_small, container.clr_offset);
        report(diagnostics, Stage::clr, ErrorCode::refused_by_runtime, container.clr_offset,
               "the CLR header is too small");
    }
    return container;
}

std::optional<std::uint64_t> Container::mvid_copy(ByteSpan mvid) const {
    if (kind != ContainerKind::pe_file || mvid.empty()) return std::nullopt;
    for (const pe::SectionHeader& section : image.sections()) {
        if (section.name_view() != ".mvid") continue;
        const std::uint64_t offset = image.raw_offset(section);
        const ByteSpan there = slice_clamped(file, offset, mvid.size());
        if (std::ranges::equal(there, mvid)) return offset;
    }
    return std::nullopt;
}

Container Container::of_metadata(ByteSpan file) {
    Container container;
    container.file = file;
    container.metadata = file;
    return container;
}

}  // namespace clrkit
