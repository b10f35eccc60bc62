// Where a writing verb writes. Settled for all inputs before anything is written.
#pragma once

#include "frame/inputs.h"

#include <clrkit/core/io/output_file.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
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
/// The same for a verb that makes something else of its inputs and is told where by -o or -O alone,
/// of which one is given: in the folder of -O, names have `ending` (`.il`) in place of their own. An
/// output that is its own input is refused, even with -f.
Usage<Plan> plan_conversions(const Arguments& arguments, std::string_view ending);

/// Files that are written beside the outputs of a plan: settled before anything is written, too.
class Companions {
public:
    /// `plan` must outlive it.
    explicit Companions(const Plan& plan);
    /// Refuses a file that is an input, an output or another of these; one that exists, without -f.
    Usage<void> add(std::size_t index, const std::string& path);

private:
    const Plan& plan_;
    std::map<std::string, std::string> taken_;  // by whom
};

/// True for a device or a pipe, to which one may write whether it exists or not.
bool is_special(const std::string& path);

/// Makes the folders that lead to `path`. Error: `io_write` with errno.
Status make_folders_for(const std::string& path);

}  // namespace clrkit::cli
