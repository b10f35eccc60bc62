// Coverage: every part of an image states its ranges, the ranges are sorted, and what is left over
// decides whether the image is closed.
#include <clrkit/core/door.h>
#include <clrkit/core/pe/certificates.h>
#include <clrkit/core/pe/debug_directory.h>
#include <clrkit/core/pe/headers.h>
#include <clrkit/core/pe/imports.h>
#include <clrkit/core/pe/relocations.h>
#include <clrkit/core/pe/resources.h>
#include <clrkit/dotnet/cil/body_extent.h>
#include <clrkit/dotnet/module/coverage.h>
#include <clrkit/dotnet/signatures/field_size.h>

#include <algorithm>
#include <array>

namespace clrkit {
namespace {

using pe::Claim;
using pe::ClaimKind;
using pe::FileRange;

/// Directories that a managed image without native code has.
constexpr std::array managed_directories{
    pe::Directory::import_table,    pe::Directory::resource, pe::Directory::certificate,
    pe::Directory::base_relocation, pe::Directory::debug,    pe::Directory::import_address_table,
    pe::Directory::clr_header,
};

bool is_managed(pe::Directory which) {
    return std::ranges::find(managed_directories, which) != managed_directories.end();
}

constexpr std::uint32_t code_type_mask = 0x0003;  // MethodImplAttributes.CodeTypeMask
constexpr std::uint32_t code_type_native = 0x0001;

/// Compilers leave bodies behind that they decided not to use, in runs shorter than this.
constexpr std::uint64_t discarded_run_below = 64;

ClaimKind claim_kind(StreamUse use) {
    switch (use) {
        case StreamUse::tables: return ClaimKind::table_stream;
        case StreamUse::strings: return ClaimKind::string_heap;
        case StreamUse::blobs: return ClaimKind::blob_heap;
        case StreamUse::guids: return ClaimKind::guid_heap;
        case StreamUse::user_strings: return ClaimKind::user_string_heap;
        case StreamUse::none: break;
    }
    return ClaimKind::other_stream;
}

/// Reasons that are none once the native code is gone.
bool goes_with_native_code(PinReason reason) {
    switch (reason) {
        case PinReason::ready_to_run:
        case PinReason::not_il_only:
        case PinReason::directory:
        case PinReason::relocations:
        case PinReason::unaccounted_bytes: return true;
        default: return false;
    }
}

class Builder {
public:
    Builder(const ModuleState& state, const Limits& limits, NativeCode native)
        : state_(state),
          image_(state.container.image),
          metadata_(state.metadata),
          limits_(limits),
          stripped_(native == NativeCode::stripped && state.container.has_native_code()) {}

    Coverage build() {
        // One claim a method, a mapped field and a stream, and a few dozen for the container.
        coverage_.claims.reserve(std::size_t{metadata_.rows(Table::MethodDef)} +
                                 metadata_.rows(Table::FieldRVA) + 64);
        claim_clr();
        claim_container();
        claim_metadata();
        claim_bodies();
        claim_field_data();
        claim_resources();
        close_open_ends();
        merge_shared();
        fill_gaps();
        return std::move(coverage_);
    }

private:
    /// The first reason counts; but unaccounted bytes, which a caller may agree to drop, hide no
    /// other one.
    void pin(PinReason reason, FileRange where = {}) {
        if (stripped_ && goes_with_native_code(reason)) return;
        const bool pinned = coverage_.reason != PinReason::none;
        const bool droppable = coverage_.reason == PinReason::unaccounted_bytes;
        if (pinned && (!droppable || reason == PinReason::unaccounted_bytes)) return;
        coverage_.reason = reason;
        coverage_.where = where;
    }
    void claim(std::uint64_t offset, std::uint64_t size, ClaimKind kind, std::uint32_t item = 0) {
        pe::claim(coverage_.claims, {offset, size}, kind, item);
    }

