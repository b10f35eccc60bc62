// What `rewrite --rebuild` does with each file.
#pragma once

#include "frame/arguments.h"

namespace clrkit::cli {

/// Rebuilds every input into its output; a worker keeps one Writer for all its files.
int run_rebuilds(const Arguments& arguments);

}  // namespace clrkit::cli
