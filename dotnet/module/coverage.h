// What each byte of an image is: claims by every part that the headers and the metadata reach, what
// lies between them, and whether the image is closed, that is, wholly accounted for, so that its
// parts may be laid out again.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/error.h>
#include <clrkit/core/limits.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/dotnet/module/state.h>

#include <cstdint>
#include <vector>

namespace clrkit {

/// Why an image is pinned: nothing that exists in it may move.
enum class PinReason : std::uint8_t {
    none,  // closed
    memory_layout,
    not_il_only,
    ready_to_run,
    vtable_fixups,
    export_jumps,
    native_entry_point,
    directory,    // a data directory that managed images do not have
    imports,      // more than mscoree.dll
    relocations,  // more than that of the entry thunk
    entry_point,  // native code at the entry point that is no mscoree thunk
    body_unreadable,
    bodies_overlap,
    data_unreadable,  // field data or resources outside the file
    win32_resources,
    headers,
    overlap,  // two parts claim the same bytes
    unaccounted_bytes,
    count_
};
CLRKIT_API const char* name_of(PinReason reason);

struct Coverage {
    /// Sorted by offset; every byte of the file lies in at least one. Gaps are claims too:
    /// `padding` where all is zero, `gap` where it is not.
    std::vector<pe::Claim> claims;
    PinReason reason = PinReason::none;
    /// The range that gave the reason; empty when a header field did.
    pe::FileRange where;
    /// Bytes in short runs between bodies that belong to no method: discarded by a compiler.
    std::uint64_t discarded_bytes = 0;
    std::uint32_t discarded_runs = 0;
    /// Bytes in sections that belong to nothing known, the zeros around them not counted.
    std::uint64_t unaccounted_bytes = 0;

    bool closed() const { return reason == PinReason::none; }
};

/// Which bytes count.
enum class NativeCode : std::uint8_t {
    counts,
    /// Bytes that only ReadyToRun code refers to do not pin the image: it is to be stripped of them.
    stripped,
};

/// Computes the coverage of an image in O(rows log rows). What cannot be read makes the image pinned;
/// the only error is `out_of_memory`.
CLRKIT_API Result<Coverage> cover(const ModuleState& state, const Limits& limits = {},
                                  NativeCode native = NativeCode::counts);

}  // namespace clrkit
