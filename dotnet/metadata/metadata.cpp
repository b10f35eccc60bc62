// Choosing streams by the runtime's rules, and the look-ups that need more than one table.
#include <clrkit/core/try.h>
#include <clrkit/dotnet/metadata/metadata.h>

#include <algorithm>
#include <bit>

namespace clrkit {
namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

enum class Known : std::uint8_t { strings, user_strings, guids, blobs, count };
constexpr std::array<std::string_view, 4> heap_names{"#Strings", "#US", "#GUID", "#Blob"};

/// The pointer table that #- may put between a list and its table.
constexpr Table pointer_table(Table table) {
    switch (table) {
        case Table::Field: return Table::FieldPtr;
        case Table::MethodDef: return Table::MethodPtr;
        case Table::Param: return Table::ParamPtr;
        case Table::Event: return Table::EventPtr;
        case Table::Property: return Table::PropertyPtr;
        default: return Table::none;
    }
}

}  // namespace

/// What the walk over the stream headers found.
struct Metadata::Selection {
    std::optional<Stream> compressed;                  // #~
    std::optional<Stream> uncompressed;                // #-
    std::array<std::optional<Stream>, 4> last;         // by exact name
    std::array<std::optional<Stream>, 4> first_alike;  // by name in any case
    std::optional<Stream> pdb;
    bool schema_after_tables = false;
    bool schema_before_tables = false;
    bool all_wide = false;  // #JTD
    bool duplicate = false;
    bool two_table_streams = false;  // of one kind
    bool outside = false;

    void take(const Stream& stream) {
        if (stream.name == "#~") {
            two_table_streams |= compressed.has_value();
            compressed = stream;
        } else if (stream.name == "#-") {
            two_table_streams |= uncompressed.has_value();
            if (!uncompressed) uncompressed = stream;
        } else if (stream.name == "#Schema") {
            (compressed || uncompressed ? schema_after_tables : schema_before_tables) = true;
        } else if (equal_ignoring_case(stream.name, "#JTD")) {
            all_wide = true;
        } else if (stream.name == "#Pdb") {
            pdb = stream;
        }
        for (std::size_t i = 0; i < heap_names.size(); ++i) {
            if (!first_alike[i] && equal_ignoring_case(stream.name, heap_names[i])) {
                first_alike[i] = stream;
            }
            if (stream.name != heap_names[i]) continue;
            duplicate |= last[i].has_value();
            last[i] = stream;
        }
    }
};

Result<Metadata> Metadata::parse(ByteSpan bytes, std::uint64_t file_offset,
                                 const MetadataOptions& options) {
    TRY(MetadataRoot root, MetadataRoot::parse(bytes, file_offset));
    Metadata metadata;
    metadata.root_ = root;
    Selection chosen;
    auto cursor = root.streams();
    std::uint32_t seen = 0;
    while (const auto stream = cursor.next()) {
        ++seen;
        if (!stream->terminated) {
            report(options.diagnostics, Stage::metadata, ErrorCode::stream_name_unterminated,
                   file_offset + stream->header_offset);
            continue;
        }
        if (!stream->whole) {
            chosen.outside = true;
            report(options.diagnostics, Stage::metadata, ErrorCode::stream_outside,
                   file_offset + stream->header_offset);
        }
        chosen.take(*stream);
    }
    if (seen < root.declared_streams()) {
        report(options.diagnostics, Stage::metadata, ErrorCode::metadata_truncated,
               file_offset + cursor.position(), "stream headers are missing");
    }
    if (options.eyes == Eyes::strict && (chosen.duplicate || chosen.two_table_streams)) {
        return failure(Stage::metadata, ErrorCode::stream_duplicate, file_offset);
    }
    if (options.eyes == Eyes::strict && chosen.outside) {
        return failure(Stage::metadata, ErrorCode::stream_outside, file_offset);
    }
    if (!metadata.choose_streams(chosen, options)) {
        return failure(Stage::metadata, ErrorCode::no_table_stream, file_offset);
    }
    TRY_DO(metadata.parse_tables(chosen, options));
    return metadata;
}

