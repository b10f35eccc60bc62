// All cases on all inputs; see bench/README.md for what they mean.
#include "cases.h"

#include <benchmark/benchmark.h>

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    clrkit::bench::register_open_cases();
    clrkit::bench::register_save_cases();
    clrkit::bench::register_rebuild_cases();
    clrkit::bench::register_body_cases();
    clrkit::bench::register_context_cases();
    clrkit::bench::register_known_cases();
    clrkit::bench::register_buffer_cases();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
