// The image: blocks copied to their new places, then every address in them set anew.
#include <clrkit/core/pe/checksum.h>
#include <clrkit/core/pe/debug_directory.h>
#include <clrkit/core/pe/headers.h>
#include <clrkit/core/pe/imports.h>
#include <clrkit/core/pe/relocations.h>
#include <clrkit/core/pe/resources.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/write/rebuild/fresh_headers.h>
#include <clrkit/dotnet/write/rebuild/image.h>
#include <clrkit/dotnet/write/rebuild/layout.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace clrkit::rebuild {
namespace {

using pe::ClaimKind;

std::unexpected<Error> full() { return failure(Stage::write, ErrorCode::out_of_memory); }

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

class ImageWriter {
public:
    ImageWriter(const ModuleState& state, const Coverage& coverage, Parts& parts,
                const SignatureDecision& signature, const Limits& limits, bool strip,
                Region& region)
        : state_(state),
          image_(state.container.image),
          coverage_(coverage),
          parts_(parts),
          signature_(signature),
          limits_(limits),
          region_(region),
          stripped_(strip && state.container.has_native_code()) {}

    Result<ByteSpan> write() {
        TRY_DO(layout_.plan(state_, coverage_, stripped_ ? Sections::fresh : Sections::kept));
        TRY_DO(make_metadata());
        if (Block* bodies = layout_.find(ClaimKind::method_body)) {
            bodies->content = parts_.bodies.bytes;
        }
        TRY_DO(place());
        TRY_DO(fill_rows());
        TRY_DO(move_directories());
        set_sizes();
        TRY_DO(copy_blocks());
        zero_gaps();
        TRY_DO(set_clr_header());
        if (stripped_) {
            TRY_DO(write_start_up(layout_, headers_, out_));
        } else {
            TRY_DO(set_imports());
            TRY_DO(set_thunk_and_relocations());
        }
        TRY_DO(set_debug_directory());
        TRY_DO(set_resources());
        TRY_DO(zero_signature());
        TRY_DO(pe::write(headers_, out_));
        set_checksum();
        return ByteSpan(out_);
    }

private:
    Status make_metadata();
    MutableByteSpan stream_content(const Stream& stream, MutableByteSpan out, std::size_t& used);
    Status place();
    Status fill_rows();
    Status move_directories();
    void set_sizes();
    Status copy_blocks();
    void zero_gaps();
    Status set_clr_header();
    Status set_imports();
    Status set_thunk_and_relocations();
    Status set_debug_directory();
    Status set_resources();
    Status zero_signature();
    void set_checksum();

    /// The new RVA of an old one. 0 stays 0.
    Result<std::uint32_t> moved(std::uint32_t old_rva) {
        if (old_rva == 0) return 0U;
        const auto rva = layout_.moved(old_rva);
        if (!rva) {
            return failure(Stage::write, ErrorCode::unsupported,
                           image_.offset_of(old_rva).value_or(no_offset),
                           "an address leads to bytes that do not move as a whole");
        }
        return *rva;
    }
    /// Writes the new value of an address that stands at an old file offset.
    Status set_address(std::uint64_t old_place, std::uint32_t old_rva) {
        TRY(const std::uint32_t rva, moved(old_rva));
        return set_number(old_place, rva);
    }
    template <class T>
    Status set_number(std::uint64_t old_place, T value) {
        const auto place = layout_.moved_offset(old_place);
        if (!place || !fits(out_.size(), *place, sizeof(T))) {
            return failure(Stage::write, ErrorCode::unsupported, old_place,
                           "an address stands in bytes that do not move as a whole");
        }
        store_le(out_.data() + *place, value);
        return {};
    }