/// Decides between #~ and #- and takes each heap by the rules of the one chosen. False when there
/// is no table stream.
bool Metadata::choose_streams(Selection& chosen, const MetadataOptions& options) {
    const auto refuse = [&](const char* why) {
        report(options.diagnostics, Stage::metadata, ErrorCode::refused_by_runtime,
               root_.file_offset(), why);
    };
    if (chosen.outside) refuse("a stream runs past the metadata");
    if (chosen.two_table_streams) refuse("two table streams of one name");
    if (chosen.duplicate || chosen.two_table_streams) {
        report(options.diagnostics, Stage::metadata, ErrorCode::stream_duplicate,
               root_.file_offset());
    }
    if (chosen.compressed && chosen.uncompressed) {
        refuse("both #~ and #- are present");
        const bool mono_takes_uncompressed = options.eyes == Eyes::mono;
        const bool first = chosen.uncompressed->header_offset < chosen.compressed->header_offset;
        uncompressed_ = mono_takes_uncompressed || first;
    } else {
        uncompressed_ = chosen.uncompressed.has_value();
    }
    if (!uncompressed_ && !chosen.compressed) return false;
    if (chosen.schema_before_tables) refuse("#Schema stands before #~");
    bool first_wins = uncompressed_;
    if (chosen.schema_after_tables && options.eyes != Eyes::mono) first_wins = uncompressed_ = true;
    if (options.eyes == Eyes::mono) first_wins = false;

    const auto& heaps = first_wins ? chosen.first_alike : chosen.last;
    const auto content = [&](Known which) {
        const auto& stream = heaps[static_cast<std::size_t>(which)];
        return stream ? stream->content : ByteSpan{};
    };
    strings_ = StringHeap(content(Known::strings));
    user_strings_ = BlobHeap(content(Known::user_strings));
    guids_ = GuidHeap(content(Known::guids));
    blobs_ = BlobHeap(content(Known::blobs));
    if (!strings_.bytes().empty() && strings_.bytes().back() != 0) {
        report(options.diagnostics, Stage::heaps, ErrorCode::heap_unterminated,
               offset_in_file(strings_.bytes().data()), "#Strings");
    }
    return true;
}

Status Metadata::parse_tables(const Selection& chosen, const MetadataOptions& options) {
    RowCounts referenced{};
    TableParseOptions how;
    how.diagnostics = options.diagnostics;
    how.referenced_rows = options.referenced_rows;
    how.all_wide = chosen.all_wide && (uncompressed_ || options.eyes == Eyes::mono);
    if (chosen.pdb) {
        ByteReader reader(chosen.pdb->content);
        pdb_.id = reader.bytes(20);
        pdb_.entry_point = Token(reader.u32());
        for (std::uint64_t mask = reader.u64(); mask != 0; mask &= mask - 1) {
            referenced[static_cast<std::size_t>(std::countr_zero(mask))] = reader.u32();
        }
        pdb_.present = reader.ok();
        if (!reader.ok()) {
            report(options.diagnostics, Stage::metadata, ErrorCode::metadata_truncated,
                   root_.file_offset() + chosen.pdb->offset, "#Pdb");
        }
        how.referenced_rows = &referenced;
    }
    // #Schema turns #~ into a stream that is read by the rules of #-.
    const bool take_uncompressed = uncompressed_ && chosen.uncompressed;
    const Stream& stream = take_uncompressed ? *chosen.uncompressed : *chosen.compressed;
    how.file_offset = root_.file_offset() + stream.offset;
    TRY_DO(tables_.parse(stream.content, how));
    if (!uncompressed_ && rows(Table::FieldPtr) + rows(Table::MethodPtr) != 0) {
        report(options.diagnostics, Stage::tables, ErrorCode::refused_by_runtime, how.file_offset,
               "#~ has a FieldPtr or MethodPtr table");
    }
    return {};
}

