// Running jobs, in order or side by side.
#include "frame/batch.h"

#include "frame/progress.h"
#include "frame/text.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <thread>

namespace clrkit::cli {
namespace {

/// What a file is when it is simply something else than a .NET image.
bool is_not_dotnet(ErrorCode code) {
    switch (code) {
        case ErrorCode::empty_file:
        case ErrorCode::not_pe:
        case ErrorCode::native_image:
        case ErrorCode::app_host:
        case ErrorCode::single_file_bundle:
        case ErrorCode::portable_pdb:
        case ErrorCode::windows_pdb:
        case ErrorCode::elf_image:
        case ErrorCode::pe_bad_signature:  // a DOS program
            return true;
        default: return false;
    }
}

/// True when the error is about what was to be written.
bool concerns_output(const Error& error) {
    return error.stage == Stage::io &&
           (error.code == ErrorCode::io_write || error.code == ErrorCode::output_exists ||
            error.code == ErrorCode::output_is_folder);
}

/// Without an edit a save writes what was read; where every part is written anew, the bytes tell.
bool stays_the_same(const Module& module, const SaveOptions& options) {
    if (module.edited()) return false;
    if (options.emit == Emit::edited) return true;
    const auto saved = module.save_to_memory(options);
    return saved && std::ranges::equal(saved->bytes, module.bytes());
}

}  // namespace

Job::Job(const Arguments& arguments, const Input& input, const Output* output, Sink& out)
    : arguments_(arguments),
      input_(input),
      output_(output),
      out_(out),
      wants_json_(arguments.has("json") || arguments.has("jsonl")) {}

Json& Job::json() {
    if (json_ == nullptr) {
        json_ = std::make_unique<Json>(out_);
        json_->begin_object();
        // A line stands alone; in a document the number is at its top.
        if (arguments_.has("jsonl")) json_->member("schema", 1U);
        json_->name("file", input_.path);
    }
    return *json_;
}

void Job::finish() {
    if (json_ != nullptr) json_->end_object();
}

std::optional<Module> Job::open() {
    auto module = Module::open(input_.path, {.diagnostics = &diagnostics_});
    if (module) return std::move(*module);
    if (input_.found && is_not_dotnet(module.error().code)) return std::nullopt;
    fail(module.error());
    return std::nullopt;
}

void Job::fail_with(std::string_view text, const Error* error, std::string_view sentence) {
    answer_ = exit_failed;
    notes_.write(text);
    if (!wants_json_) return;
    Json& out = json();
    out.begin_object("error");
    out.text("code", error != nullptr ? name_of(error->code) : "refused");
    out.name("message", sentence);
    if (error != nullptr && error->offset != no_offset) out.member("offset", error->offset);
    out.end_object();
}

void Job::fail(const Error& error) {
    const bool about_output = output_ != nullptr && concerns_output(error);
    const std::string& subject = about_output ? output_->path : input_.path;
    std::string addition;
    if (output_ != nullptr) {
        const bool there = access(output_->path.c_str(), F_OK) == 0;
        addition = "; " + (about_output ? "it" : output_->path) +
                   (there ? " was left unchanged" : " was not written");
    }
    fail_with(complaint(error, subject, addition), &error, render(error));
}

void Job::fail(std::string_view sentence, std::string_view hint) {
    std::string line = input_.path + ": " + std::string(sentence);
    if (output_ != nullptr) {
        const bool there = access(output_->path.c_str(), F_OK) == 0;
        line += "; " + output_->path + (there ? " was left unchanged" : " was not written");
    }
    fail_with(complaint(line, hint), nullptr, sentence);
}

SaveOptions Job::settled(const Module& module, SaveOptions options) const {
    options.output = output_->options;
    options.output.mode = module.state().file.mode();
    if (arguments_.has("drop-signature")) options.stale_signature = StaleSignature::drop;
    if (arguments_.has("public-sign")) options.stale_signature = StaleSignature::public_sign;
    return options;
}

bool Job::make_folders() {
    if (!output_->make_folders) return true;
    const auto made = make_folders_for(output_->path);
    if (!made) fail(made.error());
    return made.has_value();
}

std::optional<SaveReport> Job::save(const Module& module, SaveOptions options) {
    options = settled(module, std::move(options));
    if (output_->in_place && stays_the_same(module, options)) return SaveReport{};
    if (!make_folders()) return std::nullopt;
    auto report = module.save(output_->path, options);
    if (report) return std::move(*report);
    fail(report.error());
    return std::nullopt;
}

void Job::note_left_out(std::uint64_t count, std::string_view what) {
    if (count == 0) return;
    notes_.print("clrkit: {}: {} more {}\nhint: --limit 0 lists all\n", shown(input_.path), count,
                 what);
}

namespace {

std::string_view separator_of(const Arguments& arguments, std::string_view in_text) {
    if (arguments.has("json")) return ",\n";
    return arguments.has("jsonl") ? "" : in_text;
}

/// The work of a batch, and its output put together in the order of input.
class Batch {
public:
    Batch(const Arguments& arguments, const std::vector<Input>& inputs,
          const std::vector<Output>* outputs, const JobAction& action, std::string_view separator)
        : arguments_(arguments),
          inputs_(inputs),
          outputs_(outputs),
          action_(action),
          out_(STDOUT_FILENO),
          json_(arguments.has("json")),
          jsonl_(arguments.has("jsonl")),
          separator_(separator_of(arguments, separator)),
          progress_(inputs.size(), outputs == nullptr && isatty(STDOUT_FILENO) == 1) {}

