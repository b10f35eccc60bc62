// Where a writing verb writes. Settled for all inputs before anything is written.
#pragma once

#include "frame/inputs.h"

#include <clrkit/core/io/output_file.h>

#include <span>
#include <string>
#include <vector>

namespace clrkit::cli {

struct Output {
    std::string path;
    OutputOptions options;
    /// Make the folders that lead to it.
    bool make_folders = false;
    bool in_place = false;
};

/// The inputs of a writing verb, and for each its output.
struct Plan {
    std::vector<Input> inputs;
    std::vector<Output> outputs;
};

/// Settles inputs and outputs. Refuses: no place or several to write to; an input named twice; two
/// inputs with one output; an output that is another input; an output that exists, without -f.
Usage<Plan> plan_outputs(const Arguments& arguments);

/// Makes the folders that lead to `path`. Error: `io_write` with errno.
Status make_folders_for(const std::string& path);

}  // namespace clrkit::cli