StreamUse Metadata::use_of(const Stream& stream) const {
    // An empty heap may begin where the next stream does: both ends count.
    const auto is = [&](ByteSpan content) {
        return content.data() == stream.content.data() && content.size() == stream.content.size();
    };
    if (is(tables_.bytes())) return StreamUse::tables;
    if (is(strings_.bytes())) return StreamUse::strings;
    if (is(blobs_.bytes())) return StreamUse::blobs;
    if (is(guids_.bytes())) return StreamUse::guids;
    if (is(user_strings_.bytes())) return StreamUse::user_strings;
    return StreamUse::none;
}

Token Metadata::token(Table table, std::uint32_t rid, unsigned column) const {
    const TableSpec& spec = tables_.spec(table);
    if (column >= spec.column_count) return {};
    const ColumnSpec& what = spec.columns[column];
    const std::uint32_t raw = tables_.cell(table, rid, column);
    switch (what.kind) {
        case ColumnKind::coded: return decode(what.coded(), raw);
        case ColumnKind::row:
        case ColumnKind::list: return raw == 0 ? Token{} : Token{what.table(), raw};
        case ColumnKind::u32: return Token(raw);
        default: return {};
    }
}

RowRange Metadata::list(Table table, std::uint32_t rid, unsigned column) const {
    const ColumnView starts = tables_.column(table, column);
    const Table target = tables_.spec(table).columns[column].table();
    const Table pointers = pointer_table(target);
    const bool indirect = uncompressed_ && pointers != Table::none && rows(pointers) != 0;
    const std::uint32_t last = rows(indirect ? pointers : target) + 1;
    const auto start = [&](std::uint32_t row) -> std::uint32_t {
        if (row > starts.rows()) return last;
        // A two-byte column cannot hold 0x10000: with 0xFFFF rows the end of the list wraps to 0.
        if (starts[row] == 0 && starts.width() == 2 && last == 0x10000) return last;
        return starts[row];
    };
    const std::uint32_t first = start(rid);
    if (first == 0 || first >= last || rid - 1 >= starts.rows()) return {};
    const std::uint32_t end = std::min(start(rid + 1), last);
    return end > first ? RowRange{first, end} : RowRange{first, first};
}

std::uint32_t Metadata::through_pointers(Table table, std::uint32_t position) const {
    const Table pointers = pointer_table(table);
    if (pointers == Table::none || rows(pointers) == 0) return position;
    const std::uint32_t row = tables_.cell(pointers, position, 0);
    return row <= rows(table) ? row : 0;
}

std::uint32_t Metadata::pick(Table table, std::uint32_t key) const {
    const std::uint8_t sort_column = tables_.spec(table).sort_column;
    if (sort_column == TableSpec::no_sort) return 0;
    const ColumnView keys = tables_.column(table, sort_column);
    if (uncompressed_) {
        for (std::uint32_t rid = 1; rid <= keys.rows(); ++rid) {
            if (keys[rid] == key) return rid;
        }
        return 0;
    }
    std::uint32_t low = 1;
    std::uint32_t high = keys.rows();
    while (low <= high) {
        const std::uint32_t middle = low + (high - low) / 2;
        const std::uint32_t value = keys[middle];
        if (value == key) return middle;
        if (value < key) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return 0;
}

RowRange Metadata::find(Table table, std::uint32_t key) const {
    const std::uint32_t hit = pick(table, key);
    if (hit == 0) return {};
    const ColumnView keys = tables_.column(table, tables_.spec(table).sort_column);
    RowRange range{hit, hit + 1};
    while (range.first > 1 && keys[range.first - 1] == key) --range.first;
    while (range.end <= keys.rows() && keys[range.end] == key) ++range.end;
    return range;
}

}  // namespace clrkit
