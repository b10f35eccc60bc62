// Suffix folding. Names are sorted by their bytes from the end: a name that another one ends with then
// stands right before one. Every referenced name is sorted, also one that shares its bytes with a
// longer one already: which of several it shares them with must not depend on the old heap.
#include <clrkit/core/try.h>
#include <clrkit/dotnet/write/rebuild/cells.h>
#include <clrkit/dotnet/write/rebuild/strings.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace clrkit::rebuild {
namespace {

struct Name {
    std::uint32_t start;
    std::uint32_t length;
    std::uint32_t root;    // number of the name it is folded into; its own when it stands alone
    std::uint32_t placed;  // offset in the new heap; of a root, once it has been placed
};

/// A name's last eight bytes, the last one first, and its number: the sort key.
struct Key {
    std::uint64_t tail;
    std::uint32_t name;
};

class Folding {
public:
    Folding(ByteSpan heap, Region& region)
        : heap_(heap), region_(region), budget_(64 * heap.size() + (std::uint64_t{64} << 20U)) {}

    Status find_names(const OffsetMap& offsets);
    Status fold();
    std::span<Name> names() { return names_; }

private:
    std::uint64_t tail_of(const Name& name) const;
    bool sort();
    void sort_equal_tails(std::span<Key> equal);
    std::uint32_t common_end(const Name& a, const Name& b, std::uint32_t known, std::uint32_t most);
    const std::uint8_t* end_of(const Name& name) const {
        return heap_.data() + name.start + name.length;
    }
    bool ends_with(const Name& longer, const Name& shorter) const {
        return longer.length >= shorter.length &&
               std::memcmp(end_of(longer) - shorter.length, heap_.data() + shorter.start,
                           shorter.length) == 0;
    }

    ByteSpan heap_;
    Region& region_;
    std::span<Name> names_;  // by number of the offset
    std::span<Key> keys_;
    std::span<Key> scratch_;
    std::uint64_t work_ = 0;  // bytes compared
    std::uint64_t budget_;
};

Status full() { return failure(Stage::write, ErrorCode::out_of_memory); }

Status Folding::find_names(const OffsetMap& offsets) {
    names_ = region_.take_array<Name>(offsets.size());
    if (names_.size() != offsets.size()) return full();
    std::uint32_t number = 0;
    std::uint64_t end = 0;  // where the present name and all that share its end stop
    bool first = true;
    offsets.for_each([&](std::uint64_t offset) {
        if (first || offset > end) {
            const void* nul = std::memchr(heap_.data() + offset, 0, heap_.size() - offset);
            end = nul != nullptr ? static_cast<std::uint64_t>(
                                       static_cast<const std::uint8_t*>(nul) - heap_.data())
                                 : heap_.size();
            first = false;
        }
        names_[number] = {static_cast<std::uint32_t>(offset),
                          static_cast<std::uint32_t>(end - offset), number, OffsetMap::free};
        ++number;
    });
    return {};
}

std::uint64_t Folding::tail_of(const Name& name) const {
    const std::uint8_t* const end = end_of(name);
    if (name.length >= 8) return load_le<std::uint64_t>(end - 8);
    std::uint64_t tail = 0;
    for (std::uint32_t i = 1; i <= name.length; ++i) {
        tail |= std::uint64_t{*(end - i)} << (64 - 8 * i);
    }
    return tail;
}

/// Sorts the keys by their tails, eleven bits at a time, then settles equal tails by whole names.
bool Folding::sort() {
    constexpr unsigned digit_bits = 11;
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
    const auto by_tail = [](const Key& a, const Key& b) { return a.tail < b.tail; };
    if (!std::ranges::is_sorted(keys_, by_tail)) {
        scratch_ = region_.take_array<Key>(keys_.size());
        const std::span<std::uint32_t> starts = region_.take_array<std::uint32_t>(digits);
        if (scratch_.empty() || starts.empty()) return false;
        for (unsigned shift = 0; shift < 64; shift += digit_bits) {
            std::ranges::fill(starts, 0U);
            for (const Key& key : keys_) ++starts[key.tail >> shift & (digits - 1)];
            std::uint32_t sum = 0;
            for (std::uint32_t& start : starts) sum += std::exchange(start, sum);
            for (const Key& key : keys_) scratch_[starts[key.tail >> shift & (digits - 1)]++] = key;
            std::swap(keys_, scratch_);
        }
    }
    for (std::size_t first = 0; first < keys_.size();) {
        std::size_t last = first + 1;
        while (last < keys_.size() && keys_[last].tail == keys_[first].tail) ++last;
        if (last - first > 1) sort_equal_tails(keys_.subspan(first, last - first));
        first = last;
    }
    return true;
}

/// How many bytes at the end of two names are the same, at least `known` and at most `most`.
std::uint32_t Folding::common_end(const Name& a, const Name& b, std::uint32_t known,
                                  std::uint32_t most) {
    std::uint32_t same = known;
    while (same < most && *(end_of(a) - same - 1) == *(end_of(b) - same - 1)) ++same;
    work_ += same - known;
    return same;
}

/// Orders names with the same last eight bytes by what stands before them. By heap: that stays in
/// bounds also when the budget runs out and the order stops making sense.
void Folding::sort_equal_tails(std::span<Key> equal) {
    std::ranges::partial_sort(equal, equal.end(), [&](const Key& left, const Key& right) {
        const Name& a = names_[left.name];
        const Name& b = names_[right.name];
        // Names that share their end differ in nothing but length.
        if (end_of(a) == end_of(b) || work_ > budget_) return a.length < b.length;
        const std::uint32_t most = std::min(a.length, b.length);
        const std::uint32_t same = common_end(a, b, std::min(most, 8U), most);
        if (same == most) return a.length < b.length;
        return *(end_of(a) - same - 1) < *(end_of(b) - same - 1);
    });
}

Status Folding::fold() {
    keys_ = region_.take_array<Key>(names_.size());
    if (keys_.size() != names_.size()) return full();
    for (std::uint32_t i = 0; i < names_.size(); ++i) keys_[i] = {tail_of(names_[i]), i};
    if (!sort()) return full();
    if (work_ > budget_) {
        return failure(Stage::write, ErrorCode::limit_reached, no_offset,
                       "#Strings: thousands of long names end alike");
    }
    // From the back: the name behind has its root already.
    for (std::size_t i = keys_.size(); i-- > 1;) {
        Name& shorter = names_[keys_[i - 1].name];
        const Name& longer = names_[keys_[i].name];
        if (ends_with(longer, shorter)) shorter.root = longer.root;
    }
    return {};
}

}  // namespace

