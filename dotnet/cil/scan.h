// What a linear sweep finds in one body: its tokens, and whether every byte of the code is part of
// an instruction and every jump and clause lands on one.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/dotnet/cil/body_extent.h>
#include <clrkit/dotnet/cil/walk.h>

#include <cstdint>
#include <vector>

namespace clrkit::cil {

/// Why a body cannot be understood by sweeping over it: tokens may hide anywhere in it.
enum class Opaque : std::uint8_t {
    no,
    undefined_opcode_or_cut_operand,
    branch,
    clause,
    header,  // shorter than its fixed fields, which the code then overlaps; a Scanner does not mind
    extent,  // its header or a data section cannot be read; a Scanner is given the extent
};
/// Static text for a diagnostic's note.
CLRKIT_API const char* name_of(Opaque why);

/// Scans one body after the other; its buffers grow to the largest and stay.
class Scanner {
public:
    /// Sweeps over the body that `extent` measured at the start of `bytes`; `alignment` is its RVA
    /// modulo 4. Calls `visit(kind, offset)` for every instruction with a metadata token: the
    /// operand's offset in the code; also when the body turns out opaque further on.
    template <class Visit>
    Opaque scan(ByteSpan bytes, const BodyExtent& extent, std::uint32_t alignment, Visit visit) {
        const ByteSpan code = bytes.subspan(extent.header_size, extent.code_size);
        begin(extent.code_size);
        const std::uint32_t end =
            walk(code, [&](OperandKind kind, std::uint32_t start, std::uint32_t operand) {
                starts_[start / 64] |= std::uint64_t{1} << start % 64;
                if (is_token(kind)) {
                    visit(kind, operand);
                } else {
                    for_each_target(code, kind, operand,
                                    [&](std::int64_t target) { targets_.push_back(target); });
                }
            });
        if (end != code.size()) return Opaque::undefined_opcode_or_cut_operand;
        if (!targets_land()) return Opaque::branch;
        if (!clauses_land(bytes, extent, alignment)) return Opaque::clause;
        return Opaque::no;
    }

private:
    CLRKIT_API void begin(std::uint32_t code_size);
    CLRKIT_API bool targets_land() const;
    CLRKIT_API bool clauses_land(ByteSpan bytes, const BodyExtent& extent,
                                 std::uint32_t alignment) const;
    bool starts_at(std::uint64_t offset) const {
        return offset < size_ &&
               (starts_[static_cast<std::size_t>(offset / 64)] >> offset % 64 & 1U) != 0;
    }
    bool starts_at_or_ends(std::uint64_t offset) const {
        return offset == size_ || starts_at(offset);
    }

    std::vector<std::uint64_t> starts_;  // one bit per byte of code
    std::vector<std::int64_t> targets_;
    std::uint32_t size_ = 0;
};

}  // namespace clrkit::cil
