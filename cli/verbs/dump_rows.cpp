// Rows by the schema: no table has code of its own.
#include "verbs/dump_rows.h"

#include "frame/nearest.h"
#include "frame/text.h"
#include "verbs/blob_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace clrkit::cli {
namespace {

bool same_name(std::string_view a, std::string_view b) {
    return std::ranges::equal(
        a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string_view as_text(ByteSpan bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// How much of a blob a line shows.
constexpr std::size_t blob_in_table = 24;

/// One cell: where it is, what it holds.
struct Cell {
    const Metadata& metadata;
    Table table;
    std::uint32_t rid;
    unsigned column;
    BlobTexts* texts;  // null: nothing is to be looked up

    const ColumnSpec& spec() const { return metadata.tables().spec(table).columns[column]; }
    std::uint32_t raw() const { return metadata.cell(table, rid, column); }
    int digits() const { return 2 * metadata.tables().layout(table).columns[column].width; }
    std::string raw_text() const { return fmt::format("0x{:0{}X}", raw(), digits()); }
};

bool is_reference(ColumnKind kind) {
    return kind == ColumnKind::row || kind == ColumnKind::list || kind == ColumnKind::coded;
}

bool is_number(ColumnKind kind) {
    return !is_reference(kind) && kind != ColumnKind::string && kind != ColumnKind::guid &&
           kind != ColumnKind::blob;
}

/// The token that a cell stands for; nothing where its tag means nothing or its row does not fit.
std::optional<Token> token_of(const Cell& cell) {
    const Token token = cell.metadata.token(cell.table, cell.rid, cell.column);
    const unsigned tag_bits =
        cell.spec().kind == ColumnKind::coded ? schema::of(cell.spec().coded()).tag_bits : 0U;
    const bool cut = cell.raw() >> tag_bits > 0xFFFFFF;
    if (cut || (token.value() == 0 && cell.raw() != 0)) return std::nullopt;
    return token;
}

std::string token_text(const Cell& cell) {
    const auto token = token_of(cell);
    if (!token) return "bad " + cell.raw_text();
    std::string text = fmt::format("0x{:08X}", token->value());
    if (cell.spec().kind != ColumnKind::list) return text;
    return text +
           fmt::format(" ({})", cell.metadata.list(cell.table, cell.rid, cell.column).size());
}

std::string hex_text(ByteSpan bytes, std::size_t most) {
    const ByteSpan part = slice_clamped(bytes, 0, most);
    return hex(part) +
           (part.size() < bytes.size() ? fmt::format("... ({} bytes)", bytes.size()) : "");
}

/// What a blob means; where that is not known, or `bytes` are asked for, its bytes too.
std::string blob_text(const Cell& cell, std::size_t most, bool bytes) {
    const BlobEntry entry = cell.metadata.blobs().entry(cell.raw());
    if (!entry.valid) return fmt::format("0x{:X} runs past the heap", cell.raw());
    std::string text = fmt::format("0x{:X}", cell.raw());
    const std::string meaning = shown(cell.texts->text({cell.table, cell.rid}, cell.column));
    if (!entry.content.empty() && (bytes || meaning.empty())) {
        text += ' ' + hex_text(entry.content, most);
    }
    return meaning.empty() ? text : text + "  " + meaning;
}

/// `whole`: a line of its own, with all that there is to say.
std::string cell_text(const Cell& cell, bool whole) {
    if (cell.texts == nullptr) return cell.raw_text();
    switch (cell.spec().kind) {
        case ColumnKind::string:
            if (!cell.metadata.strings().contains(cell.raw())) {
                return fmt::format("0x{:X} is past the heap", cell.raw());
            }
            return fmt::format("0x{:X} \"{}\"", cell.raw(),
                               shown(cell.metadata.strings().at(cell.raw())));
        case ColumnKind::guid: {
            const auto guid = cell.metadata.guids().at(cell.raw());
            if (guid) return fmt::format("{} {}", cell.raw(), guid_text(*guid));
            return cell.raw() == 0 ? "0" : fmt::format("{} is past the heap", cell.raw());
        }
        case ColumnKind::blob:
            return blob_text(cell, whole ? longest_printed : blob_in_table, whole);
        case ColumnKind::row:
        case ColumnKind::list:
        case ColumnKind::coded: return token_text(cell);
        default: return cell.raw_text();
    }
}

/// What the row is called that a cell refers to; a member with its type.
std::string name_of(const Cell& cell) {
    const Token token = token_of(cell).value_or(Token{});
    switch (token.table()) {
        case Table::MemberRef:
        case Table::MethodSpec:
        case Table::TypeSpec:
            return cell.metadata.tables().has(token) ? cell.texts->member(token) : std::string{};
        default: return name_of_row(cell.metadata, token);
    }
}

void write_cell(Json& out, const Cell& cell) {
    const ColumnKind kind = cell.spec().kind;
    const std::string_view name = cell.spec().name;
    if (cell.texts == nullptr || is_number(kind)) {
        out.member(name, cell.raw());
        return;
    }
    out.begin_object(name);
    out.member("raw", cell.raw());
    if (kind == ColumnKind::string) out.name("value", cell.metadata.strings().at(cell.raw()));
    if (kind == ColumnKind::guid) {
        if (const auto guid = cell.metadata.guids().at(cell.raw())) {
            out.text("value", guid_text(*guid));
        }
    }
    if (kind == ColumnKind::blob) {
        const BlobEntry entry = cell.metadata.blobs().entry(cell.raw());
        if (entry.valid) out.bytes("value", entry.content);
        cell.texts->write(out, {cell.table, cell.rid}, cell.column);
    }
    if (is_reference(kind)) {
        const auto token = token_of(cell);
        if (token && token->value() != 0) out.member("token", *token);
    }
    if (kind == ColumnKind::list) {
        out.member("count", cell.metadata.list(cell.table, cell.rid, cell.column).size());
    }
    out.end_object();
}

void write_row(Json& out, const Metadata& metadata, Token row, BlobTexts* texts) {
    out.begin_object();
    out.member("token", row);
    const std::size_t columns = metadata.tables().spec(row.table()).column_count;
    for (unsigned i = 0; i < columns; ++i) {
        write_cell(out, {metadata, row.table(), row.rid(), i, texts});
    }
    out.end_object();
}

/// Prints lines of cells in columns that are as wide as what was seen so far, a few hundred lines at a
/// time: wide enough to look at, and nothing has to be kept.
class Columns {
public:
    Columns(Sink& out, std::vector<std::string> heads) : out_(out) {
        widths_.resize(heads.size());
        lines_.push_back(std::move(heads));
    }
    ~Columns() { print(); }
    Columns(const Columns&) = delete;
    Columns& operator=(const Columns&) = delete;

    void add(std::vector<std::string> line) {
        lines_.push_back(std::move(line));
        if (lines_.size() >= lines_at_once) print();
    }

private:
    static constexpr std::size_t lines_at_once = 256;
    static constexpr std::size_t widest = 40;

    void print() {
        for (const auto& line : lines_) {
            for (std::size_t i = 0; i < line.size(); ++i) {
                if (line[i].size() <= widest) widths_[i] = std::max(widths_[i], line[i].size());
            }
        }
        for (const auto& line : lines_) {
            out_.write("  ");
            for (std::size_t i = 0; i + 1 < line.size(); ++i) {
                out_.print("{:{}}  ", line[i], widths_[i]);
            }
            if (!line.empty()) out_.write(line.back());
            out_.put('\n');
        }
        lines_.clear();
    }

    Sink& out_;
    std::vector<std::string> row_;
    std::vector<std::size_t> widths_;
    std::vector<std::vector<std::string>> lines_;
};

void print_rows(Job& job, const Metadata& metadata, Table table, std::uint32_t count,
                BlobTexts* texts) {
    const TableSpec& spec = metadata.tables().spec(table);
    std::vector<std::string> heads{"token"};
    for (const ColumnSpec& column : spec.all_columns()) heads.emplace_back(column.name);
    Columns columns(job.out(), std::move(heads));
    for (std::uint32_t rid = 1; rid <= count; ++rid) {
        std::vector<std::string> line{fmt::format("0x{:08X}", Token(table, rid).value())};
        for (unsigned i = 0; i < spec.column_count; ++i) {
            line.push_back(cell_text({metadata, table, rid, i, texts}, false));
        }
        columns.add(std::move(line));
    }
}

std::string_view name_of(Heap heap) {
    switch (heap) {
        case Heap::strings: return "strings";
        case Heap::user_strings: return "us";
        case Heap::blobs: return "blob";
        case Heap::guids: return "guid";
    }
    return {};
}

ByteSpan bytes_of(const Metadata& metadata, Heap heap) {
    switch (heap) {
        case Heap::strings: return metadata.strings().bytes();
        case Heap::user_strings: return metadata.user_strings().bytes();
        case Heap::blobs: return metadata.blobs().bytes();
        case Heap::guids: return metadata.guids().bytes();
    }
    return {};
}

/// One entry of a heap: where it begins, what it holds and how far it reaches.
struct Entry {
    std::uint32_t at = 0;  // offset, or for GUIDs the index
    std::uint64_t next = 0;
    ByteSpan content;
    bool valid = true;
};

/// The entry at an offset of the heap's bytes, as entries follow each other from its start.
Entry entry_at(const Metadata& metadata, Heap heap, std::uint64_t offset) {
    const auto at = static_cast<std::uint32_t>(offset);
    Entry entry{at, 0, {}, true};
    if (heap == Heap::guids) {
        entry.at = at / 16 + 1;
        entry.content = slice_clamped(metadata.guids().bytes(), offset, 16);
        entry.next = offset + 16;
        entry.valid = entry.content.size() == 16;
    } else if (heap == Heap::strings) {
        const std::string_view text = metadata.strings().at(at);
        entry.content = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
        entry.next = offset + text.size() + 1;
    } else {
        const BlobHeap& blobs = heap == Heap::blobs ? metadata.blobs() : metadata.user_strings();
        const BlobEntry blob = blobs.entry(at);
        entry.content = blob.content;
        entry.next = offset + blob.prefix + blob.content.size();
        entry.valid = blob.valid;
    }
    return entry;
}

void print_entry(Sink& out, Heap heap, const Entry& entry) {
    out.print("  0x{:06X}  ", entry.at);
    if (!entry.valid) {
        out.write("runs past the heap");
    } else if (heap == Heap::strings) {
        out.print("\"{}\"", shown(as_text(entry.content)));
    } else if (heap == Heap::user_strings) {
        out.print("\"{}\"", shown(utf8_from_utf16(entry.content)));
    } else if (heap == Heap::guids) {
        Guid guid;
        std::ranges::copy(entry.content, guid.begin());
        out.write(guid_text(guid));
    } else {
        out.write(hex(entry.content));
        if (entry.content.size() > longest_printed) {
            out.print("... ({} bytes)", entry.content.size());
        }
    }
    out.put('\n');
}

void write_entry(Json& out, Heap heap, const Entry& entry) {
    out.begin_object();
    out.member(heap == Heap::guids ? "index" : "offset", entry.at);
    if (!entry.valid) {
        out.null("value");
    } else if (heap == Heap::strings) {
        out.name("value", as_text(entry.content));
    } else if (heap == Heap::user_strings) {
        const std::string text = utf8_from_utf16(entry.content);
        out.name("value", text);
        // An odd number of bytes is the rule; without the last one there is no flag byte.
        if (!is_utf8(text) || entry.content.size() % 2 == 0) out.bytes("bytes", entry.content);
    } else if (heap == Heap::guids) {
        Guid guid;
        std::ranges::copy(entry.content, guid.begin());
        out.text("value", guid_text(guid));
    } else {
        out.bytes("value", entry.content);
    }
    out.end_object();
}

/// Calls `visit` for the entries in order and returns how many there are beyond the limit. Empty
/// entries, which pad heaps, are left out.
template <class Visit>
std::uint64_t each_entry(Job& job, const Metadata& metadata, Heap heap, Visit visit) {
    const std::uint64_t limit = listing_limit(job.arguments());
    const std::uint64_t end = bytes_of(metadata, heap).size();
    std::uint64_t seen = 0;
    for (std::uint64_t offset = heap == Heap::guids ? 0 : 1; offset < end;) {
        const Entry entry = entry_at(metadata, heap, offset);
        if (!entry.valid || !entry.content.empty()) {
            if (++seen <= limit) visit(entry);
        }
        if (!entry.valid) break;
        offset = entry.next;
    }
    return seen > limit ? seen - limit : 0;
}

constexpr std::size_t raw_line = 16;

std::string raw_text(ByteSpan bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) text += byte >= 0x20 && byte < 0x7F ? char(byte) : '.';
    return text;
}

/// The bytes themselves, sixteen a line.
void dump_raw_heap(Job& job, const Metadata& metadata, Heap heap) {
    const ByteSpan all = bytes_of(metadata, heap);
    const std::uint64_t lines = (all.size() + raw_line - 1) / raw_line;
    const std::uint64_t limit = std::min(listing_limit(job.arguments()), lines);
    for (std::uint64_t i = 0; i < limit; ++i) {
        const ByteSpan line = slice_clamped(all, i * raw_line, raw_line);
        if (job.wants_json()) {
            job.json().begin_object();
            job.json().member("offset", i * raw_line);
            job.json().bytes("bytes", line);
            job.json().end_object();
        } else {
            job.out().print("  0x{:06X}  {:<32}  {}\n", i * raw_line, hex(line), raw_text(line));
        }
    }
    job.note_left_out(lines - limit, "lines");
}

}  // namespace

Usage<Table> parse_table(std::string_view text) {
    Nearest nearest(text);
    for (std::size_t i = 0; i < schema::tables.size(); ++i) {
        const auto table = static_cast<Table>(i);
        if (!schema::known(table)) continue;
        if (same_name(schema::of(table).name, text)) return table;
        nearest.offer(schema::of(table).name);
    }
    const auto number = text.starts_with("0x") ? parse_hex(text.substr(2)) : parse_number(text);
    if (number && *number < table_slots && schema::known(static_cast<Table>(*number))) {
        return static_cast<Table>(*number);
    }
    return misuse("no table '" + std::string(text) + "'",
                  nearest.best().empty() ? "a name such as TypeDef, or its number"
                                         : "did you mean " + nearest.best() + "?");
}

Usage<Heap> parse_heap(std::string_view text) {
    if (text.starts_with('#')) text.remove_prefix(1);
    for (const Heap heap : {Heap::strings, Heap::user_strings, Heap::blobs, Heap::guids}) {
        if (same_name(name_of(heap), text)) return heap;
    }
    return misuse("no heap '" + std::string(text) + "'", "one of strings, us, blob, guid");
}

Usage<Token> parse_token(std::string_view text) {
    const auto value = parse_hex(text.starts_with("0x") ? text.substr(2) : text);
    if (!value || *value == 0 || *value > 0xFFFFFFFF) {
        return misuse("'" + std::string(text) + "' is no token; 0x06000001 is one");
    }
    return Token(static_cast<std::uint32_t>(*value));
}

std::string name_of_row(const Metadata& metadata, Token row) {
    std::string name;
    std::string name_space;
    if (!metadata.tables().has(row)) return name;
    const TableSpec& spec = metadata.tables().spec(row.table());
    for (unsigned i = 0; i < spec.column_count; ++i) {
        if (spec.columns[i].kind != ColumnKind::string) continue;
        const std::string_view column = spec.columns[i].name;
        const std::string_view value = metadata.string(row.table(), row.rid(), i);
        if (column == "TypeNamespace") name_space = value;
        if (column == "Name" || column == "TypeName") name = value;
    }
    return name_space.empty() ? name : name_space + '.' + name;
}

void dump_table(Job& job, const Module& module, Table table, BlobTexts* texts) {
    const Metadata& metadata = module.metadata();
    const TableLayout& layout = metadata.tables().layout(table);
    const auto count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(layout.rows, listing_limit(job.arguments())));
    const std::string_view name = metadata.tables().spec(table).name;
    if (job.wants_json()) {
        Json& out = job.json();
        out.begin_object();
        out.text("table", name);
        out.member("row_count", layout.rows);
        out.begin_array("rows");
        for (std::uint32_t rid = 1; rid <= count; ++rid) {
            write_row(out, metadata, {table, rid}, texts);
        }
        out.end_array();
        out.end_object();
    } else {
        job.out().print(
            "{}\n", bold(fmt::format("{}, {} rows of {} bytes", name, layout.rows, layout.row_size),
                         colors().out));
        print_rows(job, metadata, table, count, texts);
    }
    job.note_left_out(layout.rows - count, "rows");
}

void dump_heap(Job& job, const Module& module, Heap heap) {
    const Metadata& metadata = module.metadata();
    const bool raw = job.arguments().has("raw");
    const std::uint64_t size = bytes_of(metadata, heap).size();
    if (job.wants_json()) {
        Json& out = job.json();
        out.begin_object();
        out.text("heap", name_of(heap));
        out.member("bytes", size);
        out.begin_array(raw ? "lines" : "entries");
    } else {
        job.out().print("{}\n",
                        bold(fmt::format("heap {}, {} bytes", name_of(heap), size), colors().out));
    }
    if (raw) {
        dump_raw_heap(job, metadata, heap);
    } else {
        const std::uint64_t left = each_entry(job, metadata, heap, [&](const Entry& entry) {
            if (job.wants_json()) {
                write_entry(job.json(), heap, entry);
            } else {
                print_entry(job.out(), heap, entry);
            }
        });
        job.note_left_out(left, "entries");
    }
    if (job.wants_json()) {
        job.json().end_array();
        job.json().end_object();
    }
}

namespace {

constexpr std::uint32_t user_string_tag = 0x70;

bool dump_literal(Job& job, const Module& module, Token token) {
    const BlobEntry blob = module.metadata().user_strings().entry(token.rid());
    if (!blob.valid || token.rid() == 0) return false;
    const std::string text = utf8_from_utf16(blob.content);
    if (job.wants_json()) {
        Json& out = job.json();
        out.begin_object();
        out.member("token", token);
        out.name("value", text);
        out.bytes("bytes", blob.content);
        out.end_object();
    } else if (job.arguments().has("raw")) {
        job.out().print("0x{:08X}  {}\n", token.value(), hex(blob.content));
    } else {
        job.out().print("0x{:08X}  \"{}\"\n", token.value(), shown(text));
    }
    return true;
}

}  // namespace

bool dump_token(Job& job, const Module& module, Token token, BlobTexts* texts) {
    const Metadata& metadata = module.metadata();
    if (static_cast<std::uint32_t>(token.table()) == user_string_tag) {
        return dump_literal(job, module, token);
    }
    if (!metadata.tables().has(token)) return false;
    if (job.wants_json()) {
        write_row(job.json(), metadata, token, texts);
        return true;
    }
    const TableSpec& spec = metadata.tables().spec(token.table());
    const std::uint64_t offset = metadata.offset_in_file(metadata.tables().bytes().data()) +
                                 metadata.tables().cell_offset(token.table(), token.rid(), 0);
    job.out().print("{} at offset 0x{:X}\n",
                    bold(fmt::format("0x{:08X} {}", token.value(), spec.name), colors().out),
                    offset);
    for (unsigned i = 0; i < spec.column_count; ++i) {
        const Cell cell{metadata, token.table(), token.rid(), i, texts};
        job.out().print("  {:<18}{}", spec.columns[i].name, cell_text(cell, true));
        if (texts != nullptr && is_reference(spec.columns[i].kind)) {
            const std::string name = name_of(cell);
            if (!name.empty()) job.out().print(" {}", shown(name));
        }
        job.out().put('\n');
    }
    return true;
}

}  // namespace clrkit::cli
