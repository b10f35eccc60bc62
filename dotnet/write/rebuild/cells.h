// Walking every cell of a kind in table order, by the schema.
#pragma once

#include <clrkit/core/error.h>
#include <clrkit/dotnet/metadata/metadata.h>

#include <cstdint>

namespace clrkit::rebuild {

struct Cell {
    std::uint32_t value;
    Token row;
    ColumnSpec column;
};

/// Calls `visit(Cell) -> Status` for each cell of the columns of one kind: table by table, column by
/// column, row by row. Stops at the first error.
template <class Visit>
Status for_each_cell(const Metadata& metadata, ColumnKind kind, Visit visit) {
    for (std::size_t slot = 0; slot < table_slots; ++slot) {
        const auto table = static_cast<Table>(slot);
        if (metadata.rows(table) == 0) continue;
        const auto columns = metadata.tables().spec(table).all_columns();
        for (unsigned i = 0; i < columns.size(); ++i) {
            if (columns[i].kind != kind) continue;
            const ColumnView view = metadata.tables().column(table, i);
            for (std::uint32_t rid = 1; rid <= view.rows(); ++rid) {
                const Status status = visit(Cell{view[rid], Token(table, rid), columns[i]});
                if (!status) return status;
            }
        }
    }
    return {};
}

/// The error for a cell that points past its heap.
inline Status outside(const Cell& cell) {
    return failure(Stage::write, ErrorCode::heap_index_outside, no_offset, cell.column.name,
                   cell.row.value());
}

}  // namespace clrkit::rebuild
