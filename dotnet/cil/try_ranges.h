// Which try blocks control has come into, each told once. Internal to the walks along control.
#pragma once

#include <cstdint>
#include <vector>

namespace clrkit::cil {

/// Ranges [begin, end) of places in code. Entering all of them takes time that is linear in the runs
/// entered and the ranges, but for a logarithm. Its buffers stay.
class TryRanges {
public:
    void clear();
    /// Ranges are numbered from 0 in this order.
    void add(std::uint32_t begin, std::uint32_t end);
    /// To be called once all are added.
    void prepare();

    /// Calls `visit(number)` for every range that shares a place with [begin, end) and was not told
    /// before.
    template <class Visit>
    void enter(std::uint32_t begin, std::uint32_t end, Visit visit) {
        for (std::uint32_t number = 0; take(begin, end, number);) visit(number);
    }

private:
    struct Range {
        std::uint32_t begin;
        std::uint32_t end;
        std::uint32_t number;
    };
    bool take(std::uint32_t begin, std::uint32_t end, std::uint32_t& number);

    std::vector<Range> ranges_;  // by begin
    // The largest end below each node of a binary tree over them, the leaves in the upper half; 0 for
    // those that were told.
    std::vector<std::uint32_t> ends_;
};

}  // namespace clrkit::cil
