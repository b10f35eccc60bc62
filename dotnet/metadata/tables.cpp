// Laying out the table stream: widths from the declared row counts, then one table after the other.
#include <clrkit/core/try.h>
#include <clrkit/dotnet/metadata/tables.h>

#include <algorithm>
#include <bit>

namespace clrkit {
namespace {

constexpr std::uint64_t known_tables = [] {
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < table_slots; ++i) {
        if (schema::known(static_cast<Table>(i))) mask |= std::uint64_t{1} << i;
    }
    return mask;
}();

/// Version 1.0 knows no table past NestedClass.
constexpr std::uint64_t known_tables_v1_0 =
    known_tables & ((std::uint64_t{1} << (static_cast<unsigned>(Table::NestedClass) + 1)) - 1);

/// The width in bytes of every kind of index under given row counts (ECMA-335 II.24.2.6).
class Widths {
public:
    Widths(const RowCounts& rows, std::uint8_t heap_sizes, bool all_wide)
        : rows_(rows), all_wide_(all_wide) {
        const auto heap = [&](std::uint8_t flag) {
            return static_cast<std::uint8_t>(all_wide || (heap_sizes & flag) != 0 ? 4 : 2);
        };
        strings_ = heap(heap_size_flags::wide_strings);
        guids_ = heap(heap_size_flags::wide_guids);
        blobs_ = heap(heap_size_flags::wide_blobs);
    }

    std::uint8_t of(const ColumnSpec& column) {
        switch (column.kind) {
            case ColumnKind::u8: return 1;
            case ColumnKind::u16: return 2;
            case ColumnKind::u32:
            case ColumnKind::rva: return 4;
            case ColumnKind::string: return strings_;
            case ColumnKind::guid: return guids_;
            case ColumnKind::blob: return blobs_;
            case ColumnKind::row:
            case ColumnKind::list: return all_wide_ || rows_[column.target] > 0xFFFF ? 4 : 2;
            case ColumnKind::coded: return coded(column.coded());
        }
        return 4;
    }

private:
    std::uint8_t coded(CodedIndex kind) {
        std::uint8_t& width = coded_[static_cast<std::size_t>(kind)];
        if (width != 0) return width;
        const CodedSpec& spec = schema::of(kind);
        std::uint32_t most = 0;
        for (const Table table : spec.all_tables()) {
            if (table != Table::none) most = std::max(most, rows_[static_cast<std::size_t>(table)]);
        }
        width = all_wide_ || most >= 1U << (16U - spec.tag_bits) ? 4 : 2;
        return width;
    }

    const RowCounts& rows_;
    std::array<std::uint8_t, coded_index_count> coded_{};
    std::uint8_t strings_ = 2;
    std::uint8_t guids_ = 2;
    std::uint8_t blobs_ = 2;
    bool all_wide_;
};

/// Calls `visit(table index)` for every bit of the mask, lowest first.
template <class Visit>
void for_each_bit(std::uint64_t mask, Visit visit) {
    for (; mask != 0; mask &= mask - 1) visit(static_cast<std::size_t>(std::countr_zero(mask)));
}

}  // namespace

Status Tables::parse(ByteSpan stream, const TableParseOptions& options) {
    if (stream.size() < sizeof(TableStreamHeader)) {
        return failure(Stage::tables, ErrorCode::table_stream_truncated, options.file_offset);
    }
    stream_ = stream;
    const TableStreamHeader& head = header();
    const std::uint64_t present = head.valid;
    std::uint64_t position = sizeof(TableStreamHeader);
    const auto counts = static_cast<std::uint64_t>(std::popcount(present)) * 4;
    const std::uint64_t extra = (head.heap_sizes & heap_size_flags::extra_data) != 0 ? 4 : 0;
    if (!fits(stream.size(), position, counts + extra)) {
        return failure(Stage::tables, ErrorCode::table_stream_truncated, options.file_offset);
    }
    for_each_bit(present, [&](std::size_t table) {
        layout_[table].declared = load_le<std::uint32_t>(stream.data() + position);
        position += 4;
    });
    rows_offset_ = static_cast<std::uint32_t>(position + extra);
    const bool v1 = head.major_version == 1;
    all_wide_ = options.all_wide;
    generic_param_v1_1_ = v1 && head.minor_version == 1;
    const std::uint64_t known = v1 && head.minor_version == 0 ? known_tables_v1_0 : known_tables;
    for_each_bit(present & ~known, [&](std::size_t table) {
        if (layout_[table].declared != 0) {
            report(options.diagnostics, Stage::tables, ErrorCode::table_unknown,
                   options.file_offset, nullptr, static_cast<std::uint32_t>(table) << 24U);
        }
    });
    lay_out(present & known, options);
    return place(present & known, options);
}

/// Column offsets and row sizes.
void Tables::lay_out(std::uint64_t present, const TableParseOptions& options) {
    RowCounts rows{};
    for_each_bit(present, [&](std::size_t table) { rows[table] = layout_[table].declared; });
    if (options.referenced_rows != nullptr) {
        for (std::size_t table = 0; table < table_slots; ++table) {
            rows[table] = std::max(rows[table], (*options.referenced_rows)[table]);
        }
    }
    Widths widths(rows, header().heap_sizes, options.all_wide);
    for_each_bit(present, [&](std::size_t table) {
        TableLayout& layout = layout_[table];
        const TableSpec& columns = spec(static_cast<Table>(table));
        std::uint8_t offset = 0;
        for (std::size_t i = 0; i < columns.column_count; ++i) {
            const std::uint8_t width = widths.of(columns.columns[i]);
            layout.columns[i] = {offset, width};
            offset = static_cast<std::uint8_t>(offset + width);
        }
        layout.row_size = offset;
        layout.column_count = columns.column_count;
    });
}

/// Where each table begins, and how many of its rows exist.
Status Tables::place(std::uint64_t present, const TableParseOptions& options) {
    std::uint64_t position = rows_offset_;
    for_each_bit(present, [&](std::size_t table) {
        TableLayout& layout = layout_[table];
        const std::uint64_t left = position < stream_.size() ? stream_.size() - position : 0;
        layout.first = stream_.data() + std::min<std::uint64_t>(position, stream_.size());
        layout.rows = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(layout.declared, left / layout.row_size));
        if (layout.rows != layout.declared) {
            report(options.diagnostics, Stage::tables, ErrorCode::table_clamped,
                   options.file_offset + position, nullptr,
                   static_cast<std::uint32_t>(table) << 24U);
        }
        position += std::uint64_t{layout.declared} * layout.row_size;
    });
    rows_end_ = std::min<std::uint64_t>(position, stream_.size());
    if (position - rows_offset_ > UINT32_MAX) {
        return failure(Stage::tables, ErrorCode::table_too_large, options.file_offset);
    }
    return {};
}

}  // namespace clrkit
