// Which branches of a body can stay short. Internal to the assembler.
#pragma once

#include <clrkit/dotnet/cil/instruction.h>

#include <cstdint>
#include <span>
#include <vector>

namespace clrkit::cil {

/// A branch laid out in its two-byte form.
struct ShortBranch {
    Label at;
    Label target;
};

/// Makes room for the five-byte form of every branch that does not reach its target in two.
/// `offsets` has the offset of each instruction and of the end of the code, `branches` the short ones
/// in the order of the code; what is left of these stays short. Linear in both, whatever they are: past
/// a few rounds a branch may become long that just about need not. False when the code grows past 4 GiB.
bool widen_branches(std::span<std::uint32_t> offsets, std::vector<ShortBranch>& branches,
                    std::vector<Label>& widened);

}  // namespace clrkit::cil
