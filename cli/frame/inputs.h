// Which files a verb works on: named ones, found ones, listed ones.
#pragma once

#include "frame/arguments.h"

#include <string>
#include <vector>

namespace clrkit::cli {

struct Input {
    std::string path;
    /// The path below an output folder: the folders it was found in, then its name.
    std::string relative;
    /// Found in a folder or by a pattern: it need not be a .NET file.
    bool found = false;
};

/// Names to files: patterns and, with -r, folders are searched, in the order of names. A file that
/// is neither found nor there stays in the list: opening it will say so. But `-`, which stands for
/// standard input elsewhere, is refused.
Usage<std::vector<Input>> find_inputs(const Arguments& arguments,
                                      const std::vector<std::string>& names);
/// The same for all that the arguments name, but for the first `others` operands. At least one name is
/// there.
Usage<std::vector<Input>> find_inputs(const Arguments& arguments, std::size_t others = 0);

/// True when the bytes at the start of a file could begin an image. A file that cannot be read
/// could: opening it will say why not.
bool may_be_image(const std::string& path);

/// The part of a path behind its last slash.
std::string_view file_name(std::string_view path);

}  // namespace clrkit::cli
