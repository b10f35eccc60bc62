// A walk along the flow of control, with a list of places still to go to. It marks bytes and never visits
// one twice.
#include <clrkit/dotnet/cil/reached_code.h>
#include <clrkit/dotnet/cil/walk.h>

#include <algorithm>
#include <bit>

namespace clrkit::cil {

bool ReachedCode::find(ByteSpan bytes, const BodyExtent& extent, std::uint32_t alignment) {
    code_ = bytes.subspan(extent.header_size, extent.code_size);
    const std::size_t words = code_.size() / 64 + 1;
    starts_.assign(words, 0);
    inside_.assign(words, 0);
    pieces_.assign(words, 0);
    pending_.clear();
    clauses_.clear();
    for_each_clause(bytes, extent, alignment,
                    [&](const Clause& clause) { clauses_.push_back(clause); });
    if (!mark_bounds()) return false;
    tries_.clear();
    for (const Clause& clause : clauses_) {
        tries_.add(clause.try_offset, clause.try_offset + clause.try_length);
    }
    tries_.prepare();
    if (!push(0) || !follow()) return false;
    for (std::size_t word = 0; word < words; ++word) {
        if ((pieces_[word] & inside_[word]) != 0) return false;
    }
    mark_pieces();
    return true;
}

bool ReachedCode::push(std::int64_t target) {
    if (target < 0 || target >= static_cast<std::int64_t>(code_.size())) return false;
    const auto at = static_cast<std::uint32_t>(target);
    if (has(inside_, at)) return false;
    if (!has(starts_, at)) pending_.push_back(at);
    return true;
}

/// Goes everywhere, and into the handlers of the try blocks on the way.
bool ReachedCode::follow() {
    while (!pending_.empty()) {
        const std::uint32_t begin = pending_.back();
        pending_.pop_back();
        std::uint32_t end = begin;
        if (!follow_from(end)) return false;
        bool lands = true;
        tries_.enter(begin, end, [&](std::uint32_t clause) {
            lands = lands && push_handler(clauses_[clause]);
        });
        if (!lands) return false;
    }
    return true;
}

bool ReachedCode::push_handler(const Clause& clause) {
    return push(clause.handler_offset) && (!clause.is_filter() || push(clause.class_or_filter));
}

/// Goes on from `at` until control branches away or what comes next was reached before, where `at` is
/// then.
bool ReachedCode::follow_from(std::uint32_t& at) {
    for (;;) {
        if (at >= code_.size() || has(inside_, at)) return false;
        if (has(starts_, at)) return true;
        const MeasuredInstruction instruction = measure_instruction(code_, at);
        if (instruction.kind == OperandKind::undefined || !take(at, instruction.end)) return false;
        bool lands = true;
        for_each_target(code_, instruction.kind, instruction.operand,
                        [&](std::int64_t target) { lands = push(target) && lands; });
        if (!lands) return false;
        const bool ends = find_opcode(opcode_at(code_, at))->ends_flow();
        at = instruction.end;
        if (ends) return true;
    }
}

/// Marks an instruction. False where another one shares a byte with it.
bool ReachedCode::take(std::uint32_t at, std::uint32_t end) {
    mark(starts_, at);
    while (++at < end) {
        if (has(starts_, at) || has(inside_, at)) return false;
        mark(inside_, at);
    }
    return true;
}

/// Marks where clauses begin and end. False where that is not in the code.
bool ReachedCode::mark_bounds() {
    const std::uint64_t size = code_.size();
    return std::ranges::all_of(clauses_, [&](const Clause& clause) {
        const std::uint32_t filter = clause.is_filter() ? clause.class_or_filter : 0;
        if (clause.try_offset >= size || clause.handler_offset >= size || filter >= size ||
            clause.try_length > size - clause.try_offset ||
            clause.handler_length > size - clause.handler_offset) {
            return false;
        }
        for (const std::uint32_t at :
             {clause.try_offset, clause.try_offset + clause.try_length, clause.handler_offset,
              clause.handler_offset + clause.handler_length, filter}) {
            mark(pieces_, at);
        }
        return true;
    });
}

/// From where clauses begin and end to where anything does: also where instructions do, and where what
/// is not reached begins.
void ReachedCode::mark_pieces() {
    std::uint64_t carry =
        1;  // whether the byte before is part of an instruction, or not of the code
    for (std::size_t word = 0; word < pieces_.size(); ++word) {
        const std::uint64_t reached = starts_[word] | inside_[word];
        pieces_[word] |= starts_[word] | ((reached << 1U | carry) & ~reached);
        carry = reached >> 63U;
    }
}

/// Where the piece that begins at `at` ends.
std::uint32_t ReachedCode::end_of_piece(std::uint32_t at) const {
    const auto size = static_cast<std::uint32_t>(code_.size());
    if (++at >= size) return size;
    std::uint64_t bits = pieces_[at / 64] >> at % 64 << at % 64;
    for (std::size_t word = at / 64; bits == 0;) {
        if (++word == pieces_.size()) return size;
        bits = pieces_[word];
        at = static_cast<std::uint32_t>(word * 64);
    }
    return std::min(size, at / 64 * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
}

}  // namespace clrkit::cil
