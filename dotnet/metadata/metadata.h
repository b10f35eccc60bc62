// The metadata of one image or Portable PDB: root, streams, heaps, tables, as views into bytes that
// somebody else owns. Opening allocates nothing and costs the same whatever the size.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/metadata/heaps.h>
#include <clrkit/dotnet/metadata/root.h>
#include <clrkit/dotnet/metadata/tables.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace clrkit {

/// Whose rules choose between streams that contradict each other, and how a table is searched.
enum class Eyes : std::uint8_t {
    clr,     // .NET and .NET Framework
    mono,    // the Mono runtime
    strict,  // ECMA-335 to the letter: contradictions become errors
};

struct MetadataOptions {
    Eyes eyes = Eyes::clr;
    /// For a Portable PDB that has no #Pdb stream of its own to say so.
    const RowCounts* referenced_rows = nullptr;
    Diagnostics* diagnostics = nullptr;
};

/// The fixed part of a Portable PDB's #Pdb stream.
struct PdbStream {
    ByteSpan id;  // 20 bytes
    Token entry_point;
    bool present = false;
};

/// What a stream is read as.
enum class StreamUse : std::uint8_t { tables, strings, blobs, guids, user_strings, none };

/// Rows [first, end) of a table.
struct RowRange {
    std::uint32_t first = 1;
    std::uint32_t end = 1;
    std::uint32_t size() const { return end - first; }
    bool empty() const { return first >= end; }
};

class Metadata {
public:
    Metadata() = default;

    /// Parses metadata that begins with the root at the start of `bytes`. `file_offset` is where
    /// that is in the file, for diagnostics. Errors: those of the root and of the tables,
    /// `no_table_stream`; with strict eyes `stream_duplicate` and `stream_outside` too.
    CLRKIT_API static Result<Metadata> parse(ByteSpan bytes, std::uint64_t file_offset,
                                             const MetadataOptions& options = {});

    const MetadataRoot& root() const { return root_; }
    const Tables& tables() const { return tables_; }
    const StringHeap& strings() const { return strings_; }
    const BlobHeap& blobs() const { return blobs_; }
    const BlobHeap& user_strings() const { return user_strings_; }
    const GuidHeap& guids() const { return guids_; }
    const PdbStream& pdb() const { return pdb_; }
    /// What a stream of the root is read as; `none` for one that nothing is read from.
    CLRKIT_API StreamUse use_of(const Stream& stream) const;
    /// True for #-: rows may be reached through pointer tables, nothing need be sorted.
    bool uncompressed() const { return uncompressed_; }
    std::uint64_t offset_in_file(const std::uint8_t* at) const {
        return root_.file_offset() + static_cast<std::uint64_t>(at - root_.bytes().data());
    }

    std::uint32_t rows(Table table) const { return tables_.rows(table); }
    std::uint32_t cell(Table table, std::uint32_t rid, unsigned column) const {
        return tables_.cell(table, rid, column);
    }
    std::string_view string(Table table, std::uint32_t rid, unsigned column) const {
        return strings_.at(tables_.cell(table, rid, column));
    }
    ByteSpan blob(Table table, std::uint32_t rid, unsigned column) const {
        return blobs_.at(tables_.cell(table, rid, column));
    }
    /// The token that a row, list or coded column holds; 0 when it holds none.
    CLRKIT_API Token token(Table table, std::uint32_t rid, unsigned column) const;

    /// The run of rows that a list column gives to row `rid`: clamped to the rows that exist, empty
    /// where it runs backwards. Positions in the pointer table where `#-` has one: see `through`.
    CLRKIT_API RowRange list(Table table, std::uint32_t rid, unsigned column) const;
    /// The row of `table` at position `position` of a list: itself, or what the pointer table of
    /// `#-` says. 0 when the pointer leads nowhere.
    std::uint32_t through(Table table, std::uint32_t position) const {
        return uncompressed_ ? through_pointers(table, position) : position;
    }

    /// The rows whose sorted key column equals `key` (the raw stored value), as the runtime finds
    /// them: by binary search in #~, whatever the order; by a scan in #-.
    CLRKIT_API RowRange find(Table table, std::uint32_t key) const;
    /// The one of these rows that the runtime takes where it expects one only (a type's layout, a
    /// field's data, a constant): in #~ the first that its binary search meets, in #- the first.
    /// 0 when there is none.
    CLRKIT_API std::uint32_t pick(Table table, std::uint32_t key) const;

private:
    CLRKIT_API std::uint32_t through_pointers(Table table, std::uint32_t position) const;
    struct Selection;
    bool choose_streams(Selection& chosen, const MetadataOptions& options);
    Status parse_tables(const Selection& chosen, const MetadataOptions& options);

    MetadataRoot root_;
    Tables tables_;
    StringHeap strings_;
    BlobHeap blobs_;
    BlobHeap user_strings_;
    GuidHeap guids_;
    PdbStream pdb_;
    bool uncompressed_ = false;
};

}  // namespace clrkit
