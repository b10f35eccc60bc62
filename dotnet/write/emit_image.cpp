// Emitting an image part by part.
#include <clrkit/core/pe/certificates.h>
#include <clrkit/core/pe/debug_directory.h>
#include <clrkit/core/pe/headers.h>
#include <clrkit/core/pe/imports.h>
#include <clrkit/core/pe/relocations.h>
#include <clrkit/core/pe/resources.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/write/emit_image.h>
#include <clrkit/dotnet/write/emit_metadata.h>

#include <algorithm>

namespace clrkit {
namespace {

using pe::ClaimKind;

/// True for parts whose content is not parsed, only measured.
bool is_extent(ClaimKind kind) {
    switch (kind) {
        case ClaimKind::string_heap:
        case ClaimKind::blob_heap:
        case ClaimKind::guid_heap:
        case ClaimKind::user_string_heap:
        case ClaimKind::other_stream:
        case ClaimKind::method_body:
        case ClaimKind::field_data:
        case ClaimKind::managed_resources:
        case ClaimKind::strong_name_signature:
        case ClaimKind::mvid_copy:
        case ClaimKind::gap:
        case ClaimKind::overlay: return true;
        default: return false;
    }
}

Status emit_container(const pe::Image& image, const Limits& limits, MutableByteSpan out) {
    TRY_DO(pe::write(pe::Headers::read(image), out));
    TRY_DO(pe::emit(pe::Imports::read(image, nullptr, limits), out));
    if (const auto thunk = pe::EntryThunk::read(image)) TRY_DO(pe::emit(*thunk, out));
    TRY_DO(pe::emit(pe::Relocations::read(image), out));
    TRY_DO(pe::emit(pe::DebugDirectory::read(image, nullptr, limits), out));
    TRY_DO(pe::emit(pe::Resources::read(image, nullptr, limits), out));
    return pe::emit(pe::Certificates::read(image), out);
}

}  // namespace

Result<Pages> emit_image(const ModuleState& state, const Limits& limits) {
    TRY(const Coverage coverage, cover(state, limits));
    if (!coverage.closed()) {
        const std::uint64_t offset = coverage.where.offset != 0 ? coverage.where.offset : no_offset;
        return failure(Stage::write, ErrorCode::not_closed, offset, name_of(coverage.reason));
    }
    Pages pages(state.bytes.size());
    if (pages.data() == nullptr) return failure(Stage::write, ErrorCode::out_of_memory);
    const MutableByteSpan out = pages.first(state.bytes.size());
    const Container& container = state.container;
    TRY_DO(emit_container(container.image, limits, out));
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&container.clr), sizeof container.clr,
                out.begin() + static_cast<std::ptrdiff_t>(container.clr_offset));
    emit_metadata_root(state.metadata.root(), out);
    const Tables& tables = state.metadata.tables();
    emit_tables(tables, state.metadata.offset_in_file(tables.bytes().data()), out);
    for (const pe::Claim& claim : coverage.claims) {
        if (!is_extent(claim.kind)) continue;
        std::ranges::copy(*slice(state.bytes, claim.offset, claim.size),
                          out.begin() + static_cast<std::ptrdiff_t>(claim.offset));
    }
    return pages;
}

}  // namespace clrkit
