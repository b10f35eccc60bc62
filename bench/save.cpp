// Saving, beside what the system itself needs to put the same bytes into the same place.
#include "cases.h"
#include "inputs.h"
#include "measure.h"

#include <clrkit/core/io/output_file.h>
#include <clrkit/dotnet/model/module.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace clrkit::bench {
namespace {

void require(benchmark::State& state, bool done) {
    if (!done) state.SkipWithError("it failed");
}

/// The baseline: a new file beside the target, filled by the kernel, renamed over it.
bool copy_and_rename(int from, std::size_t size, const std::string& target) {
    const std::string temporary = target + ".tmp";
    const int to = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (to < 0) return false;
    off64_t offset = 0;
    while (static_cast<std::size_t>(offset) < size) {
        const auto left = size - static_cast<std::size_t>(offset);
        if (copy_file_range(from, &offset, to, nullptr, left, 0) <= 0) break;
    }
    close(to);
    const bool whole = static_cast<std::size_t>(offset) == size;
    if (whole && std::rename(temporary.c_str(), target.c_str()) == 0) return true;
    unlink(temporary.c_str());
    return false;
}

void baseline(benchmark::State& state, const Input& input) {
    const std::string target = output_path();
    const int from = open(input.path.c_str(), O_RDONLY | O_CLOEXEC);
    const Costs costs(state);
    for (auto _ : state) require(state, copy_and_rename(from, input.bytes.size(), target));
    close(from);
}

/// The library's two ways to a file, without a module: what `save` costs beside its output.
void library_copy(benchmark::State& state, const Input& input) {
    const std::string target = output_path();
    const int from = open(input.path.c_str(), O_RDONLY | O_CLOEXEC);
    const Costs costs(state);
    for (auto _ : state) require(state, copy_file(target, from, input.bytes.size()).has_value());
    close(from);
}

void library_write(benchmark::State& state, const Input& input) {
    const std::string target = output_path();
    const ByteSpan part = input.bytes;
    const Costs costs(state);
    for (auto _ : state) require(state, write_file(target, {&part, 1}).has_value());
}

/// The module comes from a file, as it does when a command saves it: its memory is what
/// InputFile made.
void save_to_file(benchmark::State& state, const Input& input, Emit emit) {
    const std::string target = output_path();
    const auto module = Module::open(input.path);
    SaveOptions options;
    options.emit = emit;
    const Costs costs(state);
    for (auto _ : state) require(state, module->save(target, options).has_value());
}

void save_to_memory(benchmark::State& state, const Input& input, Emit emit) {
    const auto module = Module::open(input.path);
    SaveOptions options;
    options.emit = emit;
    const Costs costs(state);
    for (auto _ : state) {
        const auto saved = module->save_to_memory(options);
        require(state, saved.has_value());
        benchmark::DoNotOptimize(saved->bytes.data());
    }
}

void open_and_save(benchmark::State& state, const Input& input) {
    const std::string target = output_path();
    const Costs costs(state);
    for (auto _ : state) {
        const auto module = Module::open(input.path);
        require(state, module->save(target).has_value());
    }
}

/// Another access of the first method: an edit that images with native code allow too.
Status edit(Module& module) {
    constexpr Token method{Table::MethodDef, 1};
    return module.set_cell(method, col::MethodDef::Flags, module.method(1).flags() ^ 1U);
}

void edit_and_save(benchmark::State& state, const Input& input) {
    const std::string target = output_path();
    SaveOptions options;
    options.stale_signature = StaleSignature::drop;
    const Costs costs(state);
    for (auto _ : state) {
        auto module = Module::from_bytes(input.bytes);
        require(state, edit(*module) && module->save(target, options));
    }
}

void edit_and_save_to_memory(benchmark::State& state, const Input& input) {
    SaveOptions options;
    options.stale_signature = StaleSignature::drop;
    const Costs costs(state);
    for (auto _ : state) {
        auto module = Module::from_bytes(input.bytes);
        require(state, edit(*module) && module->save_to_memory(options));
    }
}

}  // namespace

void register_save_cases() {
    for (const Input& input : inputs()) {
        add_case("baseline: copy_file_range and rename", input, baseline);
        add_case("unedited save to file", input,
                 [](auto& state, const Input& file) { save_to_file(state, file, Emit::edited); });
        add_case("write_file", input, library_write);
        add_case("copy_file", input, library_copy);
        add_case("unedited save to memory", input,
                 [](auto& state, const Input& file) { save_to_memory(state, file, Emit::edited); });
        add_case("open and unedited save to file", input, open_and_save);
        add_case("edit one cell and save to file", input, edit_and_save);
        add_case("edit one cell and save to memory", input, edit_and_save_to_memory);
        const auto coverage = cover(Module::from_bytes(input.bytes)->state()).value();
        if (!coverage.closed()) {
            skip("emit all/" + input.name, name_of(coverage.reason));
            continue;
        }
        add_case("emit all to file", input,
                 [](auto& state, const Input& file) { save_to_file(state, file, Emit::all); });
        add_case("emit all to memory", input,
                 [](auto& state, const Input& file) { save_to_memory(state, file, Emit::all); });
    }
}

}  // namespace clrkit::bench
