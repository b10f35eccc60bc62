// A closed image written anew from its parsed form, every part at its old place.
#pragma once

#include <clrkit/core/buffers/pages.h>
#include <clrkit/core/error.h>
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/module/coverage.h>
#include <clrkit/dotnet/module/state.h>

namespace clrkit {

/// The image's bytes, as many as the module has. What is parsed (headers, directories, tables) is
/// encoded from its parsed form; what is only measured (heaps, bodies, data) is copied extent by
/// extent; what lies between is zero. Error: `not_closed`, with the range that is not accounted for.
Result<Pages> emit_image(const ModuleState& state, const Limits& limits);

}  // namespace clrkit
