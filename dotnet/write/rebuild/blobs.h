// Fresh #Blob and #GUID heaps: every referenced entry once, signatures decoded and encoded anew.
#pragma once

#include <clrkit/core/diagnostics.h>
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/attributes/enum_types.h>
#include <clrkit/dotnet/signatures/transcode.h>
#include <clrkit/dotnet/write/rebuild/blob_counts.h>
#include <clrkit/dotnet/write/rebuild/strings.h>

#include <array>
#include <cstdint>
#include <span>

namespace clrkit::rebuild {

/// How an entry is read. One entry may be used in several ways (core libraries share bytes between a
/// signature and raw data), and then has a successor for each.
enum class BlobUse : std::uint8_t { raw, signature, type, marshalling, permission_set, count_ };

/// `reassemble`: what holds no tokens is decoded too.
constexpr BlobUse use_of(BlobKind kind, bool reassemble) {
    if (kind == BlobKind::type_signature) return BlobUse::type;
    if (is_signature(kind)) return BlobUse::signature;
    if (reassemble && kind == BlobKind::marshalling) return BlobUse::marshalling;
    if (reassemble && kind == BlobKind::permission_set) return BlobUse::permission_set;
    return BlobUse::raw;
}

struct NewBlobs {
    ByteSpan bytes;  // padded to four bytes
    std::array<OffsetMap, static_cast<std::size_t>(BlobUse::count_)> offsets;
    std::uint32_t entries = 0;
    /// Why there are no counts: debug tables in the image hold offsets into the heap, which stays.
    bool pinned = false;
    BlobCounts signatures;
    bool reassembled = false;
    // Of a reassembly only.
    BlobCounts attributes, marshalling, permission_sets, constants;
    /// New offsets of the values of custom attributes, by row from 1: what one means depends on its
    /// constructor, so equal values of two rows need not stay equal. Empty without reassembly.
    std::span<const std::uint32_t> attribute_values;

    std::uint32_t map(BlobKind kind, std::uint32_t old) const {
        const BlobUse use = use_of(kind, reassembled);
        return old == 0 ? 0 : offsets[static_cast<std::size_t>(use)][old];
    }
};

struct BlobOptions {
    /// Most bytes that the new heap may take: entries of the input may overlap.
    std::uint64_t budget = 0;
    std::uint32_t depth = Limits{}.depth;
    TokenEncoder tokens;
    /// Decode and encode custom attributes, marshalling descriptors and permission sets too.
    bool reassemble = false;
    /// What enums the arguments of attributes may have; for a reassembly.
    EnumLookup enums;
    /// May be null.
    Diagnostics* diagnostics = nullptr;
};

/// Entries in the order of first use in table order, equal contents once, each with the shortest
/// form of its length. Where blobs hold offsets of other blobs, as names of documents and imports do
/// (some writers put the debug tables into the image itself), the heap stays byte for byte.
/// Errors: `heap_index_outside` for a cell that points past the heap or at an entry that runs out of
/// it, `output_budget`, `out_of_memory`.
Result<NewBlobs> build_blobs(const Metadata& metadata, const BlobOptions& options, Region& region);

/// The GUIDs that columns refer to, likewise; `offsets` maps indexes. Error: `heap_index_outside`.
Result<NewHeap> build_guids(const Metadata& metadata, Region& region);

}  // namespace clrkit::rebuild
