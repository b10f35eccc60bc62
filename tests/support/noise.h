// The same image written wastefully: what a rebuild must undo.
#pragma once

#include "support/image_builder.h"

#include <clrkit/dotnet/model/module.h>

#include <cstdint>

namespace clrkit::test {

struct Noise {
    std::uint32_t seed = 1;
    /// Makes every heap longer than 64 KiB, so that indexes into them take four bytes.
    bool wide = false;
};

/// `module` with its heap entries permuted, unfolded, repeated and joined by unreferenced ones, and
/// with padding between its bodies. Empty when the module cannot be rebuilt or pins its literals.
Bytes with_noise(const Module& module, const Noise& noise);

}  // namespace clrkit::test
