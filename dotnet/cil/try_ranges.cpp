#include <clrkit/dotnet/cil/try_ranges.h>

#include <algorithm>
#include <bit>

namespace clrkit::cil {

void TryRanges::clear() {
    ranges_.clear();
    ends_.clear();
}

void TryRanges::add(std::uint32_t begin, std::uint32_t end) {
    const auto number = static_cast<std::uint32_t>(ranges_.size());
    // Nothing comes into an empty one, wherever it is.
    ranges_.push_back({begin, begin < end ? end : 0, number});
}

void TryRanges::prepare() {
    if (ranges_.empty()) return;
    // By number too, so that the order says nothing of the library's sort; a stable one would allocate.
    std::ranges::sort(ranges_, [](const Range& a, const Range& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.number < b.number;
    });
    const std::size_t leaves = std::bit_ceil(ranges_.size());
    ends_.assign(2 * leaves, 0);
    for (std::size_t i = 0; i < ranges_.size(); ++i) ends_[leaves + i] = ranges_[i].end;
    for (std::size_t node = leaves - 1; node != 0; --node) {
        ends_[node] = std::max(ends_[2 * node], ends_[2 * node + 1]);
    }
}

/// Finds the first range that ends behind `begin`, and forgets it, if it begins before `end`.
bool TryRanges::take(std::uint32_t begin, std::uint32_t end, std::uint32_t& number) {
    if (ends_.empty() || ends_[1] <= begin) return false;
    const std::size_t leaves = ends_.size() / 2;
    std::size_t node = 1;
    while (node < leaves) {
        node *= 2;
        if (ends_[node] <= begin) ++node;
    }
    const Range& range = ranges_[node - leaves];
    if (range.begin >= end) return false;
    number = range.number;
    ends_[node] = 0;
    while (node > 1) {
        node /= 2;
        ends_[node] = std::max(ends_[2 * node], ends_[2 * node + 1]);
    }
    return true;
}

}  // namespace clrkit::cil