    const ModuleState& state_;
    const pe::Image& image_;
    const Coverage& coverage_;
    Parts& parts_;
    const SignatureDecision& signature_;
    const Limits& limits_;
    Region& region_;
    bool stripped_;
    Layout layout_;
    pe::Headers headers_;
    MutableByteSpan out_;
    std::uint64_t metadata_size_ = 0;
    std::uint64_t tables_offset_ = 0;  // of the table stream in the metadata block
};

/// The new content of a stream, by what the old one is used as; an unknown stream keeps its bytes.
ByteSpan new_content(const Metadata& metadata, const Parts& parts, const Stream& stream) {
    switch (metadata.use_of(stream)) {
        case StreamUse::tables: return parts.tables.bytes;
        case StreamUse::strings: return parts.strings.bytes;
        case StreamUse::blobs: return parts.blobs.bytes;
        case StreamUse::guids: return parts.guids.bytes;
        case StreamUse::user_strings: return parts.bodies.literals;
        case StreamUse::none: break;
    }
    return stream.content;
}

/// Root, stream headers and streams in their old order. The rows are filled in when addresses are
/// known; until then the table stream is only as long as it will be.
Status ImageWriter::make_metadata() {
    const Metadata& metadata = state_.metadata;
    const MetadataRoot& root = metadata.root();
    auto cursor = root.streams();
    std::uint64_t size = 0;
    while (const auto stream = cursor.next()) {
        size += round_up(new_content(metadata, parts_, *stream).size(), 4);
    }
    const std::uint64_t headers_size = round_up(cursor.position(), 4);
    const MutableByteSpan out = region_.take(static_cast<std::size_t>(headers_size + size));
    if (out.data() == nullptr) return full();
    std::memset(out.data(), 0, static_cast<std::size_t>(headers_size));
    std::memcpy(out.data(), root.bytes().data(), static_cast<std::size_t>(cursor.position()));
    std::uint64_t used = headers_size;
    cursor = root.streams();
    while (const auto stream = cursor.next()) {
        const ByteSpan content = new_content(metadata, parts_, *stream);
        std::uint8_t* const header = out.data() + stream->header_offset;
        store_le(header, static_cast<std::uint32_t>(used));
        store_le(header + 4, static_cast<std::uint32_t>(content.size()));
        if (content.data() == parts_.tables.bytes.data()) {
            tables_offset_ = used;
        } else if (!content.empty()) {
            std::memcpy(out.data() + used, content.data(), content.size());
        }
        for (used += content.size(); used % 4 != 0; ++used) out[static_cast<std::size_t>(used)] = 0;
    }
    metadata_size_ = used;
    Block* block = layout_.find(ClaimKind::metadata_root);
    if (block == nullptr)
        return failure(Stage::write, ErrorCode::unsupported, no_offset, "no metadata");
    block->content = out;
    return {};
}

/// Where the data of sections begins: behind the headers and what stands between. A section without
/// data, which may be the first one, begins nowhere.
std::uint64_t start_of_sections(const pe::Image& image) {
    std::uint64_t start = image.bytes().size();
    for (const pe::SectionHeader& section : image.sections()) {
        if (image.raw_size(section) != 0) start = std::min(start, image.raw_offset(section));
    }
    return start;
}

/// The headers, and with them every block's address.
Status ImageWriter::place() {
    if (!stripped_) {
        headers_ = pe::Headers::read(image_);
        if (headers_.sections.empty()) {
            return failure(Stage::write, ErrorCode::unsupported, no_offset,
                           "the image has no sections");
        }
        return layout_.place(headers_, start_of_sections(image_));
    }
    const bool has_resources = !image_.directory(pe::Directory::resource).empty();
    TRY(headers_, fresh_headers(state_, has_resources));
    plan_start_up(headers_, layout_);
    return layout_.place(headers_, headers_.middle.size_of_headers);
}

Status ImageWriter::fill_rows() {
    struct Context {
        const ImageWriter* writer;
        std::uint32_t body_area;
        mutable bool lost;
    };
    const Block* bodies = layout_.find(ClaimKind::method_body);
    const Context context{this, bodies != nullptr ? bodies->rva : 0, false};
    Addresses addresses;
    addresses.context = &context;
    addresses.body = [](const void* with, std::uint32_t rva) {
        const auto& at = *static_cast<const Context*>(with);
        const pe::Image& image = at.writer->image_;
        return at.body_area +
               at.writer->parts_.bodies.places[image.offset_in_file(image.from(rva))];
    };
    addresses.data = [](const void* with, std::uint32_t rva) {
        const auto& at = *static_cast<const Context*>(with);
        const auto moved = at.writer->layout_.moved(rva);
        at.lost = at.lost || !moved;
        return moved.value_or(0);
    };
    fill_tables(state_.metadata, parts_.strings, parts_.guids, parts_.blobs, addresses,
                parts_.tables);
    if (context.lost) {
        return failure(Stage::write, ErrorCode::unsupported, no_offset,
                       "field data lies in zero-filled memory or outside the file");
    }
    return {};
}

bool outlives_native_code(pe::Directory which) {
    return which == pe::Directory::resource || which == pe::Directory::debug ||
           which == pe::Directory::clr_header;
}

Status ImageWriter::move_directories() {
    for (std::size_t i = 0; i < headers_.directories.size(); ++i) {
        pe::DataDirectory& directory = headers_.directories[i];
        const auto which = static_cast<pe::Directory>(i);
        if (which == pe::Directory::certificate || (stripped_ && !outlives_native_code(which))) {
            directory = {};
            continue;
        }
        if (directory.empty()) continue;
        TRY(directory.rva, moved(directory.rva));
    }
    TRY(headers_.start.address_of_entry_point, moved(headers_.start.address_of_entry_point));
    return {};
}

/// The sums and bases of the optional header, from the new sections.
void ImageWriter::set_sizes() {
    std::uint32_t code = 0;
    std::uint32_t data = 0;
    const auto sections = image_.sections();
    for (std::size_t i = 0; i < headers_.sections.size(); ++i) {
        const pe::SectionHeader& section = headers_.sections[i];
        const std::uint32_t flags = section.characteristics;
        if ((flags & pe::section_flags::code) != 0) {
            code += section.size_of_raw_data;
        } else if ((flags & pe::section_flags::initialized_data) != 0) {
            data += section.size_of_raw_data;
        }
        if (stripped_) continue;  // its bases are right already
        const std::uint32_t before = sections[i].virtual_address;
        if (image_.optional_start().base_of_code == before) {
            headers_.start.base_of_code = section.virtual_address;
        }
        if (!image_.is_pe32_plus() && image_.optional32()->base_of_data == before) {
            headers_.base_of_data = section.virtual_address;
        }
    }
    headers_.start.size_of_code = code;
    headers_.start.size_of_initialized_data = data;
}

/// A block keeps the distances between its parts; what stood there and belongs to none of them is
/// dropped, as the report says.
void ImageWriter::zero_gaps() {
    for (const pe::Claim& claim : coverage_.claims) {
        if (claim.kind != ClaimKind::gap) continue;
        const auto offset = layout_.moved_offset(claim.offset);
        if (offset) std::memset(out_.data() + *offset, 0, static_cast<std::size_t>(claim.size));
    }
}

/// Copies what stands before the sections, the blocks, and the overlay.
Status ImageWriter::copy_blocks() {
    ByteSpan overlay;
    std::uint64_t first_section = layout_.end_of_sections();
    for (const pe::SectionHeader& section : headers_.sections) {
        if (section.size_of_raw_data != 0) {
            first_section = std::min<std::uint64_t>(first_section, section.pointer_to_raw_data);
        }
    }
    for (const pe::Claim& claim : coverage_.claims) {
        if (claim.kind == ClaimKind::overlay)
            overlay = *slice(state_.bytes, claim.offset, claim.size);
    }
    out_ = region_.take(static_cast<std::size_t>(layout_.end_of_sections() + overlay.size()));
    if (out_.data() == nullptr) return full();
    const ByteSpan before = slice_clamped(state_.bytes, 0, first_section);
    std::ranges::copy(before, out_.begin());
    std::uint64_t used = before.size();
    for (const Block& block : layout_.blocks()) {
        if (block.offset > used) std::memset(out_.data() + used, 0, block.offset - used);
        if (!block.content.empty()) {
            std::memcpy(out_.data() + block.offset, block.content.data(), block.content.size());
        }
        if (block.kind == ClaimKind::metadata_root) {
            std::ranges::copy(parts_.tables.bytes, out_.data() + block.offset + tables_offset_);
        }
        used = block.offset + block.content.size();
    }
    if (layout_.end_of_sections() > used) {
        std::memset(out_.data() + used, 0, layout_.end_of_sections() - used);
    }
    std::ranges::copy(overlay, out_.data() + layout_.end_of_sections());
    return {};
}

Status ImageWriter::set_clr_header() {
    const std::uint64_t at = state_.container.clr_offset;
    const pe::ClrHeader& clr = state_.container.clr;
    const Block* metadata = layout_.find(ClaimKind::metadata_root);
    TRY_DO(set_number(at + offsetof(pe::ClrHeader, metadata), metadata->rva));
    TRY_DO(set_number(at + offsetof(pe::ClrHeader, metadata) + 4,
                      static_cast<std::uint32_t>(metadata_size_)));
    TRY_DO(set_number(at + offsetof(pe::ClrHeader, flags),
                      stripped_ ? fresh_clr_flags(signature_.flags) : signature_.flags));
    if (stripped_) {
        TRY_DO(set_number(at + offsetof(pe::ClrHeader, code_manager_table), std::uint64_t{0}));
        TRY_DO(set_number(at + offsetof(pe::ClrHeader, managed_native_header), std::uint64_t{0}));
    }
    if (!clr.resources.empty() && clr.resources.size != 0) {
        TRY_DO(set_address(at + offsetof(pe::ClrHeader, resources), clr.resources.rva));
    }
    if (!clr.strong_name_signature.empty() && clr.strong_name_signature.size != 0) {
        TRY_DO(set_address(at + offsetof(pe::ClrHeader, strong_name_signature),
                           clr.strong_name_signature.rva));
    }
    return {};
}

Status ImageWriter::set_imports() {
    const pe::Imports imports = pe::Imports::read(image_, nullptr, limits_);
    std::uint64_t descriptor = imports.descriptors.offset;
    for (const pe::ImportedDll& dll : imports.dlls) {
        TRY_DO(set_address(descriptor + offsetof(pe::ImportDescriptor, import_lookup_table),
                           dll.descriptor.import_lookup_table));
        TRY_DO(set_address(descriptor + offsetof(pe::ImportDescriptor, name), dll.descriptor.name));
        TRY_DO(set_address(descriptor + offsetof(pe::ImportDescriptor, import_address_table),
                           dll.descriptor.import_address_table));
        descriptor += sizeof(pe::ImportDescriptor);
        std::uint64_t slot = 0;
        for (const pe::ImportFunction& function : imports.functions_of(dll)) {
            if (!function.by_ordinal) {
                if (!dll.lookup.empty()) {
                    TRY_DO(set_address(dll.lookup.offset + slot,
                                       static_cast<std::uint32_t>(function.lookup)));
                }
                TRY_DO(set_address(dll.address.offset + slot,
                                   static_cast<std::uint32_t>(function.address)));
            }
            slot += imports.slot_size();
        }
    }
    return {};
}

/// The thunk jumps through a slot that has moved, and the relocation names the thunk's new place.
Status ImageWriter::set_thunk_and_relocations() {
    auto thunk = pe::EntryThunk::read(image_);
    const pe::Relocations relocations = pe::Relocations::read(image_);
    if (thunk) {
        TRY(thunk->slot_rva, moved(thunk->slot_rva));
        const auto offset = layout_.moved_offset(thunk->offset);
        TRY(thunk->rva, moved(thunk->rva));
        if (!offset)
            return failure(Stage::write, ErrorCode::unsupported, thunk->offset, "entry thunk");
        thunk->offset = *offset;
        TRY_DO(pe::emit(*thunk, out_));
    }
    for (const pe::RelocationBlock& block : relocations.blocks) {
        std::uint32_t page = 0;
        std::uint64_t entry = block.offset + 8;
        for (const pe::Relocation& relocation : relocations.entries_of(block)) {
            if (relocation.type() != pe::RelocationType::absolute) {
                TRY(const std::uint32_t place, moved(block.page_rva + relocation.page_offset()));
                if (page != 0 && page != (place & ~0xFFFU)) {
                    return failure(Stage::write, ErrorCode::unsupported, block.offset,
                                   "a relocation block would span two pages");
                }
                page = place & ~0xFFFU;
                TRY_DO(set_number(entry, static_cast<std::uint16_t>((relocation.raw & 0xF000U) |
                                                                    (place & 0xFFFU))));
            }
            entry += 2;
        }
        if (page != 0) TRY_DO(set_number(block.offset, page));
    }
    return {};
}

Status ImageWriter::set_debug_directory() {
    const pe::DebugDirectory debug = pe::DebugDirectory::read(image_, nullptr, limits_);
    std::uint64_t at = debug.offset;
    for (const pe::DebugEntry& entry : debug.entries) {
        if (!entry.range.empty()) {
            if (entry.header.address_of_raw_data != 0) {
                TRY_DO(set_address(at + offsetof(pe::DebugDirectoryEntry, address_of_raw_data),
                                   entry.header.address_of_raw_data));
            }
            const auto offset = layout_.moved_offset(entry.range.offset);
            if (!offset)
                return failure(Stage::write, ErrorCode::unsupported, at,
                               "debug data outside the sections");
            TRY_DO(set_number(at + offsetof(pe::DebugDirectoryEntry, pointer_to_raw_data),
                              static_cast<std::uint32_t>(*offset)));
        }
        at += sizeof(pe::DebugDirectoryEntry);
    }
    return {};
}

Status ImageWriter::set_resources() {
    const pe::Resources resources = pe::Resources::read(image_, nullptr, limits_);
    for (const pe::ResourceLeaf& leaf : resources.leaves) {
        if (leaf.range.empty()) continue;
        TRY_DO(set_address(leaf.offset + offsetof(pe::ResourceDataEntry, rva), leaf.header.rva));
    }
    return {};
}

Status ImageWriter::zero_signature() {
    if (!signature_.zero) return {};
    const auto offset = layout_.moved_offset(signature_.range.offset);
    if (!offset)
        return failure(Stage::write, ErrorCode::unsupported, signature_.range.offset, "signature");
    std::memset(out_.data() + *offset, 0, signature_.range.size);
    return {};
}

/// A zero checksum means that nobody computed one; it stays zero.
void ImageWriter::set_checksum() {
    if (headers_.middle.check_sum == 0) return;
    const std::uint64_t at = pe::checksum_offset(image_);
    const ByteSpan whole = out_;
    store_le(out_.data() + at, pe::checksum({&whole, 1}, at));
}

}  // namespace

Result<ByteSpan> write_image(const ModuleState& state, const Coverage& coverage, Parts& parts,
                             const SignatureDecision& signature, const Limits& limits, bool strip,
                             Region& region) {
    return ImageWriter(state, coverage, parts, signature, limits, strip, region).write();
}

}  // namespace clrkit::rebuild
