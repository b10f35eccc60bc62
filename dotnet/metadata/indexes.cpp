// Building the indexes.
#include <clrkit/core/bytes/hash.h>
#include <clrkit/core/door.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/metadata/indexes.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace clrkit {
namespace {

/// Rows without an owner yet, so that lists which overlap are walked once: a skip list in place.
class Unowned {
public:
    explicit Unowned(std::uint32_t count) : next_(count + 2) {
        std::iota(next_.begin(), next_.end(), 0U);
    }
    /// The first row at or behind `at` without an owner; one past the last where there is none.
    std::uint32_t from(std::uint32_t at) {
        while (next_[at] != at) {
            next_[at] = next_[next_[at]];
            at = next_[at];
        }
        return at;
    }
    void take(std::uint32_t at) { next_[at] = at + 1; }

private:
    std::vector<std::uint32_t> next_;
};

}  // namespace

KeyIndex::KeyIndex(const Metadata& metadata, Table table, unsigned column) {
    const ColumnView view = metadata.tables().column(table, column);
    rows_.resize(view.rows());
    std::iota(rows_.begin(), rows_.end(), 1U);
    const auto key_of = [&](std::uint32_t rid) { return view[rid]; };
    if (!std::ranges::is_sorted(rows_, {}, key_of)) std::ranges::stable_sort(rows_, {}, key_of);
    keys_.resize(rows_.size());
    std::ranges::transform(rows_, keys_.begin(), key_of);
}

std::span<const std::uint32_t> KeyIndex::rows(std::uint32_t key) const {
    const auto found = std::ranges::equal_range(keys_, key);
    const auto first = static_cast<std::size_t>(found.begin() - keys_.begin());
    return std::span(rows_).subspan(first, found.size());
}

/// Gives every row of the table that `column` lists an owner: the listing row, or what
/// `parent_column` of it holds.
void Indexes::own(const Metadata& metadata, Table owners, unsigned column,
                  std::uint8_t parent_column) {
    const Table target = metadata.tables().spec(owners).columns[column].table();
    std::vector<std::uint32_t>& result = owners_[static_cast<std::size_t>(target)];
    result.assign(metadata.rows(target) + 1, 0);
    // Positions in a list are those of the pointer table where there is one, which may be longer.
    std::uint32_t positions = metadata.rows(target);
    for (std::uint32_t rid = 1; rid <= metadata.rows(owners); ++rid) {
        positions = std::max(positions, metadata.list(owners, rid, column).end - 1);
    }
    Unowned unowned(positions);
    for (std::uint32_t rid = 1; rid <= metadata.rows(owners); ++rid) {
        const std::uint32_t owner =
            parent_column == row_itself ? rid : metadata.cell(owners, rid, parent_column);
        const RowRange range = metadata.list(owners, rid, column);
        for (std::uint32_t at = unowned.from(range.first); at < range.end; at = unowned.from(at)) {
            unowned.take(at);
            const std::uint32_t row = metadata.through(target, at);
            if (row != 0 && row < result.size() && result[row] == 0) result[row] = owner;
        }
    }
}

Result<Indexes> Indexes::build(const Metadata& metadata, const Limits& limits) {
    return at_the_door(Stage::metadata, [&]() -> Result<Indexes> {
        Indexes indexes;
        indexes.metadata_ = &metadata;
        indexes.own(metadata, Table::TypeDef, col::TypeDef::FieldList, row_itself);
        indexes.own(metadata, Table::TypeDef, col::TypeDef::MethodList, row_itself);
        indexes.own(metadata, Table::MethodDef, col::MethodDef::ParamList, row_itself);
        indexes.own(metadata, Table::EventMap, col::EventMap::EventList, col::EventMap::Parent);
        indexes.own(metadata, Table::PropertyMap, col::PropertyMap::PropertyList,
                    col::PropertyMap::Parent);
        const std::uint32_t types = metadata.rows(Table::TypeDef);
        indexes.enclosers_.assign(types + 1, 0);
        const auto nested =
            metadata.tables().column(Table::NestedClass, col::NestedClass::NestedClass);
        const auto enclosing =
            metadata.tables().column(Table::NestedClass, col::NestedClass::EnclosingClass);
        for (std::uint32_t rid = 1; rid <= nested.rows(); ++rid) {
            if (nested[rid] == 0 || nested[rid] > types || enclosing[rid] > types) continue;
            std::uint32_t& encloser = indexes.enclosers_[nested[rid]];
            if (encloser == 0) encloser = enclosing[rid];
        }
        indexes.nested_ = KeyIndex(metadata, Table::NestedClass, col::NestedClass::EnclosingClass);
        indexes.attributes_ =
            KeyIndex(metadata, Table::CustomAttribute, col::CustomAttribute::Parent);
        TRY_DO(indexes.index_names(limits.output_budget(metadata.root().bytes().size())));
        return indexes;
    });
}

std::uint32_t Indexes::owner(Token member) const {
    const auto slot = static_cast<std::size_t>(member.table());
    if (slot >= table_slots || member.rid() >= owners_[slot].size()) return 0;
    return owners_[slot][member.rid()];
}

Status Indexes::index_names(std::uint64_t budget) {
    const std::uint32_t types = metadata_->rows(Table::TypeDef);
    names_.assign(std::bit_ceil(std::size_t{types} * 2 + 2), 0);
    const std::size_t mask = names_.size() - 1;
    for (std::uint32_t rid = 1; rid <= types; ++rid) {
        if (enclosers_[rid] != 0) continue;
        const auto name = metadata_->string(Table::TypeDef, rid, col::TypeDef::TypeName);
        const auto name_space = metadata_->string(Table::TypeDef, rid, col::TypeDef::TypeNamespace);
        if (name.size() + name_space.size() > budget) {
            return failure(
                Stage::metadata, ErrorCode::limit_reached, metadata_->root().file_offset(),
                "names of types that lie inside one another", Token(Table::TypeDef, rid).value());
        }
        budget -= name.size() + name_space.size();
        // The first of several wins: a later one of that name is never looked up, so not entered.
        if (type(name_space, name) != 0) continue;
        std::size_t slot = hash_text(name, hash_text(name_space)) & mask;
        while (names_[slot] != 0) slot = (slot + 1) & mask;
        names_[slot] = rid;
    }
    return {};
}

std::uint32_t Indexes::type(std::string_view name_space, std::string_view name) const {
    if (names_.empty()) return 0;
    const std::size_t mask = names_.size() - 1;
    for (std::size_t slot = hash_text(name, hash_text(name_space)) & mask; names_[slot] != 0;
         slot = (slot + 1) & mask) {
        const std::uint32_t rid = names_[slot];
        const auto is = [&](unsigned column, std::string_view text) {
            return metadata_->strings().equals(metadata_->cell(Table::TypeDef, rid, column), text);
        };
        if (is(col::TypeDef::TypeName, name) && is(col::TypeDef::TypeNamespace, name_space)) {
            return rid;
        }
    }
    return 0;
}

}  // namespace clrkit
