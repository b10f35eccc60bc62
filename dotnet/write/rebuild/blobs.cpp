// Deduplication of blobs and GUIDs.
#include <clrkit/core/bytes/compressed.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/write/rebuild/blobs.h>
#include <clrkit/dotnet/write/rebuild/cells.h>
#include <clrkit/dotnet/write/rebuild/content_table.h>

#include <algorithm>
#include <cstring>

namespace clrkit::rebuild {
namespace {

std::unexpected<Error> full() { return failure(Stage::write, ErrorCode::out_of_memory); }

}  // namespace

bool blobs_are_pinned(const Metadata& metadata) {
    return metadata.rows(Table::Document) != 0 || metadata.rows(Table::ImportScope) != 0;
}

Result<NewHeap> build_blobs(const Metadata& metadata, std::uint64_t budget, Region& region) {
    const BlobHeap& heap = metadata.blobs();
    NewHeap result;
    if (!result.offsets.begin(region, heap.bytes().size())) return full();
    TRY_DO(for_each_cell(metadata, ColumnKind::blob, [&](Cell cell) -> Status {
        if (cell.value == 0) return {};
        if (!heap.contains(cell.value)) return outside(cell);
        result.offsets.mark(cell.value);
        return {};
    }));
    if (!result.offsets.seal(region)) return full();
    if (blobs_are_pinned(metadata)) {
        result.offsets.for_each([&](std::uint64_t offset) {
            result.offsets[offset] = static_cast<std::uint32_t>(offset);
        });
        result.bytes = heap.bytes();
        result.entries = result.offsets.size();
        return result;
    }
    ContentTable contents;
    if (!contents.begin(region, result.offsets.size())) return full();

    // Referenced entries of a sound heap do not overlap, so the old size is enough; where they do,
    // the budget decides.
    std::uint64_t capacity = 8;
    result.offsets.for_each([&](std::uint64_t offset) {
        capacity += heap.at(static_cast<std::uint32_t>(offset)).size() + 4;
    });
    if (capacity > std::min<std::uint64_t>(budget, UINT32_MAX)) {
        return failure(Stage::write, ErrorCode::output_budget, no_offset, "#Blob");
    }
    const MutableByteSpan out = region.take(static_cast<std::size_t>(capacity));
    if (out.data() == nullptr) return full();
    out[0] = 0;
    std::uint32_t used = 1;
    const auto content_at = [&](std::uint32_t offset) {
        ByteReader reader(out.subspan(offset));
        return reader.bytes(reader.compressed());
    };
    TRY_DO(for_each_cell(metadata, ColumnKind::blob, [&](Cell cell) -> Status {
        if (cell.value == 0) return {};
        std::uint32_t& value = result.offsets[cell.value];
        if (value != OffsetMap::free) return {};
        const BlobEntry entry = heap.entry(cell.value);
        if (!entry.valid) return outside(cell);
        if (entry.content.empty()) {
            value = 0;
            return {};
        }
        if (const std::uint32_t* known = contents.find(entry.content, content_at)) {
            value = *known;
            return {};
        }
        value = used;
        contents.insert(used);
        used +=
            write_compressed(out.data() + used, static_cast<std::uint32_t>(entry.content.size()));
        std::memcpy(out.data() + used, entry.content.data(), entry.content.size());
        used += static_cast<std::uint32_t>(entry.content.size());
        ++result.entries;
        return {};
    }));
    if (heap.bytes().empty()) return result;  // and stays so: nothing refers to it
    while (used % 4 != 0) out[used++] = 0;
    result.bytes = out.first(used);
    return result;
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
