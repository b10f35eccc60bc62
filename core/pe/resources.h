// Win32 resources (directory 2; Microsoft PE/COFF specification, ".rsrc"): a tree of type, name and
// language, read into flat lists. Not to be confused with the managed resources of an assembly.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>
#include <clrkit/core/limits.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/core/pe/format.h>
#include <clrkit/core/pe/image.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace clrkit::pe {

/// Not the index of anything.
inline constexpr std::uint32_t no_index = UINT32_MAX;

/// One row of a directory table.
struct ResourceEntry {
    ResourceDirectoryEntry raw{};
    std::uint32_t name = no_index;       // in `names`; none for an id
    std::uint32_t directory = no_index;  // in `directories`, or
    std::uint32_t leaf = no_index;       // in `leaves`; neither where the offset leads nowhere
    bool has_name() const { return (raw.name_or_id >> 31U) != 0; }
    std::uint32_t id() const { return raw.name_or_id; }
    bool to_directory() const { return (raw.offset >> 31U) != 0; }
};

struct ResourceDirectory {
    ResourceDirectoryHeader header{};
    std::uint64_t offset = 0;  // in the file
    /// The rows are `entries[first_entry, first_entry + entry_count)`: as many as the header says
    /// and the file has.
    std::uint32_t first_entry = 0;
    std::uint32_t entry_count = 0;
    std::uint32_t depth = 0;  // shortest way from the root, which has 0: types
    FileRange range() const {
        return {offset, sizeof(ResourceDirectoryHeader) +
                            std::uint64_t{entry_count} * sizeof(ResourceDirectoryEntry)};
    }
};

/// A name: a count of UTF-16 units, then the units.
struct ResourceName {
    std::uint64_t offset = 0;  // of the count, in the file
    ByteSpan units;            // two bytes each, little-endian, in the image's bytes
    FileRange range() const { return {offset, 2 + units.size()}; }
};

/// A data entry and what it points at.
struct ResourceLeaf {
    ResourceDataEntry header{};
    std::uint64_t offset = 0;  // of the data entry, in the file
    FileRange range;           // of the data; empty where the file does not back all of it
    ByteSpan data;             // in the image's bytes
};

/// The type, name or language to look for: an id or a name.
struct ResourceKey {
    // NOLINTBEGIN(google-explicit-constructor): a key is an id or a name.
    ResourceKey(std::uint32_t of_id) : id(of_id) {}
    ResourceKey(std::u16string_view of_name) : name(of_name) {}
    // NOLINTEND(google-explicit-constructor)
    std::uint32_t id = 0;
    std::u16string_view name;  // when not empty; compared exactly (compilers write upper case)
};

namespace resource_type {
inline constexpr std::uint32_t version = 16;
inline constexpr std::uint32_t manifest = 24;
}  // namespace resource_type

/// The tree. Each directory, name and data entry occurs once, however many entries point at it.
struct Resources {
    std::vector<ResourceDirectory> directories;  // the root first, then level by level
    std::vector<ResourceEntry> entries;
    std::vector<ResourceName> names;
    std::vector<ResourceLeaf> leaves;
    /// Everything the root leads to was read, and no directory contains itself.
    bool complete = true;

    /// Reads the tree at directory 2, whatever section it lies in; the directory's size is not
    /// asked. What cannot be read is reported and left out. Memory and time are bounded by
    /// `limits.nodes` and by the file's size, depth by `limits.depth`.
    CLRKIT_API static Resources read(const Image& image, Diagnostics* diagnostics = nullptr,
                                     const Limits& limits = {});

    bool empty() const { return directories.empty(); }
    std::span<const ResourceEntry> entries_of(const ResourceDirectory& directory) const {
        return std::span{entries}.subspan(directory.first_entry, directory.entry_count);
    }
    /// The leaf of a type with a name and a language; the first one where they are not given. Null
    /// when there is none.
    CLRKIT_API const ResourceLeaf* find(const ResourceKey& type,
                                        std::optional<ResourceKey> name = std::nullopt,
                                        std::optional<ResourceKey> language = std::nullopt) const;
};

/// Writes tables, names, data entries and data at their places in `out`, which begins where the file
/// begins. Error: `output_budget` when `out` is too small.
CLRKIT_API Status emit(const Resources& resources, MutableByteSpan out);
/// One claim for each table, name, data entry and data, with its index in its list as item.
CLRKIT_API void claim_resources(const Resources& resources, std::vector<Claim>& claims);

}  // namespace clrkit::pe