Result<NewHeap> build_strings(const Metadata& metadata, Region& region) {
    const ByteSpan heap = metadata.strings().bytes();
    NewHeap result;
    if (!result.offsets.begin(region, heap.size())) return std::unexpected(full().error());
    TRY_DO(for_each_cell(metadata, ColumnKind::string, [&](Cell cell) -> Status {
        // Index 0 is the empty name; a heap that begins otherwise would have to keep its beginning.
        if (cell.value == 0) return heap.empty() || heap[0] == 0 ? Status{} : outside(cell);
        if (cell.value >= heap.size()) return outside(cell);
        result.offsets.mark(cell.value);
        return {};
    }));
    if (!result.offsets.seal(region)) return std::unexpected(full().error());
    Folding folding(heap, region);
    TRY_DO(folding.find_names(result.offsets));
    TRY_DO(folding.fold());

    std::uint64_t capacity = 8;
    for (const Name& name : folding.names()) {
        if (&name == &folding.names()[name.root]) capacity += name.length + 1;
    }
    if (capacity > UINT32_MAX) return failure(Stage::write, ErrorCode::output_budget);
    const MutableByteSpan out = region.take(static_cast<std::size_t>(capacity));
    if (out.data() == nullptr) return std::unexpected(full().error());
    out[0] = 0;
    std::uint32_t used = 1;
    TRY_DO(for_each_cell(metadata, ColumnKind::string, [&](Cell cell) -> Status {
        if (cell.value == 0) return {};
        const std::uint32_t number = result.offsets.index(cell.value);
        std::uint32_t& value = result.offsets.values()[number];
        if (value != OffsetMap::free) return {};
        const Name& name = folding.names()[number];
        if (name.length == 0) {  // an empty name elsewhere in the heap
            value = 0;
            return {};
        }
        Name& root = folding.names()[name.root];
        if (root.placed == OffsetMap::free) {
            root.placed = used;
            std::memcpy(out.data() + used, heap.data() + root.start, root.length);
            used += root.length;
            out[used++] = 0;
            ++result.entries;
        }
        value = root.placed + root.length - name.length;
        return {};
    }));
    if (heap.empty()) return result;  // and stays so: nothing refers to it
    while (used % 4 != 0) out[used++] = 0;
    result.bytes = out.first(used);
    return result;
}

}  // namespace clrkit::rebuild
