// Where jumps and exception clauses land (ECMA-335 II.25.4.5, II.25.4.6, III.3).
#include <clrkit/dotnet/cil/scan.h>

#include <algorithm>
#include <bit>

namespace clrkit::cil {

const char* name_of(Opaque why) {
    switch (why) {
        case Opaque::no: return "it decodes";
        case Opaque::undefined_opcode_or_cut_operand:
            return "an opcode is undefined, or an operand is cut off";
        case Opaque::branch: return "a branch does not lead to an instruction";
        case Opaque::clause: return "an exception clause does not begin and end at instructions";
        case Opaque::header: return "its header is shorter than its fields";
        case Opaque::extent: return "its header or a data section cannot be read";
    }
    return "";
}

void Scanner::begin(std::uint32_t code_size) {
    // Room for all but the largest bodies at once, so that growing costs a handful of allocations.
    constexpr std::size_t usual = 1024;
    const std::size_t words = std::size_t{code_size} / 64 + 1;
    if (starts_.capacity() < words) starts_.reserve(std::bit_ceil(std::max(words, usual)));
    if (targets_.capacity() < usual) targets_.reserve(usual);
    size_ = code_size;
    starts_.assign(words, 0);
    targets_.clear();
}

bool Scanner::targets_land() const {
    return std::ranges::all_of(targets_, [&](std::int64_t target) {
        return target >= 0 && starts_at(static_cast<std::uint64_t>(target));
    });
}

bool Scanner::clauses_land(ByteSpan bytes, const BodyExtent& extent,
                           std::uint32_t alignment) const {
    bool land = true;
    for_each_clause(bytes, extent, alignment, [&](const Clause& clause) {
        land = land && starts_at(clause.try_offset) && starts_at(clause.handler_offset) &&
               starts_at_or_ends(std::uint64_t{clause.try_offset} + clause.try_length) &&
               starts_at_or_ends(std::uint64_t{clause.handler_offset} + clause.handler_length) &&
               (!clause.is_filter() || starts_at(clause.class_or_filter));
    });
    return land;
}

}  // namespace clrkit::cil
