// Rebuilding: warm, in a Writer that has been used, and cold, in a fresh one.
#include "cases.h"
#include "measure.h"

#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/write/writer.h>

namespace clrkit::bench {
namespace {

RebuildOptions options() {
    RebuildOptions options;
    options.stale_signature = StaleSignature::public_sign;
    options.strip_ready_to_run = true;
    return options;
}

void rebuild(benchmark::State& state, const Input& input, bool fresh) {
    const auto module = Module::from_bytes(input.bytes);
    Writer used;
    if (!used.rebuild(module->state(), options())) state.SkipWithError("refused");
    const Costs costs(state);
    for (auto _ : state) {
        Writer unused;
        Writer& writer = fresh ? unused : used;
        if (!writer.rebuild(module->state(), options())) state.SkipWithError("refused");
    }
    state.counters["per_byte"] = benchmark::Counter(
        static_cast<double>(input.bytes.size()),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

void register_rebuild_cases() {
    for (const Input& input : inputs()) {
        add_case("rebuild, warm", input,
                 [](auto& state, const Input& file) { rebuild(state, file, false); });
        add_case("rebuild, cold", input,
                 [](auto& state, const Input& file) { rebuild(state, file, true); });
    }
}

}  // namespace clrkit::bench
