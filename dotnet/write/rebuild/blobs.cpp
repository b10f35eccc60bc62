// Re-encoding and deduplication of blobs; deduplication of GUIDs.
#include <clrkit/core/try.h>
#include <clrkit/dotnet/attributes/constant.h>
#include <clrkit/dotnet/attributes/custom_attribute.h>
#include <clrkit/dotnet/attributes/marshalling.h>
#include <clrkit/dotnet/attributes/permission_set.h>
#include <clrkit/dotnet/signatures/transcode.h>
#include <clrkit/dotnet/write/rebuild/blob_heap_builder.h>
#include <clrkit/dotnet/write/rebuild/blobs.h>
#include <clrkit/dotnet/write/rebuild/cells.h>
#include <clrkit/dotnet/write/rebuild/content_table.h>

#include <algorithm>

namespace clrkit::rebuild {
namespace {

std::unexpected<Error> full() { return failure(Stage::write, ErrorCode::out_of_memory); }
std::unexpected<Error> over_budget() {
    return failure(Stage::write, ErrorCode::output_budget, no_offset, "#Blob");
}

bool blobs_are_pinned(const Metadata& metadata) {
    return metadata.rows(Table::Document) != 0 || metadata.rows(Table::ImportScope) != 0;
}

void count(BlobCounts& counts, Transcoding outcome, Token row) {
    if (outcome == Transcoding::raw) {
        if (counts.raw++ == 0) counts.first_raw = row;
        return;
    }
    ++counts.decoded;
    if (outcome == Transcoding::changed) ++counts.changed;
}

/// One heap in the making.
class Rebuilding {
public:
    Rebuilding(const Metadata& metadata, const BlobOptions& options, Region& region)
        : metadata_(metadata), heap_(metadata.blobs()), options_(options), region_(region) {}

    Status mark() {
        for (OffsetMap& offsets : result_.offsets) {
            if (!offsets.begin(region_, heap_.bytes().size())) return full();
        }
        TRY_DO(for_each_cell(metadata_, ColumnKind::blob, [&](const Cell& cell) -> Status {
            if (cell.value == 0) return {};
            if (!heap_.contains(cell.value)) return outside(cell);
            offsets_of(cell).mark(cell.value);
            return {};
        }));
        for (OffsetMap& offsets : result_.offsets) {
            if (!offsets.seal(region_)) return full();
        }
        return {};
    }

    Result<NewBlobs> keep_all() {
        for (OffsetMap& offsets : result_.offsets) {
            offsets.for_each([&](std::uint64_t offset) {
                offsets[offset] = static_cast<std::uint32_t>(offset);
            });
            result_.entries += offsets.size();
        }
        result_.bytes = heap_.bytes();
        result_.pinned = true;
        return result_;
    }

    Result<NewBlobs> write_all() {
        TRY_DO(make_room());
        TRY_DO(for_each_cell(metadata_, ColumnKind::blob, [&](const Cell& cell) -> Status {
            if (cell.value == 0) return {};
            if (by_row(cell)) return attribute(cell);
            std::uint32_t& value = offsets_of(cell)[cell.value];
            if (value != OffsetMap::free) return {};
            const BlobEntry entry = heap_.entry(cell.value);
            if (!entry.valid) return outside(cell);
            const auto offset = write(entry.content, cell);
            if (!offset) return over_budget();
            value = *offset;
            return {};
        }));
        result_.reassembled = options_.reassemble;
        result_.entries = builder_.entries();
        // An empty heap stays so: nothing refers to it.
        if (!heap_.bytes().empty()) result_.bytes = builder_.finish();
        return result_;
    }

private:
    OffsetMap& offsets_of(const Cell& cell) {
        const BlobUse use = use_of(cell.column.blob(), options_.reassemble);
        return result_.offsets[static_cast<std::size_t>(use)];
    }
    bool by_row(const Cell& cell) const {
        return options_.reassemble && cell.column.blob() == BlobKind::custom_attribute;
    }

    /// Referenced entries of a sound heap do not overlap, so the old sizes are enough; where they
    /// do, the budget decides.
    Status make_room() {
        std::uint64_t capacity = 8;
        std::uint64_t largest = 0;
        std::size_t entries = 0;
        for (const OffsetMap& offsets : result_.offsets) {
            offsets.for_each([&](std::uint64_t offset) {
                const std::size_t size = heap_.at(static_cast<std::uint32_t>(offset)).size();
                // Where rows move, a token of one byte may come to take four.
                const std::uint64_t room = (options_.tokens.is_identity() ? size : size * 4) + 4;
                capacity += room;
                largest = std::max(largest, room);
            });
            entries += offsets.size();
        }
        capacity += largest;  // an entry stands at the tail until it is found to be there already
        if (capacity > std::min<std::uint64_t>(options_.budget, UINT32_MAX)) return over_budget();
        if (options_.reassemble) {
            const std::uint32_t rows = metadata_.rows(Table::CustomAttribute);
            attribute_values_ = region_.take_zeroed<std::uint32_t>(rows);
            if (attribute_values_.size() != rows) return full();
            result_.attribute_values = attribute_values_;
            entries += rows;
        }
        if (!builder_.begin(region_, static_cast<std::size_t>(capacity), entries)) return full();
        return {};
    }

