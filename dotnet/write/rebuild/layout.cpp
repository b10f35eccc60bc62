// Grouping claims into blocks and placing the blocks.
#include <clrkit/dotnet/write/rebuild/layout.h>

#include <algorithm>
#include <array>
#include <bit>

namespace clrkit::rebuild {
namespace {

using pe::Claim;
using pe::ClaimKind;

bool is_metadata(ClaimKind kind) {
    return kind >= ClaimKind::metadata_root && kind <= ClaimKind::other_stream;
}

bool is_resource_tree(ClaimKind kind) {
    return kind >= ClaimKind::resource_directory && kind <= ClaimKind::resource_data;
}

/// Parts that are written with the headers or behind the sections, or not at all.
bool is_no_block(ClaimKind kind) {
    switch (kind) {
        case ClaimKind::dos_header:
        case ClaimKind::dos_stub:
        case ClaimKind::pe_headers:
        case ClaimKind::section_headers:
        case ClaimKind::certificate:
        case ClaimKind::overlay:
        case ClaimKind::padding:
        case ClaimKind::gap: return true;
        default: return false;
    }
}

/// The alignment a block keeps: its RVA modulo this does not change. Field data may be asked for by
/// vector instructions; slots of import tables are as wide as a pointer.
std::uint32_t alignment_of(ClaimKind kind) {
    switch (kind) {
        case ClaimKind::field_data: return 64;
        case ClaimKind::resource_directory:
        case ClaimKind::resource_name:
        case ClaimKind::resource_data_entry:
        case ClaimKind::resource_data: return 16;
        case ClaimKind::managed_resources:
        case ClaimKind::import_address:
        case ClaimKind::import_lookup:
        case ClaimKind::entry_thunk: return 8;
        case ClaimKind::import_name: return 2;
        default: return 4;
    }
}

/// What the two may stand in together: runs of field data, the resource tree, the metadata.
bool join(ClaimKind a, ClaimKind b) {
    return (a == ClaimKind::field_data && b == ClaimKind::field_data) ||
           (is_resource_tree(a) && is_resource_tree(b)) || (is_metadata(a) && is_metadata(b));
}

/// Parts that an image without native code gets anew, or has no section for: a copy of the MVID is one
/// in a section of its name alone.
bool is_native(ClaimKind kind) {
    switch (kind) {
        case ClaimKind::import_descriptors:
        case ClaimKind::import_lookup:
        case ClaimKind::import_address:
        case ClaimKind::import_name:
        case ClaimKind::entry_thunk:
        case ClaimKind::relocations:
        case ClaimKind::mvid_copy: return true;
        default: return false;
    }
}

/// The order in which compilers put the parts into .text.
int rank(ClaimKind kind) {
    constexpr std::array order{
        ClaimKind::import_address,     ClaimKind::clr_header,    ClaimKind::method_body,
        ClaimKind::managed_resources,  ClaimKind::field_data,    ClaimKind::strong_name_signature,
        ClaimKind::metadata_root,      ClaimKind::debug_entries, ClaimKind::debug_data,
        ClaimKind::import_descriptors, ClaimKind::entry_thunk,
    };
    return static_cast<int>(std::ranges::find(order, kind) - order.begin());
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

Status unsupported(const char* why, std::uint64_t offset = no_offset) {
    return failure(Stage::write, ErrorCode::unsupported, offset, why);
}

}  // namespace

Status Layout::add(const pe::Image& image, const Claim& claim, Sections sections) {
    const bool body = claim.kind == ClaimKind::method_body;
    if (body && find(ClaimKind::method_body) != nullptr) return {};
    const auto rva = image.rva_of(claim.offset);
    const pe::SectionHeader* section = rva ? image.section_of(*rva) : nullptr;
    if (section == nullptr) return unsupported("a part lies outside every section", claim.offset);
    auto number = static_cast<std::uint32_t>(section - image.sections().data());
    if (sections == Sections::fresh) {
        number = is_resource_tree(claim.kind) ? fresh_sections::rsrc : fresh_sections::text;
    }
    if (!blocks_.empty() && blocks_.back().section == number &&
        join(blocks_.back().kind, claim.kind)) {
        pe::FileRange& old = blocks_.back().old;
        old.size = std::max(old.end(), claim.end()) - old.offset;
        return {};
    }
    if (is_metadata(claim.kind) && find(ClaimKind::metadata_root) != nullptr) {
        return unsupported("the metadata is not in one piece", claim.offset);
    }
    Block block;
    block.kind = claim.kind;
    block.old = {claim.offset, claim.size};
    block.old_rva = *rva;
    block.section = number;
    block.alignment = alignment_of(claim.kind);
    block.phase = body ? 0 : *rva % block.alignment;
    blocks_.push_back(block);
    return {};
}

Status Layout::plan(const ModuleState& state, const Coverage& coverage, Sections sections) {
    state_ = &state;
    blocks_.reserve(64);
    for (const Claim& claim : coverage.claims) {
        if (is_no_block(claim.kind)) continue;
        if (sections == Sections::fresh && is_native(claim.kind)) continue;
        if (const Status added = add(state.container.image, claim, sections); !added) return added;
    }
    for (Block& block : blocks_)
        block.content = *slice(state.bytes, block.old.offset, block.old.size);
    std::ranges::stable_sort(blocks_, [&](const Block& one, const Block& other) {
        if (one.section != other.section) return one.section < other.section;
        return sections == Sections::fresh && rank(one.kind) < rank(other.kind);
    });
    index();
    return {};
}

/// Finds blocks by where they were.
void Layout::index() {
    by_offset_.clear();
    by_offset_.reserve(blocks_.size());
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
        const bool existed = blocks_[i].old.size != 0;
        if (existed && blocks_[i].kind != ClaimKind::method_body) by_offset_.push_back(i);
    }
    std::ranges::sort(by_offset_, {}, [&](std::uint32_t i) { return blocks_[i].old.offset; });
}

void Layout::add_new(ClaimKind kind, std::uint32_t section, ByteSpan content,
                     std::uint32_t alignment, std::uint32_t phase) {
    Block block;
    block.kind = kind;
    block.section = section;
    block.alignment = alignment;
    block.phase = phase;
    block.content = content;
    auto behind = std::ranges::upper_bound(blocks_, section, {}, &Block::section);
    if (kind == ClaimKind::import_address) {
        behind = std::ranges::lower_bound(blocks_, section, {}, &Block::section);
    }
    blocks_.insert(behind, block);
    index();
}

Block* Layout::find(ClaimKind kind) {
    const auto found = std::ranges::find(blocks_, kind, &Block::kind);
    return found == blocks_.end() ? nullptr : &*found;
}

/// Bytes of a section up to the end of the last data directory that lies in it: a directory may count
/// padding behind its last part, and loaders want it inside the section.
std::uint64_t Layout::end_of_directories(const pe::Headers& headers, std::uint32_t section,
                                         std::uint64_t section_rva) const {
    const pe::Image& image = state_->container.image;
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < headers.directories.size(); ++i) {
        const pe::DataDirectory& directory = headers.directories[i];
        if (static_cast<pe::Directory>(i) == pe::Directory::certificate || directory.rva == 0)
            continue;
        const auto bytes = image.range(directory.rva, directory.size);
        const Block* block = bytes ? block_at(image.offset_in_file(*bytes)) : nullptr;
        if (block == nullptr || block->section != section) continue;
        const std::uint64_t inside = image.offset_in_file(*bytes) - block->old.offset;
        end = std::max(end, block->rva + inside + directory.size - section_rva);
    }
    return end;
}

