// Suffix folding. Offsets that share a terminator (a "run") fold by construction; only the longest
// name of each run is sorted, by its bytes from the end, where a name that another one ends with
// stands right before it.
#include <clrkit/core/try.h>
#include <clrkit/dotnet/write/rebuild/cells.h>
#include <clrkit/dotnet/write/rebuild/strings.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace clrkit::rebuild {
namespace {

/// The longest name of those that end at one terminator.
struct Run {
    std::uint32_t start;
    std::uint32_t length;
    std::uint32_t root;    // number of the run it is folded into; its own when it stands alone
    std::uint32_t placed;  // offset in the new heap; of a root, once it has been placed
};

/// A run's last eight bytes, the last one first, and its number: the sort key.
struct Key {
    std::uint64_t tail;
    std::uint32_t run;
};

class Folding {
public:
    Folding(ByteSpan heap, Region& region) : heap_(heap), region_(region) {}

    Status find_runs(const OffsetMap& offsets);
    Status fold();
    std::span<Run> runs() { return runs_; }
    std::uint32_t run_of(std::uint32_t number) const { return run_of_[number]; }

private:
    std::uint64_t tail_of(const Run& run) const;
    bool sort();
    void sort_equal_tails(std::span<Key> equal) const;
    const std::uint8_t* end_of(const Run& run) const {
        return heap_.data() + run.start + run.length;
    }
    bool ends_with(const Run& longer, const Run& shorter) const {
        return longer.length >= shorter.length &&
               std::memcmp(end_of(longer) - shorter.length, heap_.data() + shorter.start,
                           shorter.length) == 0;
    }

    ByteSpan heap_;
    Region& region_;
    std::span<Run> runs_;
    std::span<std::uint32_t> run_of_;  // by number of the offset
    std::span<Key> keys_;
    std::span<Key> scratch_;
};

Status full() { return failure(Stage::write, ErrorCode::out_of_memory); }

Status Folding::find_runs(const OffsetMap& offsets) {
    run_of_ = region_.take_array<std::uint32_t>(offsets.size());
    runs_ = region_.take_array<Run>(offsets.size());
    if (offsets.size() != 0 && (run_of_.empty() || runs_.empty())) return full();
    std::uint32_t number = 0;
    std::uint32_t count = 0;
    std::uint64_t end = 0;  // of the present run
    offsets.for_each([&](std::uint64_t offset) {
        if (offset >= end) {
            const void* nul = std::memchr(heap_.data() + offset, 0, heap_.size() - offset);
            const std::uint64_t stop =
                nul != nullptr ? static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(nul) -
                                                            heap_.data())
                               : heap_.size();
            end = stop + 1;
            runs_[count] = {static_cast<std::uint32_t>(offset),
                            static_cast<std::uint32_t>(stop - offset), count, OffsetMap::free};
            ++count;
        }
        run_of_[number++] = count - 1;
    });
    runs_ = runs_.first(count);
    return {};
}

std::uint64_t Folding::tail_of(const Run& run) const {
    const std::uint8_t* const end = end_of(run);
    if (run.length >= 8) return load_le<std::uint64_t>(end - 8);
    std::uint64_t tail = 0;
    for (std::uint32_t i = 1; i <= run.length; ++i) {
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

/// Orders names with the same last eight bytes by what stands before them.
void Folding::sort_equal_tails(std::span<Key> equal) const {
    std::ranges::sort(equal, [&](const Key& left, const Key& right) {
        const Run& a = runs_[left.run];
        const Run& b = runs_[right.run];
        const std::uint32_t common = std::min(a.length, b.length);
        for (std::uint32_t i = std::min(common, 8U); i < common; ++i) {
            const std::uint8_t x = *(end_of(a) - i - 1);
            const std::uint8_t y = *(end_of(b) - i - 1);
            if (x != y) return x < y;
        }
        return a.length < b.length;
    });
}

Status Folding::fold() {
    keys_ = region_.take_array<Key>(runs_.size());
    if (keys_.size() != runs_.size()) return full();
    for (std::uint32_t i = 0; i < runs_.size(); ++i) keys_[i] = {tail_of(runs_[i]), i};
    if (!sort()) return full();
    // From the back: the name behind has its root already.
    for (std::size_t i = keys_.size(); i-- > 1;) {
        Run& shorter = runs_[keys_[i - 1].run];
        const Run& longer = runs_[keys_[i].run];
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
        if (cell.value == 0) return {};
        if (cell.value >= heap.size()) return outside(cell);
        result.offsets.mark(cell.value);
        return {};
    }));
    if (!result.offsets.seal(region)) return std::unexpected(full().error());
    Folding folding(heap, region);
    TRY_DO(folding.find_runs(result.offsets));
    TRY_DO(folding.fold());

    std::uint64_t capacity = 8;
    for (const Run& run : folding.runs()) {
        if (&run == &folding.runs()[run.root]) capacity += run.length + 1;
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
        const Run& run = folding.runs()[folding.run_of(number)];
        const std::uint32_t length = run.length - (cell.value - run.start);
        if (length == 0) {  // an empty name elsewhere in the heap
            value = 0;
            return {};
        }
        Run& root = folding.runs()[run.root];
        if (root.placed == OffsetMap::free) {
            root.placed = used;
            std::memcpy(out.data() + used, heap.data() + root.start, root.length);
            used += root.length;
            out[used++] = 0;
            ++result.entries;
        }
        value = root.placed + root.length - length;
        return {};
    }));
    if (heap.empty()) return result;  // and stays so: nothing refers to it
    while (used % 4 != 0) out[used++] = 0;
    result.bytes = out.first(used);
    return result;
}

}  // namespace clrkit::rebuild
