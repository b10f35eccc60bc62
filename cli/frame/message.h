// What goes to standard error: one line a fault, a hint below it where there is one.
#pragma once

#include "frame/arguments.h"

#include <clrkit/core/error.h>

#include <string>
#include <string_view>

namespace clrkit::cli {

inline constexpr int exit_done = 0;
inline constexpr int exit_no = 1;
inline constexpr int exit_failed = 2;

/// "clrkit: SENTENCE" and "hint: HINT". Both are made harmless for a terminal.
std::string complaint(std::string_view sentence, std::string_view hint = {});
/// The same for an error about the file or folder `subject`.
std::string complaint(const Error& error, std::string_view subject, std::string_view addition = {});

/// Prints at once.
void complain(std::string_view text);

/// Prints a usage error of a verb; returns exit_failed.
int refuse(const UsageError& error, const Verb* verb = nullptr);

}  // namespace clrkit::cli