    int run() {
        if (json_) out_.write("{\"schema\":1,\"files\":[\n");
        std::uint64_t jobs = arguments_.number("jobs").value_or(1);
        if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
        const auto workers =
            static_cast<std::size_t>(std::min<std::uint64_t>({jobs, inputs_.size(), most_workers}));
        if (workers > 1) {
            run_side_by_side(workers);
        } else {
            run_one_by_one();
        }
        progress_.clear();
        out_.before_next({});
        if (json_) out_.write("\n]}\n");
        out_.flush();
        if (out_.problem() == 0) return answer_;
        complain(complaint(std::string("standard output: cannot be written: ") +
                           std::strerror(out_.problem())));
        return exit_failed;
    }

private:
    struct Done {
        Sink data;
        std::string notes;
        int answer = exit_done;
    };

    static constexpr std::uint64_t most_workers = 256;

    /// Does one job whose data goes to `out`.
    Done work(std::size_t index, Sink& out) const {
        const Output* output = outputs_ != nullptr ? &(*outputs_)[index] : nullptr;
        Job job(arguments_, inputs_[index], output, out);
        try {
            action_(job);
        } catch (const std::bad_alloc&) {
            job.fail(Error{ErrorCode::out_of_memory, Stage::io, 0, no_offset, nullptr});
        }
        job.finish();
        Done done;
        done.notes = job.notes().pending();
        done.answer = job.answer();
        return done;
    }

    /// Closes one job's output. False when the batch ends here.
    bool conclude(const Done& done, bool wrote) {
        if (wrote && jsonl_) out_.put('\n');
        if (wrote) out_.before_next(separator_);
        if (!done.notes.empty()) {
            out_.flush();  // so that both streams come in order on one terminal
            progress_.clear();
            complain(done.notes);
        }
        answer_ = std::max(answer_, done.answer);
        if (done.answer == exit_failed && !arguments_.has("keep-going")) return false;
        // Nobody reads on. Files to be written are written all the same.
        return outputs_ != nullptr || (!out_.abandoned() && out_.problem() == 0);
    }

    void run_one_by_one() {
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            const std::uint64_t before = out_.total();
            const Done done = work(i, out_);
            if (!conclude(done, out_.total() != before)) return;
            progress_.show(i + 1);
        }
    }

    void run_side_by_side(std::size_t workers) {
        done_.resize(inputs_.size());
        std::vector<std::thread> crew;
        crew.reserve(workers);
        for (std::size_t i = 0; i < workers; ++i) {
            crew.emplace_back([this, workers] { take_jobs(workers); });
        }
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return done_[i] != nullptr; });
            const std::unique_ptr<Done> done = std::move(done_[i]);
            concluded_ = i + 1;
            lock.unlock();
            changed_.notify_all();
            out_.write(done->data.pending());
            if (!conclude(*done, !done->data.pending().empty())) break;
            progress_.show(i + 1);
        }
        {
            const std::lock_guard lock(mutex_);
            stop_ = true;
        }
        changed_.notify_all();
        for (std::thread& worker : crew) worker.join();
    }

    /// One worker: takes the next job, but not so far ahead that much output has to wait in memory.
    void take_jobs(std::size_t workers) {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [&] {
                return stop_ || next_ == inputs_.size() || next_ < concluded_ + 4 * workers;
            });
            if (stop_ || next_ == inputs_.size()) return;
            const std::size_t index = next_++;
            lock.unlock();
            Sink data;
            auto done = std::make_unique<Done>(work(index, data));
            done->data = std::move(data);
            lock.lock();
            done_[index] = std::move(done);
            changed_.notify_all();
        }
    }

    const Arguments& arguments_;
    const std::vector<Input>& inputs_;
    const std::vector<Output>* outputs_;
    const JobAction& action_;
    Sink out_;
    bool json_;
    bool jsonl_;
    std::string_view separator_;
    Progress progress_;
    int answer_ = exit_done;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::unique_ptr<Done>> done_;
    std::size_t next_ = 0;       // job to take
    std::size_t concluded_ = 0;  // jobs whose output is out
    bool stop_ = false;
};

int nothing_found() {
    complain(complaint("no .NET file was found"));
    return exit_no;
}

}  // namespace

int run_batch(const Arguments& arguments, const std::vector<Input>& inputs, const JobAction& action,
              std::string_view separator) {
    if (inputs.empty()) return nothing_found();
    return Batch(arguments, inputs, nullptr, action, separator).run();
}

int run_batch(const Arguments& arguments, const Plan& plan, const JobAction& action) {
    if (plan.inputs.empty()) return nothing_found();
    return Batch(arguments, plan.inputs, &plan.outputs, action, {}).run();
}

std::uint64_t listing_limit(const Arguments& arguments) {
    const std::uint64_t limit = arguments.number("limit").value_or(10000);
    return limit == 0 ? std::numeric_limits<std::uint64_t>::max() : limit;
}

}  // namespace clrkit::cli
