// Opening, and looking at what was opened.
#include "cases.h"
#include "inputs.h"
#include "measure.h"

#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/module/coverage.h>

#include <cstdint>
#include <string>

namespace clrkit::bench {
namespace {

constexpr std::uint32_t looked_up_method = 1000;

void open_from_memory(benchmark::State& state, const Input& input) {
    const Costs costs(state);
    for (auto _ : state) {
        auto module = Module::from_bytes(input.bytes);
        benchmark::DoNotOptimize(module);
    }
}

void open_from_file(benchmark::State& state, const Input& input, InputPolicy policy) {
    OpenOptions options;
    options.input = policy;
    const Costs costs(state);
    for (auto _ : state) {
        auto module = Module::open(input.path, options);
        benchmark::DoNotOptimize(module);
    }
}

/// Sizes, so that every name is read to its end.
std::uint64_t walk_names(const Module& module) {
    std::uint64_t total = 0;
    for (const TypeDef type : module.types()) {
        total += type.name().size() + type.name_space().size();
        for (const MethodDef method : type.methods()) total += method.name().size();
    }
    return total;
}

void walk(benchmark::State& state, const Input& input) {
    const auto module = Module::from_bytes(input.bytes);
    const Costs costs(state);
    for (auto _ : state) benchmark::DoNotOptimize(walk_names(*module));
    state.counters["names"] =
        module->types().size() * 2.0 + static_cast<double>(module->methods().size());
}

void look_up_in_memory(benchmark::State& state, const Input& input) {
    const Costs costs(state);
    for (auto _ : state) {
        const auto module = Module::from_bytes(input.bytes);
        benchmark::DoNotOptimize(module->method(looked_up_method).name().size());
    }
}

void look_up_in_file(benchmark::State& state, const Input& input, InputPolicy policy) {
    OpenOptions options;
    options.input = policy;
    const Costs costs(state);
    for (auto _ : state) {
        const auto module = Module::open(input.path, options);
        benchmark::DoNotOptimize(module->method(looked_up_method).name().size());
    }
}

void compute_coverage(benchmark::State& state, const Input& input) {
    const auto module = Module::from_bytes(input.bytes);
    const Costs costs(state);
    for (auto _ : state) {
        const auto coverage = cover(module->state()).value();
        benchmark::DoNotOptimize(coverage.claims.data());
    }
    state.counters["claims"] = static_cast<double>(cover(module->state()).value().claims.size());
}

}  // namespace

void register_open_cases() {
    for (const Input& input : inputs()) {
        add_case("open from memory", input, open_from_memory);
        add_case("open from file, read", input, [](auto& state, const Input& file) {
            open_from_file(state, file, InputPolicy::read);
        });
        add_case("open from file, mapped", input, [](auto& state, const Input& file) {
            open_from_file(state, file, InputPolicy::map);
        });
        add_case("walk all type and method names", input, walk);
        add_case("coverage", input, compute_coverage);
        if (Module::from_bytes(input.bytes)->methods().size() < looked_up_method) {
            skip("method 1,000/" + input.name, "it has fewer methods");
            continue;
        }
        add_case("open from memory, name of method 1,000", input, look_up_in_memory);
        add_case(
            "open from file (mapped), name of method 1,000", input,
            [](auto& state, const Input& file) { look_up_in_file(state, file, InputPolicy::map); });
        add_case("open from file (read), name of method 1,000", input,
                 [](auto& state, const Input& file) {
                     look_up_in_file(state, file, InputPolicy::read);
                 });
    }
}

}  // namespace clrkit::bench
