// The table stream, #~ or #- (ECMA-335 II.24.2.6): where every column of every table is. Columns
// hold the raw stored value; nothing is decoded, nothing is allocated.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/endian.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/metadata/schema.h>
#include <clrkit/dotnet/metadata/tokens.h>

#include <array>
#include <cassert>
#include <cstdint>

namespace clrkit {

/// The fixed part of the table stream's header.
struct TableStreamHeader {
    le32 reserved;
    std::uint8_t major_version;
    std::uint8_t minor_version;
    std::uint8_t heap_sizes;
    std::uint8_t rid_bits;  // "reserved" in the standard: log2 of the largest rid
    le64 valid;
    le64 sorted;
};
static_assert(sizeof(TableStreamHeader) == 24);

namespace heap_size_flags {
inline constexpr std::uint8_t wide_strings = 0x01;
inline constexpr std::uint8_t wide_guids = 0x02;
inline constexpr std::uint8_t wide_blobs = 0x04;
inline constexpr std::uint8_t extra_data = 0x40;
}  // namespace heap_size_flags

/// One column of one table: a packed range with a stride. Rows count from 1.
class ColumnView {
public:
    ColumnView() = default;
    ColumnView(const std::uint8_t* first, std::uint32_t rows, std::uint32_t stride,
               std::uint8_t width)
        : first_(first), rows_(rows), stride_(stride), width_(width) {}

    std::uint32_t rows() const { return rows_; }
    std::uint32_t stride() const { return stride_; }
    /// Bytes of a cell: 1, 2 or 4.
    std::uint8_t width() const { return width_; }
    const std::uint8_t* data() const { return first_; }

    /// The stored value in row `rid`; 0 when there is no such row.
    std::uint32_t operator[](std::uint32_t rid) const {
        if (rid - 1 >= rows_) return 0;
        const std::uint8_t* cell = first_ + std::size_t{rid - 1} * stride_;
        if (width_ == 2) return load_le<std::uint16_t>(cell);
        if (width_ == 4) return load_le<std::uint32_t>(cell);
        return *cell;
    }

private:
    const std::uint8_t* first_ = nullptr;
    std::uint32_t rows_ = 0;
    std::uint32_t stride_ = 0;
    std::uint8_t width_ = 4;
};

struct ColumnLayout {
    std::uint8_t offset;
    std::uint8_t width;
};

struct TableLayout {
    const std::uint8_t* first = nullptr;
    std::uint32_t rows = 0;      // rows whose bytes exist
    std::uint32_t declared = 0;  // rows the header declares; widths of indexes follow these
    std::uint16_t row_size = 0;
    std::uint8_t column_count = 0;
    std::array<ColumnLayout, columns_at_most> columns{};
};

/// Row counts of tables in another file: a Portable PDB's widths depend on its image's tables.
using RowCounts = std::array<std::uint32_t, table_slots>;

struct TableParseOptions {
    bool all_wide = false;                       // #JTD: every index takes four bytes
    const RowCounts* referenced_rows = nullptr;  // from #Pdb
    std::uint64_t file_offset = 0;               // of the stream, for diagnostics
    Diagnostics* diagnostics = nullptr;
};

class Tables {
public:
    Tables() = default;

    /// Lays out the tables of `stream`, which must outlive them. Row counts beyond the stream's end
    /// are clamped with a diagnostic; column widths follow the declared counts. Errors:
    /// `table_stream_truncated`, `table_too_large`.
    CLRKIT_API Status parse(ByteSpan stream, const TableParseOptions& options);

    ByteSpan bytes() const { return stream_; }
    const TableStreamHeader& header() const {
        return *reinterpret_cast<const TableStreamHeader*>(stream_.data());
    }
    bool present() const { return !stream_.empty(); }
    /// True where every index takes four bytes, as #JTD has it.
    bool all_wide() const { return all_wide_; }
    /// Offset in the stream of the first row, behind the row counts and the extra data.
    std::uint32_t rows_offset() const { return rows_offset_; }
    /// Offset in the stream behind the last row.
    std::uint64_t rows_end() const { return rows_end_; }

    const TableLayout& layout(Table table) const { return layout_[index(table)]; }
    /// The columns of this file's table: the schema's, or those of an older version.
    const TableSpec& spec(Table table) const {
        return table == Table::GenericParam && generic_param_v1_1_ ? schema::generic_param_v1_1
                                                                   : schema::of(table);
    }
    std::uint32_t rows(Table table) const { return layout_[index(table)].rows; }

    ColumnView column(Table table, unsigned column) const {
        const TableLayout& t = layout_[index(table)];
        assert(column < columns_at_most);
        const ColumnLayout c = t.columns[column];
        return {t.first + c.offset, column < t.column_count ? t.rows : 0, t.row_size, c.width};
    }
    /// The stored value of one cell; 0 when there is no such row or column.
    std::uint32_t cell(Table table, std::uint32_t rid, unsigned column) const {
        return this->column(table, column)[rid];
    }
    /// Offset in the stream of one cell, which must exist.
    std::uint64_t cell_offset(Table table, std::uint32_t rid, unsigned column) const {
        const TableLayout& t = layout_[index(table)];
        assert(rid - 1 < t.rows && column < t.column_count);
        return static_cast<std::uint64_t>(t.first - stream_.data()) +
               std::uint64_t{rid - 1} * t.row_size + t.columns[column].offset;
    }
    bool has(Token token) const {
        return static_cast<std::size_t>(token.table()) < table_slots &&
               token.rid() - 1 < rows(token.table());
    }
    /// True where the header's mask says the table is sorted.
    bool says_sorted(Table table) const { return (header().sorted >> index(table) & 1U) != 0; }

private:
    static constexpr std::size_t index(Table table) {
        assert(static_cast<std::size_t>(table) < table_slots);
        return static_cast<std::size_t>(table) % table_slots;
    }
    void lay_out(std::uint64_t present, const TableParseOptions& options);
    Status place(std::uint64_t present, const TableParseOptions& options);

    ByteSpan stream_;
    std::uint32_t rows_offset_ = 0;
    std::uint64_t rows_end_ = 0;
    bool generic_param_v1_1_ = false;
    bool all_wide_ = false;
    std::array<TableLayout, table_slots> layout_{};
};

}  // namespace clrkit
