// Asking clrkit-native what it sees in a file: starts it, waits, and makes one sentence of whatever
// goes wrong. Part of the command, not of the libraries: those start no process.
#pragma once

#include <clrkit/core/bytes/span.h>
#include <clrkit/core/native/facts.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

namespace clrkit::native {

enum class Failure : std::uint8_t {
    absent,         // there is no helper
    start,          // it cannot be started, or the file not be handed over
    crashed,        // it ended by a signal, or with a code that says it failed
    out_of_memory,  // it reached its limit on memory,
    out_of_time,    // on processor or wall time,
    too_long,       // or on the length of its answer
    garbage,        // its answer is none
    refused,        // it read the file and will not have it: an answer, if not the wanted one
};

/// Why there are no facts: a sentence about the file, without its name.
struct Problem {
    Failure failure = Failure::start;
    std::string sentence;
    std::string hint;  // may be empty
};

struct AskOptions {
    /// Path of the helper; empty: where `find_helper` finds it.
    std::string helper;
    std::chrono::milliseconds wall_time{30'000};
    std::size_t longest_answer = native::longest_answer;
};

/// The helper: what CLRKIT_NATIVE names; else clrkit-native beside this executable (build tree), or
/// where it is installed relative to it. Empty when there is none.
std::string find_helper();

/// The facts of a file in memory. The helper gets the bytes by descriptor, in a memory file, so it
/// sees what the caller sees and no path is opened twice. Never leaves a process behind; may be
/// called by several threads at once. Memory: a copy of the file, and the answer.
std::expected<Facts, Problem> ask(ByteSpan file, const AskOptions& options = {});

}  // namespace clrkit::native
