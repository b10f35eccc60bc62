// Method bodies and literals, written anew: every body that a method refers to once, in the order of
// the methods, and a #US heap of the literals that they load.
#pragma once

#include <clrkit/core/buffers/offset_map.h>
#include <clrkit/core/buffers/region.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/cil/assembler.h>
#include <clrkit/dotnet/cil/body.h>
#include <clrkit/dotnet/cil/scan.h>
#include <clrkit/dotnet/module/state.h>
#include <clrkit/dotnet/write/rebuild/blob_counts.h>

#include <cstdint>

namespace clrkit::rebuild {

/// Why the #US heap stays byte for byte.
enum class LiteralPin : std::uint8_t {
    none,
    opaque_body,      // a literal's token may hide in it
    resolves_tokens,  // the module asks for literals by number at run time
    odd_literal,      // a token points between entries, or past the heap
    broken_heap,      // the heap is not a sequence of entries
};
const char* name_of(LiteralPin pin);

struct NewBodies {
    ByteSpan bytes;  // begins at a multiple of four
    /// File offset of an old body -> offset in `bytes`.
    OffsetMap places;
    std::uint32_t bodies = 0;
    ByteSpan literals;  // padded to four bytes; the old heap where it is pinned
    std::uint32_t literal_entries = 0;
    LiteralPin pin = LiteralPin::none;
    std::uint32_t pinned_by = 0;  // MethodDef row of the body concerned, or 0
    /// Of a reassembly: bodies decoded and encoded, those of them in other forms than before, and
    /// those copied as they are.
    BlobCounts counts;
    /// Instructions have other offsets than before.
    bool code_moved = false;
};

struct BodyOptions {
    /// Most bytes of the new bodies.
    std::uint64_t budget = 0;
    /// Decode and encode every body, instead of copying it with new literals.
    bool reassemble = false;
    /// With `reassemble`.
    cil::Forms forms = cil::Forms::keep;
    /// May be null.
    Diagnostics* diagnostics = nullptr;
};

/// What is used for one body after the other, and grows to the largest.
struct BodyTools {
    cil::Scanner scanner;
    cil::Body body;
    cil::Assembler assembler;
};

/// Every body of the module must be measurable. Errors: `body_unreadable`, `output_budget`,
/// `out_of_memory`, `value_too_wide` for literals past 16 MiB.
Result<NewBodies> build_bodies(const ModuleState& state, const BodyOptions& options, Region& region,
                               BodyTools& tools);

}  // namespace clrkit::rebuild
