// Which bytes of a body's code control can reach, found by following it: for code that a sweep from
// the first byte to the last does not decode, since bytes that nobody runs stand between the
// instructions.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/dotnet/cil/body_extent.h>
#include <clrkit/dotnet/cil/try_ranges.h>

#include <cstdint>
#include <vector>

namespace clrkit::cil {

/// Follows one body after the other; its buffers grow to the largest and stay.
class ReachedCode {
public:
    /// Follows control from the first instruction, and into the handlers of try blocks that it
    /// reaches. `extent` measured the body at the start of `bytes`. False where control reaches what
    /// is no instruction, an instruction inside another one or the end of the code, and where a
    /// clause begins or ends inside an instruction. Time and memory are linear in the body's size.
    CLRKIT_API bool find(ByteSpan bytes, const BodyExtent& extent, std::uint32_t alignment);

    /// Calls `visit(start, size, is_instruction)` for every instruction that is reached and for every
    /// piece of what is not, in their order. Pieces end where clauses begin and end.
    template <class Visit>
    void for_each_piece(Visit visit) const {
        for (std::uint32_t at = 0; at < code_.size();) {
            const std::uint32_t end = end_of_piece(at);
            visit(at, end - at, has(starts_, at));
            at = end;
        }
    }

private:
    using Bits = std::vector<std::uint64_t>;  // one for each byte of code and for its end
    static bool has(const Bits& bits, std::uint32_t at) {
        return (bits[at / 64] >> at % 64 & 1U) != 0;
    }
    static void mark(Bits& bits, std::uint32_t at) { bits[at / 64] |= std::uint64_t{1} << at % 64; }

    bool push(std::int64_t target);
    bool follow();
    bool follow_from(std::uint32_t& at);
    bool take(std::uint32_t at, std::uint32_t end);
    bool push_handler(const Clause& clause);
    bool mark_bounds();
    void mark_pieces();
    CLRKIT_API std::uint32_t end_of_piece(std::uint32_t at) const;

    ByteSpan code_;
    Bits starts_;  // of instructions that are reached
    Bits inside_;  // their other bytes
    Bits pieces_;  // first where clauses begin and end, then where anything does
    std::vector<std::uint32_t> pending_;
    std::vector<Clause> clauses_;
    TryRanges tries_;
};

}  // namespace clrkit::cil