Status Layout::place(pe::Headers& headers, std::uint64_t first_offset) {
    const std::uint64_t section_unit = headers.middle.section_alignment;
    const std::uint64_t file_unit = headers.middle.file_alignment;
    if (headers.sections.empty() || !std::has_single_bit(file_unit) || file_unit < 512 ||
        file_unit > 0x10000 || !std::has_single_bit(section_unit) || section_unit > 0x1000000) {
        return unsupported("the image has no sections, or alignments that no loader takes");
    }
    // Rounded: a section takes whole units of memory, and the next one must not lie in them.
    std::uint64_t rva = round_up(headers.sections.front().virtual_address, section_unit);
    std::uint64_t offset = first_offset;
    auto block = blocks_.begin();
    for (std::uint32_t number = 0; number < headers.sections.size(); ++number) {
        pe::SectionHeader& section = headers.sections[number];
        std::uint64_t size = 0;
        for (; block != blocks_.end() && block->section == number; ++block) {
            const std::uint64_t start = rva + size;
            const std::uint64_t lead =
                (block->phase + block->alignment - start % block->alignment) % block->alignment;
            block->rva = static_cast<std::uint32_t>(start + lead);
            block->offset = offset + size + lead;
            size += lead + block->content.size();
        }
        size = std::max(size, end_of_directories(headers, number, rva));
        // Nothing but zero-filled memory, or nothing at all: the loader wants a size nevertheless.
        const std::uint64_t memory =
            size != 0 ? size : std::max<std::uint64_t>(section.virtual_size, 1);
        const std::uint64_t raw = round_up(size, file_unit);
        if (rva + memory > UINT32_MAX || offset + raw > UINT32_MAX) {
            return failure(Stage::write, ErrorCode::output_budget, no_offset,
                           "the image passes 4 GiB");
        }
        section.virtual_address = static_cast<std::uint32_t>(rva);
        section.virtual_size = static_cast<std::uint32_t>(memory);
        section.pointer_to_raw_data = raw != 0 ? static_cast<std::uint32_t>(offset) : 0U;
        section.size_of_raw_data = static_cast<std::uint32_t>(raw);
        rva = round_up(rva + memory, section_unit);
        offset += raw;
    }
    headers.middle.size_of_image = static_cast<std::uint32_t>(rva);
    end_ = offset;
    return {};
}

const Block* Layout::block_at(std::uint64_t old_offset) const {
    auto next = std::ranges::upper_bound(by_offset_, old_offset, {},
                                         [&](std::uint32_t i) { return blocks_[i].old.offset; });
    if (next == by_offset_.begin()) return nullptr;
    const Block& block = blocks_[*--next];
    const std::uint64_t inside = old_offset - block.old.offset;
    if (is_metadata(block.kind)) return inside == 0 ? &block : nullptr;
    return inside < block.old.size ? &block : nullptr;
}

std::optional<std::uint32_t> Layout::moved(std::uint32_t old_rva) const {
    const auto offset = state_->container.image.offset_of(old_rva);
    const Block* block = offset ? block_at(*offset) : nullptr;
    if (block == nullptr) return std::nullopt;
    return static_cast<std::uint32_t>(block->rva + (*offset - block->old.offset));
}

std::optional<std::uint64_t> Layout::moved_offset(std::uint64_t old_offset) const {
    const Block* block = block_at(old_offset);
    if (block == nullptr) return std::nullopt;
    return block->offset + (old_offset - block->old.offset);
}

}  // namespace clrkit::rebuild
