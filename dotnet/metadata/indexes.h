// The look-ups that the tables do not answer directly: who owns a member, what belongs to a type,
// which rows have a key, which type has a name. Built on request in O(rows), immutable from then on
// and so shared by threads. Nothing else scans a table per look-up.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/error.h>
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/metadata/metadata.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace clrkit {

/// Rows of one table by the value of one column, whatever their order in the file.
class KeyIndex {
public:
    KeyIndex() = default;
    /// Rows keep their order within a key.
    CLRKIT_API KeyIndex(const Metadata& metadata, Table table, unsigned column);

    /// The row ids with this raw stored key, ascending.
    CLRKIT_API std::span<const std::uint32_t> rows(std::uint32_t key) const;

private:
    std::vector<std::uint32_t> keys_;  // ascending
    std::vector<std::uint32_t> rows_;  // beside them
};

class Indexes {
public:
    /// `metadata` must outlive the indexes. Errors: `out_of_memory`; `limit_reached` when names that
    /// lie inside one another add up to more than the limits allow to read.
    CLRKIT_API static Result<Indexes> build(const Metadata& metadata, const Limits& limits = {});

    /// The type, or for a parameter the method, whose list a member stands in: the first one where
    /// lists overlap, 0 where none has it. For Field, MethodDef, Param, Event, Property.
    CLRKIT_API std::uint32_t owner(Token member) const;

    /// The type that encloses a nested one; 0 for a top-level type. The first row counts, as the
    /// runtimes have it; by the NestedClass table, whatever the visibility flags say.
    std::uint32_t encloser(std::uint32_t type) const {
        return type < enclosers_.size() ? enclosers_[type] : 0;
    }
    /// NestedClass rows by the enclosing type.
    std::span<const std::uint32_t> nested_rows(std::uint32_t encloser) const {
        return nested_.rows(encloser);
    }
    /// CustomAttribute rows of a parent.
    std::span<const std::uint32_t> attribute_rows(Token parent) const {
        const std::uint32_t key = encode(CodedIndex::HasCustomAttribute, parent);
        return key == bad_coded ? std::span<const std::uint32_t>{} : attributes_.rows(key);
    }
    /// The top-level type of that name: the first where there are several, 0 where there is none.
    CLRKIT_API std::uint32_t type(std::string_view name_space, std::string_view name) const;

private:
    void own(const Metadata& metadata, Table owners, unsigned column, std::uint8_t parent_column);
    Status index_names(std::uint64_t budget);

    static constexpr std::uint8_t row_itself = 0xFF;

    const Metadata* metadata_ = nullptr;
    std::array<std::vector<std::uint32_t>, table_slots> owners_;  // by rid
    std::vector<std::uint32_t> enclosers_;                        // by rid
    KeyIndex nested_;
    KeyIndex attributes_;
    std::vector<std::uint32_t> names_;  // open addressing; 0 is free
};

}  // namespace clrkit
