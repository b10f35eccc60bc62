// `info --size`: what the bytes of a file are.
#pragma once

#include "frame/json.h"
#include "frame/sink.h"

#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/module/coverage.h>

namespace clrkit::cli {

void print_sizes(Sink& out, const Module& module, const Coverage& coverage);
void write_sizes(Json& out, const Module& module, const Coverage& coverage);

}  // namespace clrkit::cli
