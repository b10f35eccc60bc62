// Root, stream headers and tables, written from what was parsed.
#include <clrkit/dotnet/write/emit_metadata.h>

#include <algorithm>
#include <bit>

namespace clrkit {
namespace {

/// A cursor that writes where every byte was read from, so that room needs no check.
class Cursor {
public:
    Cursor(MutableByteSpan out, std::uint64_t offset) : at_(out.data() + offset) {}
    template <class T>
    void put(T value) {
        store_le(at_, value);
        at_ += sizeof(T);
    }
    void put(ByteSpan bytes) { at_ = std::ranges::copy(bytes, at_).out; }

private:
    std::uint8_t* at_;
};

/// One kernel per width; the widths do not change between what is read and what is written.
template <class T>
void emit_column(const ColumnView& column, std::uint8_t* to) {
    for (std::uint32_t rid = 1; rid <= column.rows(); ++rid, to += column.stride()) {
        store_le(to, static_cast<T>(column[rid]));
    }
}

void emit_table(const Tables& tables, Table table, MutableByteSpan stream) {
    const TableLayout& layout = tables.layout(table);
    std::uint8_t* first = stream.data() + (layout.first - tables.bytes().data());
    for (unsigned i = 0; i < layout.column_count; ++i) {
        const ColumnView column = tables.column(table, i);
        std::uint8_t* to = first + layout.columns[i].offset;
        switch (column.width()) {
            case 1: emit_column<std::uint8_t>(column, to); break;
            case 2: emit_column<std::uint16_t>(column, to); break;
            default: emit_column<std::uint32_t>(column, to); break;
        }
    }
}

}  // namespace

void emit_metadata_root(const MetadataRoot& root, MutableByteSpan out) {
    ByteReader fixed(root.bytes());
    Cursor writer(out, root.file_offset());
    writer.put(fixed.u32());  // signature
    writer.put(fixed.u16());  // major version
    writer.put(fixed.u16());  // minor version
    writer.put(fixed.u32());  // reserved
    writer.put(fixed.u32());  // length of the version, as declared
    writer.put(root.version_field());
    writer.put(root.flags());
    writer.put(root.declared_streams());
    auto cursor = root.streams();
    while (const auto stream = cursor.next()) {
        Cursor header(out, root.file_offset() + stream->header_offset);
        header.put(stream->offset);
        header.put(stream->size);
        // The name, and what pads it, is a measured extent.
        header.put(slice_clamped(root.bytes(), stream->header_offset + 8, stream->header_size - 8));
    }
}

void emit_tables(const Tables& tables, std::uint64_t stream_offset, MutableByteSpan out) {
    const MutableByteSpan stream =
        out.subspan(static_cast<std::size_t>(stream_offset), tables.bytes().size());
    const TableStreamHeader& header = tables.header();
    Cursor writer(stream, 0);
    writer.put(std::uint32_t{header.reserved});
    writer.put(header.major_version);
    writer.put(header.minor_version);
    writer.put(header.heap_sizes);
    writer.put(header.rid_bits);
    writer.put(std::uint64_t{header.valid});
    writer.put(std::uint64_t{header.sorted});
    for (std::uint64_t mask = header.valid; mask != 0; mask &= mask - 1) {
        writer.put(tables.layout(static_cast<Table>(std::countr_zero(mask))).declared);
    }
    if ((header.heap_sizes & heap_size_flags::extra_data) != 0) {
        writer.put(load_le<std::uint32_t>(tables.bytes().data() + tables.rows_offset() - 4));
    }
    for (std::uint64_t mask = header.valid; mask != 0; mask &= mask - 1) {
        emit_table(tables, static_cast<Table>(std::countr_zero(mask)), stream);
    }
    Cursor(stream, tables.rows_end()).put(tail(tables.bytes(), tables.rows_end()));
}

}  // namespace clrkit