    std::optional<std::uint32_t> write(ByteSpan content, const Cell& cell) {
        const BlobKind kind = cell.column.blob();
        switch (use_of(kind, options_.reassemble)) {
            case BlobUse::marshalling:
                return encode(content, cell, result_.marshalling, [&](auto& read, auto& write) {
                    return transcode_marshalling(content, read, write);
                });
            case BlobUse::permission_set:
                return encode(content, cell, result_.permission_sets, [&](auto& read, auto& write) {
                    return transcode_permission_set(content, metadata_, options_.enums, read,
                                                    write);
                });
            case BlobUse::raw:
                if (options_.reassemble && kind == BlobKind::constant) check_constant(cell);
                return builder_.add(content);
            default:
                return encode(content, cell, result_.signatures, [&](auto& read, auto& write) {
                    return transcode_signature(content, kind, read, write);
                });
        }
    }

    /// Has an entry written to the tail of the heap.
    template <class Encode>
    std::optional<std::uint32_t> encode(ByteSpan content, const Cell& cell, BlobCounts& counts,
                                        Encode encode) {
        const BlobReadContext read{options_.diagnostics, cell.row, options_.depth};
        WriteBuffer entry = builder_.start(content.size());
        const BlobWriteContext write{entry, options_.tokens};
        const Transcoding outcome = encode(read, write);
        if (outcome == Transcoding::no_memory) return std::nullopt;
        count(counts, outcome, cell.row);
        return builder_.commit(entry);
    }

    Status attribute(const Cell& cell) {
        const BlobEntry entry = heap_.entry(cell.value);
        if (!entry.valid) return outside(cell);
        const auto constructor = AttributeConstructor::of(metadata_, cell.row.rid());
        const auto offset =
            encode(entry.content, cell, result_.attributes, [&](auto& read, auto& write) {
                return transcode_custom_attribute(entry.content, constructor, options_.enums, read,
                                                  write);
            });
        if (!offset) return over_budget();
        attribute_values_[cell.row.rid() - 1] = *offset;
        return {};
    }

    void check_constant(const Cell& cell) {
        const bool fits =
            read_constant(metadata_, cell.row.rid()).kind != ConstantValue::Kind::malformed;
        count(result_.constants, fits ? Transcoding::same : Transcoding::raw, cell.row);
    }

    const Metadata& metadata_;
    const BlobHeap& heap_;
    const BlobOptions& options_;
    Region& region_;
    BlobHeapBuilder builder_;
    std::span<std::uint32_t> attribute_values_;
    NewBlobs result_;
};

}  // namespace

Result<NewBlobs> build_blobs(const Metadata& metadata, const BlobOptions& options, Region& region) {
    Rebuilding rebuilding(metadata, options, region);
    TRY_DO(rebuilding.mark());
    return blobs_are_pinned(metadata) ? rebuilding.keep_all() : rebuilding.write_all();
}

Result<NewHeap> build_guids(const Metadata& metadata, Region& region) {
    const GuidHeap& heap = metadata.guids();
    NewHeap result;
    if (!result.offsets.begin(region, std::uint64_t{heap.count()} + 1)) return full();
    TRY_DO(for_each_cell(metadata, ColumnKind::guid, [&](Cell cell) -> Status {
        if (cell.value == 0) return {};
        if (cell.value > heap.count()) return outside(cell);
        result.offsets.mark(cell.value);
        return {};
    }));
    const MutableByteSpan out = result.offsets.seal(region)
                                    ? region.take(std::size_t{result.offsets.size()} * 16)
                                    : MutableByteSpan{};
    ContentTable contents;
    if (out.data() == nullptr || !contents.begin(region, result.offsets.size())) return full();
    const auto content_at = [&](std::uint32_t index) {
        return ByteSpan(out).subspan((std::size_t{index} - 1) * 16, 16);
    };
    TRY_DO(for_each_cell(metadata, ColumnKind::guid, [&](Cell cell) -> Status {
        if (cell.value == 0) return {};
        std::uint32_t& value = result.offsets[cell.value];
        if (value != OffsetMap::free) return {};
        const Guid guid = *heap.at(cell.value);
        if (const std::uint32_t* known = contents.find(guid, content_at)) {
            value = *known;
            return {};
        }
        std::ranges::copy(guid, out.begin() + static_cast<std::ptrdiff_t>(result.entries) * 16);
        value = ++result.entries;
        contents.insert(value);
        return {};
    }));
    result.bytes = out.first(std::size_t{result.entries} * 16);
    return result;
}

}  // namespace clrkit::rebuild
