// Response files (`@FILE`) and lists of paths (`--files-from`).
#pragma once

#include "frame/arguments.h"

#include <span>
#include <string>
#include <vector>

namespace clrkit::cli {

/// Splits the words of a command line at `--` and puts the words of response files in the place of
/// `@FILE`. Behind `--` nothing is expanded.
Usage<void> expand_words(std::span<const char* const> words, std::vector<std::string>& before,
                         std::vector<std::string>& behind);

/// The words of a response file's text. Blanks and line ends separate words; a `#` where a word
/// would begin starts a comment to the end of the line; '...' and "..." quote, and inside "..."
/// `\"` and `\\` stand for `"` and `\`. Any other backslash is a backslash.
Usage<std::vector<std::string>> split_words(std::string_view text);

/// The paths in a list: one a line, or separated by NUL when there is a NUL in it. Empty ones are
/// left out.
std::vector<std::string> split_paths(std::string_view text);

/// All of a file, which may be a pipe; "-" is standard input.
Usage<std::string> read_text(const std::string& path);

}  // namespace clrkit::cli
