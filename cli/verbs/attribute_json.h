// The arguments of a custom attribute as JSON.
#pragma once

#include "frame/json.h"

#include <clrkit/dotnet/attributes/custom_attribute.h>
#include <clrkit/dotnet/metadata/metadata.h>

namespace clrkit::cli {

/// Adds `arguments` (a list of values) and `named` (a list of objects with kind, name, value) to an
/// object; for an attribute that did not decode, `undecoded` with the reason. Numbers are numbers,
/// strings strings; an enum is {"enum", "value"}, a type {"type"}, a boxed value {"boxed", "value"}.
void write_arguments(Json& out, const Metadata& metadata, const CustomAttribute& attribute);

}  // namespace clrkit::cli
