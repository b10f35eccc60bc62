// One kernel for every way a column may change, by width in and width out; nothing per table.
#include <clrkit/core/try.h>
#include <clrkit/dotnet/write/rebuild/tables.h>

#include <bit>

namespace clrkit::rebuild {
namespace {

constexpr std::size_t largest_narrow_heap = 0xFFFF;

template <class In, class Out, class Map>
void kernel(const ColumnView& from, const ColumnView& to, std::uint8_t* out, Map map) {
    const std::uint8_t* in = from.data();
    for (std::uint32_t i = 0; i < from.rows(); ++i, in += from.stride(), out += to.stride()) {
        store_le(out, static_cast<Out>(map(load_le<In>(in))));
    }
}

/// Copies a column through `map`; a column is never wider than four bytes nor does a value outgrow
/// the width that the new layout gave it.
template <class Map>
void convert(const ColumnView& from, const ColumnView& to, std::uint8_t* out, Map map) {
    if (from.width() == 2 && to.width() == 2) {
        kernel<std::uint16_t, std::uint16_t>(from, to, out, map);
    } else if (from.width() == 4 && to.width() == 4) {
        kernel<std::uint32_t, std::uint32_t>(from, to, out, map);
    } else if (from.width() == 4 && to.width() == 2) {
        kernel<std::uint32_t, std::uint16_t>(from, to, out, map);
    } else if (from.width() == 2 && to.width() == 4) {
        kernel<std::uint16_t, std::uint32_t>(from, to, out, map);
    } else {
        kernel<std::uint8_t, std::uint8_t>(from, to, out, map);
    }
}

/// New offsets of a blob column's cells, which it is asked for in the order of the rows.
auto blob_map(const NewBlobs& blobs, BlobKind kind) {
    const bool by_row = kind == BlobKind::custom_attribute && !blobs.attribute_values.empty();
    return [&blobs, kind, by_row, row = std::size_t{0}](std::uint32_t old) mutable {
        return by_row ? blobs.attribute_values[row++] : blobs.map(kind, old);
    };
}

}  // namespace

Result<NewTables> lay_out_tables(const Metadata& metadata, const NewHeap& strings,
                                 const NewHeap& guids, const NewBlobs& blobs, Region& region) {
    const Tables& old = metadata.tables();
    std::uint64_t size = old.rows_offset();
    for (std::size_t slot = 0; slot < table_slots; ++slot) {
        const TableLayout& table = old.layout(static_cast<Table>(slot));
        // Every index may widen from two bytes to four.
        size += std::uint64_t{table.rows} * table.row_size * 2;
    }
    const MutableByteSpan room = region.take(static_cast<std::size_t>(size + 4));
    if (room.data() == nullptr) return failure(Stage::write, ErrorCode::out_of_memory);
    std::memcpy(room.data(), old.bytes().data(), old.rows_offset());
    TableStreamHeader header = old.header();
    const auto wide = [](ByteSpan heap, std::uint8_t flag) {
        return heap.size() > largest_narrow_heap ? flag : std::uint8_t{0};
    };
    constexpr auto heap_bits = static_cast<std::uint8_t>(
        heap_size_flags::wide_strings | heap_size_flags::wide_guids | heap_size_flags::wide_blobs);
    header.heap_sizes = static_cast<std::uint8_t>(
        (header.heap_sizes & ~heap_bits) | wide(strings.bytes, heap_size_flags::wide_strings) |
        (guids.entries > largest_narrow_heap ? heap_size_flags::wide_guids : 0) |
        wide(blobs.bytes, heap_size_flags::wide_blobs));
    std::memcpy(room.data(), &header, sizeof header);
    NewTables result;
    TableParseOptions options;
    options.all_wide = old.all_wide();
    TRY_DO(result.layout.parse(room, options));
    auto end = static_cast<std::size_t>(result.layout.rows_end());
    while (end % 4 != 0) room[end++] = 0;
    result.bytes = room.first(end);
    return result;
}

void fill_tables(const Metadata& metadata, const NewHeap& strings, const NewHeap& guids,
                 const NewBlobs& blobs, const Addresses& addresses, NewTables& tables) {
    const auto address = [&](Table table, std::uint32_t rva) {
        if (rva == 0) return rva;
        return table == Table::MethodDef ? addresses.body(addresses.context, rva)
                                         : addresses.data(addresses.context, rva);
    };
    for (std::uint64_t mask = tables.layout.header().valid; mask != 0; mask &= mask - 1) {
        const auto table = static_cast<Table>(std::countr_zero(mask));
        const auto columns = metadata.tables().spec(table).all_columns();
        for (unsigned i = 0; i < columns.size(); ++i) {
            const ColumnView from = metadata.tables().column(table, i);
            if (from.rows() == 0) continue;
            const ColumnView to = tables.layout.column(table, i);
            std::uint8_t* const out = tables.bytes.data() + tables.layout.cell_offset(table, 1, i);
            switch (columns[i].kind) {
                case ColumnKind::string:
                    convert(from, to, out, [&](std::uint32_t old) { return strings.map(old); });
                    break;
                case ColumnKind::guid:
                    convert(from, to, out, [&](std::uint32_t old) { return guids.map(old); });
                    break;
                case ColumnKind::blob:
                    convert(from, to, out, blob_map(blobs, columns[i].blob()));
                    break;
                case ColumnKind::rva:
                    convert(from, to, out, [&](std::uint32_t old) { return address(table, old); });
                    break;
                default: convert(from, to, out, [](std::uint32_t old) { return old; }); break;
            }
        }
    }
}

}  // namespace clrkit::rebuild
