// Budgets for work on input nobody vouches for. They bound depth, output and work, never the number
// of things a valid file may hold.
#pragma once

#include <cstdint>

namespace clrkit {

struct Limits {
    /// Most levels of nesting followed in a tree or a signature.
    std::uint32_t depth = 512;
    /// Most nodes visited in one Win32 resource tree or import list. Every node costs its file at
    /// least eight bytes, but a tree that refers to itself has no end.
    std::uint32_t nodes = 1U << 20U;
    /// Most bytes one write may produce; 0 means four times the input plus 64 MiB.
    std::uint64_t output_bytes = 0;

    std::uint64_t output_budget(std::uint64_t input_bytes) const {
        return output_bytes != 0 ? output_bytes : 4 * input_bytes + (std::uint64_t{64} << 20U);
    }
};

}  // namespace clrkit
