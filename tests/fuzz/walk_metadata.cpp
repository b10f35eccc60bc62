#include "check.h"
#include "walk.h"

#include <clrkit/dotnet/metadata/indexes.h>

#include <algorithm>
#include <bit>

namespace clrkit::fuzz {
namespace {

constexpr std::uint64_t string_bytes = std::uint64_t{1} << 25U;
/// Every key of a table up to so many rows is searched for; in #- each search is a scan.
constexpr std::uint32_t searched_rows = 512;

class Walker {
public:
    explicit Walker(const Metadata& metadata) : metadata_(metadata), tables_(metadata.tables()) {}

    void walk() {
        streams();
        for (std::size_t slot = 0; slot < table_slots; ++slot) {
            const auto table = static_cast<Table>(slot);
            if (!schema::known(table)) continue;
            rows(table);
            search(table);
        }
        literals();
        outside();
        indexes();
        sink = sum_;
    }

private:
    void streams();
    void rows(Table table);
    void cell(Table table, std::uint32_t rid, unsigned column);
    void string(std::uint32_t offset);
    void list(Table table, std::uint32_t rid, unsigned column);
    void coded(Table table, std::uint32_t rid, unsigned column);
    void search(Table table);
    void literals();
    void outside();
    void indexes();

    const Metadata& metadata_;
    const Tables& tables_;
    Budget strings_{string_bytes};
    std::uint64_t sum_ = 0;
};

void Walker::streams() {
    const MetadataRoot& root = metadata_.root();
    sum_ += touch(as_bytes(root.version())) + root.flags() + root.declared_streams();
    require(inside(root.bytes(), root.version_field()), "the version lies in the root");
    auto cursor = root.streams();
    while (const auto stream = cursor.next()) {
        require(inside(root.bytes(), stream->content), "a stream lies in the metadata");
        require(fits(root.bytes().size(), stream->header_offset, stream->header_size),
                "a stream header lies in the metadata");
        sum_ += touch(stream->content) + touch(as_bytes(stream->name));
    }
    require(cursor.position() <= root.bytes().size(), "the stream headers lie in the metadata");
    for (const ByteSpan heap :
         {metadata_.strings().bytes(), metadata_.blobs().bytes(), metadata_.guids().bytes(),
          metadata_.user_strings().bytes(), tables_.bytes()}) {
        require(inside(root.bytes(), heap), "a heap lies in the metadata");
    }
    require(
        tables_.rows_offset() <= tables_.rows_end() && tables_.rows_end() <= tables_.bytes().size(),
        "the rows lie in the table stream");
    sum_ += metadata_.pdb().present ? touch(metadata_.pdb().id) : 0;
}

void Walker::rows(Table table) {
    const unsigned columns = tables_.layout(table).column_count;
    require(tables_.rows(table) == 0 || columns == tables_.spec(table).column_count,
            "a table has the columns of its description");
    for (std::uint32_t rid = 1; rid <= tables_.rows(table); ++rid) {
        for (unsigned column = 0; column < columns; ++column) cell(table, rid, column);
    }
    for (const std::uint32_t none : {std::uint32_t{0}, tables_.rows(table) + 1, 0xFFFFFFFFU}) {
        require(tables_.cell(table, none, 0) == 0, "a row that does not exist reads as zero");
    }
}

void Walker::cell(Table table, std::uint32_t rid, unsigned column) {
    const std::uint32_t value = metadata_.cell(table, rid, column);
    const ColumnLayout layout = tables_.layout(table).columns[column];
    const std::uint64_t offset = tables_.cell_offset(table, rid, column);
    require(offset >= tables_.rows_offset() && fits(tables_.rows_end(), offset, layout.width),
            "a cell lies among the rows");
    require(layout.width == 4 || value >> (8U * layout.width) == 0, "a cell is as wide as it says");
    switch (tables_.spec(table).columns[column].kind) {
        case ColumnKind::string: string(value); break;
        case ColumnKind::guid:
            if (const auto guid = metadata_.guids().at(value)) sum_ += touch(*guid);
            break;
        case ColumnKind::blob: {
            const BlobEntry entry = metadata_.blobs().entry(value);
            require(inside(metadata_.blobs().bytes(), entry.content), "a blob lies in its heap");
            require(entry.valid || entry.content.empty(), "an invalid blob is empty");
            sum_ += touch(entry.content) + entry.prefix;
            break;
        }
        case ColumnKind::list: list(table, rid, column); break;
        case ColumnKind::coded: coded(table, rid, column); break;
        case ColumnKind::row: {
            const Token token = metadata_.token(table, rid, column);
            if (tables_.has(token)) sum_ += tables_.cell(token.table(), token.rid(), 0);
            break;
        }
        default: break;
    }
}

void Walker::string(std::uint32_t offset) {
    if (!strings_.spend(1)) return;
    const std::string_view text = metadata_.strings().at(offset);
    strings_.spend(text.size());
    require(inside(metadata_.strings().bytes(), as_bytes(text)), "a string lies in its heap");
    sum_ += touch(as_bytes(text));
}

void Walker::list(Table table, std::uint32_t rid, unsigned column) {
    const Table target = tables_.spec(table).columns[column].table();
    const RowRange range = metadata_.list(table, rid, column);
    require(range.first != 0 && range.first <= range.end, "a list is a range of rows");
    for (const std::uint32_t at : {range.first, range.end - 1}) {
        if (range.empty()) break;
        require(metadata_.through(target, at) <= tables_.rows(target),
                "a list leads to rows that exist, or to none");
    }
}

void Walker::coded(Table table, std::uint32_t rid, unsigned column) {
    const CodedIndex kind = tables_.spec(table).columns[column].coded();
    const std::uint32_t raw = tables_.cell(table, rid, column);
    const Token token = metadata_.token(table, rid, column);
    if (tables_.has(token)) sum_ += tables_.cell(token.table(), token.rid(), 0);
    const bool fits_token = raw >> schema::of(kind).tag_bits <= 0xFFFFFF;
    if (token != Token{} && fits_token) {
        require(decode(kind, encode(kind, token)) == token, "a coded index decodes as encoded");
    }
}

void Walker::search(Table table) {
    const std::uint8_t key_column = tables_.spec(table).sort_column;
    const std::uint32_t count = tables_.rows(table);
    if (key_column == TableSpec::no_sort || count == 0) return;
    const ColumnView keys = tables_.column(table, key_column);
    bool sorted = true;
    for (std::uint32_t rid = 2; rid <= count; ++rid) sorted &= keys[rid - 1] <= keys[rid];
    const std::uint32_t step = count / searched_rows + 1;
    for (std::uint32_t rid = 1; rid <= count; rid += step) {
        const RowRange found = metadata_.find(table, keys[rid]);
        if (found.empty()) {
            require(!sorted && !metadata_.uncompressed(), "a key is found where rows are sorted");
            continue;
        }
        require(found.first >= 1 && found.end <= count + 1, "a search finds rows that exist");
        require(keys[found.first] == keys[rid] && keys[found.end - 1] == keys[rid],
                "a search finds rows with the key");
        require(!sorted || (found.first <= rid && rid < found.end), "a search finds all rows");
    }
    sum_ += metadata_.find(table, 0xFFFFFFFF).size() + metadata_.find(table, 0).size();
}

/// #US is not reached through tables: its entries stand one behind the other.
void Walker::literals() {
    const BlobHeap& heap = metadata_.user_strings();
    for (std::uint64_t at = 1; at < heap.bytes().size();) {
        const BlobEntry entry = heap.entry(static_cast<std::uint32_t>(at));
        require(inside(heap.bytes(), entry.content), "a literal lies in its heap");
        sum_ += touch(entry.content);
        at += std::max<std::uint64_t>(1, entry.prefix + entry.content.size());
    }
    for (std::uint32_t index = 1; index <= metadata_.guids().count(); ++index) {
        require(metadata_.guids().at(index).has_value(), "every GUID is there");
    }
}

void Walker::outside() {
    const auto end = [](ByteSpan heap) { return static_cast<std::uint32_t>(heap.size()); };
    for (const std::uint32_t by : {0U, 1U, 0x7FFFFFFFU}) {
        require(metadata_.strings().at(end(metadata_.strings().bytes()) + by).empty() &&
                    metadata_.blobs().at(end(metadata_.blobs().bytes()) + by).empty() &&
                    metadata_.user_strings().at(end(metadata_.user_strings().bytes()) + by).empty(),
                "nothing is found outside a heap");
    }
    require(!metadata_.guids().at(0) && !metadata_.guids().at(metadata_.guids().count() + 1),
            "no GUID is found outside its heap");
}

void Walker::indexes() {
    const auto indexes = Indexes::build(metadata_);
    require(indexes.has_value() || indexes.error().code == ErrorCode::limit_reached,
            "the indexes are built");
    if (!indexes) return;
    for (const Table table :
         {Table::Field, Table::MethodDef, Table::Param, Table::Event, Table::Property}) {
        for (std::uint32_t rid = 0; rid <= std::min(tables_.rows(table) + 1, searched_rows);
             ++rid) {
            const Table of = table == Table::Param ? Table::MethodDef : Table::TypeDef;
            const std::uint32_t owner = indexes->owner({table, rid});
            sum_ += tables_.has({of, owner}) ? owner : 0;
        }
    }
    for (std::uint32_t rid = 1; rid <= std::min(tables_.rows(Table::TypeDef), searched_rows);
         ++rid) {
        sum_ += indexes->encloser(rid) + indexes->nested_rows(rid).size();
        if (!strings_.spend(1)) break;
        const auto name = metadata_.string(Table::TypeDef, rid, col::TypeDef::TypeName);
        const auto space = metadata_.string(Table::TypeDef, rid, col::TypeDef::TypeNamespace);
        strings_.spend(name.size() + space.size());
        const std::uint32_t found = indexes->type(space, name);
        require(found != 0 || indexes->encloser(rid) != 0, "a top-level type is found by its name");
        require(
            found == 0 || metadata_.string(Table::TypeDef, found, col::TypeDef::TypeName) == name,
            "a type found has the name");
    }
    const ColumnView parents = tables_.column(Table::CustomAttribute, col::CustomAttribute::Parent);
    for (std::uint32_t rid = 1; rid <= std::min(parents.rows(), searched_rows); ++rid) {
        const Token parent =
            metadata_.token(Table::CustomAttribute, rid, col::CustomAttribute::Parent);
        const auto rows = indexes->attribute_rows(parent);
        const bool exact = encode(CodedIndex::HasCustomAttribute, parent) == parents[rid];
        require(!exact || std::ranges::binary_search(rows, rid), "an attribute is its parent's");
    }
}

}  // namespace

void walk_metadata(const Metadata& metadata) { Walker(metadata).walk(); }

}  // namespace clrkit::fuzz
