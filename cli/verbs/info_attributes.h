// The attributes of the assembly and of the module, as `info` shows them.
#pragma once

#include "frame/batch.h"

#include <clrkit/dotnet/attributes/enum_types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace clrkit::cli {

/// Lines of text, at most as many as --limit says; more are noted.
std::vector<std::string> attribute_lines(Job& job, const Module& module, const EnumResolver& enums);
/// The member `attributes` of an object, likewise.
void write_attributes(Job& job, const Module& module, const EnumResolver& enums);

}  // namespace clrkit::cli
