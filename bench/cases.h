// Registering cases: one benchmark for each case and input, named "case/input,size".
#pragma once

#include "inputs.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

namespace clrkit::bench {

inline double least(const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
}

template <class Run>
benchmark::internal::Benchmark* add_case(const std::string& name, const Input& input, Run run) {
    // The least of several repetitions says more than their mean where other programs run too.
    return benchmark::RegisterBenchmark(
               (name + "/" + input.name).c_str(),
               [run, &input](benchmark::State& state) { run(state, input); })
        ->ComputeStatistics("min", least);
}

void register_body_cases();
void register_context_cases();
void register_known_cases();
void register_buffer_cases();
void register_open_cases();
void register_save_cases();
void register_rebuild_cases();

}  // namespace clrkit::bench
