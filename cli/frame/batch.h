// One verb over many files: each file is a job with its own output, errors and answer; the frame puts
// them in order, several at a time with -j.
#pragma once

#include "frame/inputs.h"
#include "frame/json.h"
#include "frame/message.h"
#include "frame/outputs.h"
#include "frame/sink.h"

#include <clrkit/core/diagnostics.h>
#include <clrkit/dotnet/model/module.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace clrkit::cli {

/// What a verb sees of one input.
class Job {
public:
    Job(const Arguments& arguments, const Input& input, const Output* output, Sink& out);

    const Arguments& arguments() const { return arguments_; }
    const Input& input() const { return input_; }
    /// Where to write; verbs that write have it.
    const Output& output() const { return *output_; }

    /// Opens the input as a module. Nothing when that failed, which is then said, or when the input
    /// is to be passed over: return `answer()`.
    std::optional<Module> open();
    const Diagnostics& diagnostics() const { return diagnostics_; }

    /// Says what is wrong with the input; for a writing verb also that nothing was written.
    void fail(const Error& error);
    /// The same for a fault that is no library error.
    void fail(std::string_view sentence, std::string_view hint = {});
    /// The options of a save, with what the file and the command line have to say to it.
    SaveOptions settled(const Module& module, SaveOptions options) const;
    /// Makes the folders that the output needs, where the plan says so; says what went wrong.
    bool make_folders();
    /// Saves the module where the plan says; says what went wrong. A file that would be replaced by
    /// the same bytes is left as it is: then nothing is written.
    std::optional<SaveReport> save(const Module& module, SaveOptions options);

    /// Data, as text. Not together with JSON.
    Sink& out() { return out_; }
    bool wants_json() const { return wants_json_; }
    /// The object of this file, begun with its path. Closed by the frame.
    Json& json();
    /// For people, on standard error.
    Sink& notes() { return notes_; }
    /// A note that something was left out, as --limit asks.
    void note_left_out(std::uint64_t count, std::string_view what);

    void answer_no() { answer_ = std::max(answer_, exit_no); }
    int answer() const { return answer_; }
    void finish();

private:
    void fail_with(std::string_view text, const Error* error, std::string_view sentence);

    const Arguments& arguments_;
    const Input& input_;
    const Output* output_;
    Sink& out_;
    Sink notes_;
    Diagnostics diagnostics_;
    std::unique_ptr<Json> json_;
    int answer_ = exit_done;
    bool wants_json_;
};

using JobAction = std::function<void(Job&)>;

/// Runs the action on every input, or on every entry of the plan; returns the exit code. `separator`
/// goes between the texts of two files.
int run_batch(const Arguments& arguments, const std::vector<Input>& inputs, const JobAction& action,
              std::string_view separator = {});
int run_batch(const Arguments& arguments, const Plan& plan, const JobAction& action);

/// Entries to list at most (--limit).
std::uint64_t listing_limit(const Arguments& arguments);

}  // namespace clrkit::cli
