// Entries of the debug directory and the data each of them points at. Nothing is inflated here.
#include <clrkit/core/pe/debug_directory.h>

#include <clrkit/core/bytes/reader.h>
#include <clrkit/core/pe/place.h>

#include <algorithm>

namespace clrkit::pe {
namespace {

constexpr std::uint32_t rsds = 0x53445352;  // "RSDS"
constexpr std::uint32_t mpdb = 0x4244504D;  // "MPDB"

ByteSpan find_data(const Image& image, const DebugDirectoryEntry& entry) {
    const std::uint64_t size = entry.size_of_data;
    const auto by_pointer = entry.pointer_to_raw_data != 0
                                ? slice(image.bytes(), entry.pointer_to_raw_data, size)
                                : std::nullopt;
    const auto by_address = entry.address_of_raw_data != 0
                                ? image.range(entry.address_of_raw_data, size)
                                : std::nullopt;
    const bool mapped = image.mapping() == Mapping::memory;
    const auto& first = mapped ? by_address : by_pointer;
    const auto& second = mapped ? by_pointer : by_address;
    if (first) return *first;
    return second.value_or(ByteSpan{});
}

/// What precedes the first NUL; all of it when there is none.
ByteSpan up_to_nul(ByteSpan bytes) {
    const auto nul = std::find(bytes.begin(), bytes.end(), std::uint8_t{0});
    return bytes.first(static_cast<std::size_t>(nul - bytes.begin()));
}

}  // namespace

DebugDirectory DebugDirectory::read(const Image& image, Diagnostics* diagnostics,
                                    const Limits& limits) {
    constexpr std::uint64_t entry_size = sizeof(DebugDirectoryEntry);
    DebugDirectory result;
    const auto fault = [&](ErrorCode code, std::uint64_t offset, const char* note) {
        result.complete = false;
        report(diagnostics, Stage::pe, code, offset, note);
    };
    const DataDirectory directory = image.directory(Directory::debug);
    if (directory.rva == 0 || directory.size == 0) return result;
    const std::uint64_t stated_at = image.directory_offset(Directory::debug).value_or(no_offset);
    const ByteSpan bytes = slice_clamped(image.from(directory.rva), 0, directory.size);
    const bool cut = bytes.size() < directory.size;
    if (cut) fault(ErrorCode::pe_directory_outside, stated_at, "debug entries");
    if (!cut && directory.size % entry_size != 0) {
        fault(ErrorCode::pe_bad_entry, stated_at,
              "the debug directory's size is no multiple of 28");
    }
    if (bytes.empty()) return result;
    result.offset = image.offset_in_file(bytes);
    // Entries may share their data: what emitting all of them would write is bounded too.
    std::uint64_t data_left = limits.output_budget(image.bytes().size());
    const std::uint64_t count = bytes.size() / entry_size;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = i * entry_size;
        DebugEntry entry;
        entry.header = *view_at<DebugDirectoryEntry>(bytes, at);
        entry.data = find_data(image, entry.header);
        if (i >= limits.nodes || entry.data.size() > data_left) {
            fault(ErrorCode::limit_reached, result.offset + at, "debug entries");
            break;
        }
        data_left -= entry.data.size();
        if (!entry.data.empty()) {
            entry.range = {image.offset_in_file(entry.data), entry.data.size()};
        } else if (cut && (entry.header.size_of_data != 0 || entry.header.type == 0)) {
            break;  // from here on it is no directory
        } else if (entry.header.size_of_data != 0) {
            fault(ErrorCode::pe_bad_entry, result.offset + at,
                  "the data of a debug entry lies outside the file");
        }
        result.entries.push_back(entry);
    }
    return result;
}

const DebugEntry* DebugDirectory::find(DebugType type) const {
    for (const DebugEntry& entry : entries) {
        if (entry.type() == type) return &entry;
    }
    return nullptr;
}

std::optional<CodeView> code_view(const DebugEntry& entry) {
    ByteReader reader(entry.data);
    if (entry.type() != DebugType::code_view || reader.u32() != rsds) return std::nullopt;
    CodeView view;
    const ByteSpan guid = reader.bytes(view.guid.size());
    std::copy(guid.begin(), guid.end(), view.guid.begin());
    view.age = reader.u32();
    if (!reader.ok()) return std::nullopt;
    view.path = up_to_nul(reader.rest());
    return view;
}

std::optional<PdbChecksum> pdb_checksum(const DebugEntry& entry) {
    if (entry.type() != DebugType::pdb_checksum) return std::nullopt;
    const ByteSpan name = up_to_nul(entry.data);
    if (name.size() == entry.data.size()) return std::nullopt;  // no NUL, no checksum
    return PdbChecksum{{reinterpret_cast<const char*>(name.data()), name.size()},
                       entry.data.subspan(name.size() + 1)};
}

std::optional<EmbeddedPdb> embedded_pdb(const DebugEntry& entry) {
    ByteReader reader(entry.data);
    if (entry.type() != DebugType::embedded_portable_pdb || reader.u32() != mpdb) {
        return std::nullopt;
    }
    EmbeddedPdb pdb;
    pdb.uncompressed_size = reader.u32();
    if (!reader.ok()) return std::nullopt;
    pdb.deflated = reader.rest();
    return pdb;
}

Status emit(const DebugDirectory& debug, MutableByteSpan out) {
    Placer placer(out);
    std::uint64_t at = debug.offset;
    for (const DebugEntry& entry : debug.entries) {
        placer.put(at, entry.header);
        placer.put(entry.range.offset, entry.data);
        at += sizeof(DebugDirectoryEntry);
    }
    return placer.status();
}

void claim_debug_directory(const DebugDirectory& debug, std::vector<Claim>& claims) {
    const std::size_t first = claims.size();
    claim(claims, debug.range(), ClaimKind::debug_entries);
    for (std::size_t i = 0; i < debug.entries.size(); ++i) {
        claim(claims, debug.entries[i].range, ClaimKind::debug_data, static_cast<std::uint32_t>(i));
    }
    drop_repeated_claims(claims, first);
}

}  // namespace clrkit::pe
