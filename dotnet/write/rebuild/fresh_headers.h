// The headers of an image that is stripped of its native code, as a compiler would have written them:
// its sections, and for PE32 the import of mscoree.dll with the entry point that jumps through it.
#pragma once

#include <clrkit/core/error.h>
#include <clrkit/core/pe/headers.h>
#include <clrkit/dotnet/module/ready_to_run.h>
#include <clrkit/dotnet/module/state.h>
#include <clrkit/dotnet/write/rebuild/layout.h>

#include <cstdint>

namespace clrkit::rebuild {

/// Headers with the sections .text, .rsrc where there are Win32 resources, and for PE32 .reloc. An
/// image built for any processor becomes PE32 for i386; any other keeps its processor. Error:
/// `unsupported` where the IL is gone.
Result<pe::Headers> fresh_headers(const ModuleState& state, bool has_resources);

/// The CLR flags of the image without native code.
std::uint32_t fresh_clr_flags(std::uint32_t flags);

/// Adds the blocks of import table, thunk and relocation; their contents are written by
/// `write_start_up` when the layout is known. Nothing for PE32+, which needs none.
void plan_start_up(const pe::Headers& headers, Layout& layout);
/// Writes them into `out`, which is the image, and their addresses into `headers`.
Status write_start_up(Layout& layout, pe::Headers& headers, MutableByteSpan out);

}  // namespace clrkit::rebuild
