#!/usr/bin/env bash
# ./dev bench [FILTER]: benchmarks whose name matches the regular expression.
. "$(dirname "$0")/common.sh"
need_packages "${build_packages[@]}"
build release clrkit_bench
exec "$root/build/release/bin/clrkit_bench" --benchmark_filter="${1:-.}" "${@:2}"