    void pin_shared_sections();
    void claim_container();
    void claim_native_parts();
    void claim_clr();
    void claim_metadata();
    void claim_bodies();
    std::uint64_t room_for_data(std::uint32_t rva, std::uint64_t backed) const;
    void claim_field_data();
    void claim_resources();
    void close_open_ends();
    void merge_shared();
    void fill_gaps();
    void gap(FileRange range, ClaimKind before, ClaimKind after);
    std::uint64_t start_of_raw_data() const;
    std::uint64_t end_of_raw_data() const;

    const ModuleState& state_;
    const pe::Image& image_;
    const Metadata& metadata_;
    const Limits& limits_;
    bool stripped_;
    Coverage coverage_;
    std::vector<Claim> open_ended_;  // field data of unknown size; `size` is the most it can be
};

void Builder::claim_container() {
    if (state_.container.kind != ContainerKind::pe_file || image_.mapping() != pe::Mapping::file) {
        pin(PinReason::memory_layout);
    }
    if (image_.coff().number_of_sections != image_.sections().size()) {
        pin(PinReason::headers, {image_.coff_offset() + 2, 2});
    }
    pin_shared_sections();
    pe::claim_headers(pe::Headers::read(image_), coverage_.claims);
    for (std::uint8_t i = 0; i < pe::directory_count; ++i) {
        const auto which = static_cast<pe::Directory>(i);
        if (image_.directory(which).empty() || is_managed(which)) continue;
        pin(PinReason::directory,
            {image_.directory_offset(which).value_or(0), sizeof(pe::DataDirectory)});
    }
    claim_native_parts();
    const pe::DebugDirectory debug = pe::DebugDirectory::read(image_, nullptr, limits_);
    pe::claim_debug_directory(debug, coverage_.claims);
    const pe::Resources resources = pe::Resources::read(image_, nullptr, limits_);
    if (!resources.complete) pin(PinReason::win32_resources);
    pe::claim_resources(resources, coverage_.claims);
    pe::claim_certificates(pe::Certificates::read(image_), coverage_.claims);
}

/// Bytes of the file that two sections map, or a section and the headers, have two addresses, and
/// which of them a part is reached through would not survive.
void Builder::pin_shared_sections() {
    std::vector<FileRange> ranges;
    ranges.reserve(image_.sections().size() + 1);
    ranges.push_back({0, image_.headers_end()});
    for (const pe::SectionHeader& section : image_.sections()) {
        if (image_.raw_size(section) != 0) {
            ranges.push_back({image_.raw_offset(section), image_.raw_size(section)});
        }
    }
    std::ranges::sort(ranges, {}, &FileRange::offset);
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        if (ranges[i].offset < ranges[i - 1].end()) pin(PinReason::overlap, ranges[i]);
    }
}

/// Imports, the thunk at the entry point, relocations: native, but the same in every IL-only image.
void Builder::claim_native_parts() {
    const pe::Imports imports = pe::Imports::read(image_, nullptr, limits_);
    const auto thunk = pe::EntryThunk::read(image_);
    const pe::Relocations relocations = pe::Relocations::read(image_);
    const bool only_mscoree = imports.empty() || pe::imports_mscoree_only(imports);
    if (!only_mscoree || !imports.complete) pin(PinReason::imports, imports.descriptors);
    const std::uint32_t entry = image_.optional_start().address_of_entry_point;
    if (entry != 0 && !(thunk && pe::jumps_to_mscoree(*thunk, imports))) {
        pin(PinReason::entry_point, {image_.offset_of(entry).value_or(0), 0});
    }
    if (!relocations.complete ||
        !pe::relocates_only_thunk(relocations, thunk ? &*thunk : nullptr)) {
        pin(PinReason::relocations);
    }
    pe::claim_imports(imports, coverage_.claims);
    if (thunk) pe::claim_entry_thunk(*thunk, coverage_.claims);
    pe::claim_relocations(relocations, coverage_.claims);
}

void Builder::claim_clr() {
    const pe::ClrHeader& clr = state_.container.clr;
    const std::uint32_t flags = clr.flags;
    claim(state_.container.clr_offset, sizeof(pe::ClrHeader), ClaimKind::clr_header);
    if (!clr.managed_native_header.empty()) pin(PinReason::ready_to_run);
    if ((flags & pe::clr_flags::il_only) == 0) pin(PinReason::not_il_only);
    if ((flags & pe::clr_flags::native_entry_point) != 0) pin(PinReason::native_entry_point);
    if (!clr.vtable_fixups.empty()) pin(PinReason::vtable_fixups);
    if (!clr.export_address_table_jumps.empty()) pin(PinReason::export_jumps);
    if (!clr.code_manager_table.empty()) pin(PinReason::directory);
    if (!clr.strong_name_signature.empty()) {
        const auto signature =
            image_.range(clr.strong_name_signature.rva, clr.strong_name_signature.size);
        if (!signature) {
            pin(PinReason::data_unreadable);
        } else {
            claim(image_.offset_in_file(*signature), signature->size(),
                  ClaimKind::strong_name_signature);
        }
    }
}

void Builder::claim_metadata() {
    const MetadataRoot& root = metadata_.root();
    auto cursor = root.streams();
    while (const auto stream = cursor.next()) {
        if (!stream->whole || !stream->terminated) {
            pin(PinReason::headers,
                {root.file_offset() + stream->header_offset, stream->header_size});
        }
        if (stream->content.empty()) continue;
        claim(metadata_.offset_in_file(stream->content.data()), stream->content.size(),
              claim_kind(metadata_.use_of(*stream)));
    }
    claim(root.file_offset(), cursor.position(), ClaimKind::metadata_root);
    const auto mvid = metadata_.guids().at(metadata_.cell(Table::Module, 1, col::Module::Mvid));
    if (const auto copy = mvid ? state_.container.mvid_copy(*mvid) : std::nullopt) {
        claim(*copy, mvid->size(), ClaimKind::mvid_copy);
    }
    for (std::size_t slot = 0; slot < table_slots; ++slot) {
        const TableLayout& table = metadata_.tables().layout(static_cast<Table>(slot));
        if (table.rows != table.declared) pin(PinReason::headers);
    }
}

void Builder::claim_bodies() {
    const ColumnView rvas = metadata_.tables().column(Table::MethodDef, col::MethodDef::RVA);
    const ColumnView flags = metadata_.tables().column(Table::MethodDef, col::MethodDef::ImplFlags);
    std::uint32_t previous = 0;
    for (std::uint32_t rid = 1; rid <= rvas.rows(); ++rid) {
        const std::uint32_t rva = rvas[rid];
        if (rva == 0 || rva == previous) continue;
        previous = rva;
        const ByteSpan bytes = image_.from(rva);
        const auto offset = bytes.empty() ? 0 : image_.offset_in_file(bytes);
        const bool native = (flags[rid] & code_type_mask) == code_type_native;
        const auto extent = native ? std::nullopt : cil::measure_body(bytes, rva % 4);
        if (!extent) {
            pin(PinReason::body_unreadable, {offset, 0});
            continue;
        }
        claim(offset, extent->size, ClaimKind::method_body, rid);
    }
}

/// Bytes from an address to the end of its section's contents. What the file has behind the virtual
/// size is padding to its alignment, and would grow with every rebuild if data ran into it.
std::uint64_t Builder::room_for_data(std::uint32_t rva, std::uint64_t backed) const {
    const pe::SectionHeader* section = image_.section_of(rva);
    if (section == nullptr) return backed;
    const std::uint64_t inside = rva - section->virtual_address;
    const std::uint64_t size = section->virtual_size;
    return inside < size ? std::min(backed, size - inside) : backed;
}

void Builder::claim_field_data() {
    const ColumnView rvas = metadata_.tables().column(Table::FieldRVA, col::FieldRVA::RVA);
    const ColumnView fields = metadata_.tables().column(Table::FieldRVA, col::FieldRVA::Field);
    const std::uint32_t pointer_size = image_.is_pe32_plus() ? 8 : 4;
    KeyIndex layouts;  // a search in #- is a scan: index once
    if (metadata_.uncompressed() && rvas.rows() != 0) {
        layouts = KeyIndex(metadata_, Table::ClassLayout, col::ClassLayout::Parent);
    }
    for (std::uint32_t rid = 1; rid <= rvas.rows(); ++rid) {
        const ByteSpan bytes = image_.from(rvas[rid]);
        if (bytes.empty()) {
            // Zero-filled memory behind a section's raw data has no bytes to claim.
            if (image_.section_of(rvas[rid]) == nullptr) pin(PinReason::data_unreadable);
            continue;
        }
        const std::uint64_t offset = image_.offset_in_file(bytes);
        const auto size = field_data_size(metadata_, fields[rid], pointer_size, &layouts);
        if (size && *size <= bytes.size()) {
            claim(offset, *size, ClaimKind::field_data, rid);
            continue;
        }
        const std::uint64_t room = room_for_data(rvas[rid], bytes.size());
        if (size) {  // more than there is
            claim(offset, room, ClaimKind::field_data, rid);
        } else {
            open_ended_.push_back({offset, room, ClaimKind::field_data, rid});
        }
    }
}

/// Managed resources: the directory is one block; every resource must lie inside it.
void Builder::claim_resources() {
    const pe::DataDirectory directory = state_.container.clr.resources;
    const auto block = image_.range(directory.rva, directory.size);
    if (!directory.empty() && !block) pin(PinReason::data_unreadable);
    if (block && !block->empty()) {
        claim(image_.offset_in_file(*block), block->size(), ClaimKind::managed_resources);
    }
    for (std::uint32_t rid = 1; rid <= metadata_.rows(Table::ManifestResource); ++rid) {
        const Token where =
            metadata_.token(Table::ManifestResource, rid, col::ManifestResource::Implementation);
        if (where.rid() != 0) continue;
        const auto offset =
            metadata_.cell(Table::ManifestResource, rid, col::ManifestResource::Offset);
        ByteReader reader(block ? tail(*block, offset) : ByteSpan{});
        (void)reader.bytes(reader.u32());
        if (!reader.ok()) pin(PinReason::data_unreadable);
    }
}

/// Most compilers write bodies and data in the order of the rows: then there is nothing to sort.
void sort_by_offset(std::vector<Claim>& claims) {
    if (!std::ranges::is_sorted(claims, {}, &Claim::offset)) {
        std::ranges::sort(claims, {}, &Claim::offset);
    }
}

/// Field data of unknown size runs to whatever comes next.
void Builder::close_open_ends() {
    std::vector<Claim>& claims = coverage_.claims;
    sort_by_offset(claims);
    sort_by_offset(open_ended_);
    if (open_ended_.empty()) return;
    const std::size_t known = claims.size();
    auto next = claims.begin();
    std::vector<Claim> closed;
    closed.reserve(open_ended_.size());
    for (std::size_t i = 0; i < open_ended_.size(); ++i) {
        Claim data = open_ended_[i];
        while (next != claims.end() && next->offset <= data.offset) ++next;
        if (next != claims.end()) data.size = std::min(data.size, next->offset - data.offset);
        if (i + 1 < open_ended_.size() && open_ended_[i + 1].offset != data.offset) {
            data.size = std::min(data.size, open_ended_[i + 1].offset - data.offset);
        }
        closed.push_back(data);
    }
    claims.insert(claims.end(), closed.begin(), closed.end());
    std::ranges::inplace_merge(claims, claims.begin() + static_cast<std::ptrdiff_t>(known), {},
                               &Claim::offset);
}

/// Methods may share a body whole, fields may share data in part: each becomes one claim.
void Builder::merge_shared() {
    std::vector<Claim>& claims = coverage_.claims;
    std::size_t kept = 0;
    for (const Claim& claim : claims) {
        if (kept != 0) {
            Claim& last = claims[kept - 1];
            const bool same = last.offset == claim.offset && last.size == claim.size;
            if (last.kind == claim.kind && claim.offset < last.end()) {
                if (claim.kind == ClaimKind::field_data) {
                    last.size = std::max(last.end(), claim.end()) - last.offset;
                    continue;
                }
                if (same) continue;
            }
        }
        claims[kept++] = claim;
    }
    claims.resize(kept);
}

std::uint64_t Builder::start_of_raw_data() const {
    std::uint64_t start = state_.bytes.size();
    for (const pe::SectionHeader& section : image_.sections()) {
        if (section.size_of_raw_data != 0) start = std::min(start, image_.raw_offset(section));
    }
    return start;
}

std::uint64_t Builder::end_of_raw_data() const {
    std::uint64_t end = image_.headers_end();
    for (const pe::SectionHeader& section : image_.sections()) {
        end = std::max(
            end, std::min<std::uint64_t>(image_.raw_offset(section) + section.size_of_raw_data,
                                         state_.bytes.size()));
    }
    return end;
}

/// What lies between two claims: padding, a discarded body, or bytes that nobody accounts for.
void Builder::gap(FileRange range, ClaimKind before, ClaimKind after) {
    const ByteSpan bytes = *slice(state_.bytes, range.offset, range.size);
    if (all_zero(bytes)) {
        claim(range.offset, range.size, ClaimKind::padding);
        return;
    }
    claim(range.offset, range.size, ClaimKind::gap);
    // Data between the headers and the first section belongs to no section; nothing moves it.
    if (range.end() <= start_of_raw_data()) return;
    std::uint64_t used = range.size;
    while (bytes[used - 1] == 0) --used;
    std::uint64_t lead = 0;
    while (bytes[lead] == 0) ++lead;
    const bool behind_body = before == ClaimKind::method_body;
    const bool before_body = after == ClaimKind::method_body;
    if ((behind_body || before_body) && used - lead < discarded_run_below) {
        coverage_.discarded_bytes += used - lead;
        ++coverage_.discarded_runs;
        return;
    }
    coverage_.unaccounted_bytes += used - lead;
    pin(PinReason::unaccounted_bytes, {range.offset + lead, used - lead});
}

void Builder::fill_gaps() {
    // Taken out, and put back one by one with what lies between.
    const std::vector<Claim> known = std::move(coverage_.claims);
    coverage_.claims.clear();
    coverage_.claims.reserve(known.size() * 2 + 2);
    const std::uint64_t file_end = state_.bytes.size();
    const std::uint64_t raw_end = end_of_raw_data();
    std::uint64_t position = 0;
    ClaimKind before = ClaimKind::dos_header;
    for (const Claim& claim : known) {
        if (claim.offset < position && claim.size != 0) {
            const bool bodies =
                claim.kind == ClaimKind::method_body && before == ClaimKind::method_body;
            pin(bodies ? PinReason::bodies_overlap : PinReason::overlap,
                {claim.offset, claim.size});
        }
        if (claim.offset > position) gap({position, claim.offset - position}, before, claim.kind);
        coverage_.claims.push_back(claim);
        if (claim.end() >= position) {
            position = claim.end();
            before = claim.kind;
        }
    }
    if (position < raw_end) {
        gap({position, raw_end - position}, before, ClaimKind::padding);
        position = raw_end;
    }
    if (position < file_end) claim(position, file_end - position, ClaimKind::overlay);
}

}  // namespace

const char* name_of(PinReason reason) {
    constexpr std::array<const char*, static_cast<std::size_t>(PinReason::count_)> names{
        "closed",
        "memory layout",
        "not IL-only",
        "ReadyToRun code",
        "vtable fixups",
        "export address table jumps",
        "native entry point",
        "a directory that holds native code or data",
        "native imports",
        "native relocations",
        "native entry point code",
        "a method body that cannot be measured",
        "method bodies overlap",
        "data outside the file",
        "Win32 resources cannot be read whole",
        "headers declare more than there is",
        "two parts claim the same bytes",
        "bytes that belong to nothing known",
    };
    return names[static_cast<std::size_t>(reason)];
}

Result<Coverage> cover(const ModuleState& state, const Limits& limits, NativeCode native) {
    return at_the_door(
        Stage::write, [&]() -> Result<Coverage> { return Builder(state, limits, native).build(); });
}

}  // namespace clrkit
