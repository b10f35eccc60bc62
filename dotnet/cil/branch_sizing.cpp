// A branch that becomes long may push others out of reach, so this goes in rounds. Compilers' code needs
// two; a chain in which each branch pushes the next would need as many as it has branches, and is settled
// by an upper bound instead.
#include <clrkit/dotnet/cil/branch_sizing.h>

#include <algorithm>

namespace clrkit::cil {
namespace {

constexpr std::uint32_t growth = 3;  // bytes from the short form to the long one
constexpr int rounds_at_most = 16;

std::int64_t distance(std::span<const std::uint32_t> offsets, const ShortBranch& branch) {
    return std::int64_t{offsets[branch.target]} - offsets[branch.at + 1];
}

constexpr bool reaches(std::int64_t distance) { return distance >= -128 && distance <= 127; }

/// Moves the branches that `is_long` picks from one list to the other.
template <class IsLong>
void pick(std::vector<ShortBranch>& branches, std::vector<Label>& widened, IsLong is_long) {
    widened.clear();
    std::erase_if(branches, [&](const ShortBranch& branch) {
        if (!is_long(branch)) return false;
        widened.push_back(branch.at);
        return true;
    });
}

bool shift(std::span<std::uint32_t> offsets, const std::vector<Label>& widened) {
    if (offsets.back() > UINT32_MAX - widened.size() * growth) return false;
    for (std::size_t i = 0; i < widened.size(); ++i) {
        const std::size_t end = i + 1 < widened.size() ? widened[i + 1] : offsets.size() - 1;
        const auto added = static_cast<std::uint32_t>((i + 1) * growth);
        for (std::size_t at = std::size_t{widened[i]} + 1; at <= end; ++at) offsets[at] += added;
    }
    return true;
}

/// How far a branch goes when all others that are short become long.
std::int64_t farthest(std::span<const std::uint32_t> offsets,
                      const std::vector<ShortBranch>& branches, const ShortBranch& branch) {
    const auto before = [&](Label label) {
        return std::ranges::lower_bound(branches, label, {}, &ShortBranch::at) - branches.begin();
    };
    const std::int64_t between = before(branch.target) - before(branch.at + 1);
    return distance(offsets, branch) + between * growth;
}

}  // namespace

bool widen_branches(std::span<std::uint32_t> offsets, std::vector<ShortBranch>& branches,
                    std::vector<Label>& widened) {
    for (int round = 0; round < rounds_at_most; ++round) {
        pick(branches, widened,
             [&](const ShortBranch& branch) { return !reaches(distance(offsets, branch)); });
        if (widened.empty()) return true;
        if (!shift(offsets, widened)) return false;
    }
    // Found on the whole list, before any of it is moved.
    widened.clear();
    for (const ShortBranch& branch : branches) {
        if (!reaches(farthest(offsets, branches, branch))) widened.push_back(branch.at);
    }
    std::size_t next = 0;
    std::erase_if(branches, [&](const ShortBranch& branch) {
        if (next == widened.size() || widened[next] != branch.at) return false;
        ++next;
        return true;
    });
    return shift(offsets, widened);
}

}  // namespace clrkit::cil
