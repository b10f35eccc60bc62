// Who owns which bytes of a file. Every part of an image states its contiguous ranges; coverage,
// layout and the emission gate are arithmetic over the list.
#pragma once

#include <clrkit/core/api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace clrkit::pe {

/// A contiguous part of the file, in bytes.
struct FileRange {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t end() const { return offset + size; }
    bool empty() const { return size == 0; }
    friend bool operator==(const FileRange&, const FileRange&) = default;
};

/// What a part of the file is. The order is that of name_of's table.
enum class ClaimKind : std::uint8_t {
    // the container
    dos_header,
    dos_stub,
    pe_headers,  // signature, COFF header, optional header with its directories
    section_headers,
    import_descriptors,
    import_lookup,
    import_address,
    import_name,  // of a DLL, or hint and name of a function
    entry_thunk,
    relocations,
    debug_entries,
    debug_data,
    resource_directory,  // a table with its entries
    resource_name,
    resource_data_entry,
    resource_data,
    certificate,
    overlay,
    // the CLI part
    clr_header,
    metadata_root,
    table_stream,
    string_heap,
    blob_heap,
    guid_heap,
    user_string_heap,
    other_stream,
    method_body,
    field_data,
    managed_resources,
    strong_name_signature,
    mvid_copy,  // the section .mvid of reference assemblies
    vtable_fixups,
    // the rest
    native,
    padding,
    gap,
    count_  // number of kinds
};

/// One contiguous part of the file and what it is. Claims of one part of the image do not repeat a
/// range, but ranges may overlap where the file shares bytes (two names, say, one inside the other).
struct Claim {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;  // never 0 in a list of claims
    ClaimKind kind = ClaimKind::gap;
    std::uint32_t item = 0;  // row id, or index in the part's own list; 0 when there is one only
    std::uint64_t end() const { return offset + size; }
};

/// The kind's name as printed: "resource_directory".
CLRKIT_API const char* name_of(ClaimKind kind);

/// Adds a claim unless the range is empty.
inline void claim(std::vector<Claim>& claims, FileRange range, ClaimKind kind,
                  std::uint32_t item = 0) {
    if (!range.empty()) claims.push_back({range.offset, range.size, kind, item});
}

/// Sorts the claims from index `first` on by offset, longer ones first, and keeps the first of
/// those with equal range and kind.
CLRKIT_API void drop_repeated_claims(std::vector<Claim>& claims, std::size_t first);

}  // namespace clrkit::pe
