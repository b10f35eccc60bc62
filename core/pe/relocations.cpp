// Blocks follow one another without overlap, so the directory's bytes bound everything here.
#include <clrkit/core/pe/relocations.h>

#include <clrkit/core/bytes/reader.h>
#include <clrkit/core/pe/place.h>

#include <algorithm>

namespace clrkit::pe {
namespace {

constexpr std::uint32_t header_size = 8;
constexpr std::uint32_t entry_size = 2;

}  // namespace

Relocations Relocations::read(const Image& image, Diagnostics* diagnostics) {
    Relocations result;
    const auto fault = [&](ErrorCode code, std::uint64_t offset, const char* note) {
        result.complete = false;
        report(diagnostics, Stage::pe, code, offset, note);
    };
    const DataDirectory directory = image.directory(Directory::base_relocation);
    if (directory.rva == 0 || directory.size == 0) return result;
    const ByteSpan available = image.from(directory.rva);
    const ByteSpan bytes = slice_clamped(available, 0, directory.size);
    if (bytes.size() < directory.size) {
        const auto entry = image.directory_offset(Directory::base_relocation);
        fault(ErrorCode::pe_directory_outside, entry.value_or(no_offset), "relocations");
    }
    result.entries.reserve(bytes.size() / entry_size);
    result.blocks.reserve(bytes.size() / 64 + 1);  // as many as pages with a few dozen entries make
    ByteReader reader(bytes);
    while (reader.left() != 0 && !all_zero(reader.rest())) {
        RelocationBlock block;
        block.offset = image.offset_in_file(bytes) + reader.position();
        block.page_rva = reader.u32();
        block.size = reader.u32();
        if (!reader.ok() || block.size < header_size || block.size % entry_size != 0 ||
            block.size - header_size > reader.left()) {
            fault(ErrorCode::pe_bad_entry, block.offset, "a relocation block has a wrong size");
            break;
        }
        block.first_entry = static_cast<std::uint32_t>(result.entries.size());
        block.entry_count = (block.size - header_size) / entry_size;
        for (std::uint32_t i = 0; i < block.entry_count; ++i) {
            result.entries.push_back({reader.u16()});
        }
        result.blocks.push_back(block);
    }
    return result;
}

bool relocates_only_thunk(const Relocations& relocations, const EntryThunk* thunk) {
    if (!relocations.complete) return false;
    const EntryThunk::Fixups allowed = thunk != nullptr ? thunk->fixups() : EntryThunk::Fixups{};
    bool used[2] = {false, false};
    for (const RelocationBlock& block : relocations.blocks) {
        for (const Relocation entry : relocations.entries_of(block)) {
            if (entry.type() == RelocationType::absolute) continue;
            const std::uint64_t rva = std::uint64_t{block.page_rva} + entry.page_offset();
            std::uint32_t i = 0;
            for (; i < allowed.count; ++i) {
                const EntryThunk::Fixup& fixup = allowed.items[i];
                if (fixup.rva == rva && fixup.type == static_cast<std::uint8_t>(entry.type()))
                    break;
            }
            if (i == allowed.count || used[i]) return false;
            used[i] = true;
        }
    }
    return true;
}

Status emit(const Relocations& relocations, MutableByteSpan out) {
    Placer placer(out);
    for (const RelocationBlock& block : relocations.blocks) {
        placer.put(block.offset, block.page_rva);
        placer.put(block.offset + 4, block.size);
        std::uint64_t at = block.offset + header_size;
        for (const Relocation entry : relocations.entries_of(block)) {
            placer.put(at, entry.raw);
            at += entry_size;
        }
    }
    return placer.status();
}

void claim_relocations(const Relocations& relocations, std::vector<Claim>& claims) {
    for (std::size_t i = 0; i < relocations.blocks.size(); ++i) {
        claim(claims, relocations.blocks[i].range(), ClaimKind::relocations,
              static_cast<std::uint32_t>(i));
    }
}

}  // namespace clrkit::pe
