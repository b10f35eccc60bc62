#!/usr/bin/env bash
# Builds everything and runs the tests. Ends with what could not run here and why, then ctest's verdict.
. "$(dirname "$0")/common.sh"

preset=release
if [ "${1:-}" = --preset ]; then
    preset=${2:?a preset: release, debug or asan}
    shift 2
fi
need_packages "${build_packages[@]}" mono-devel mono-utils
[ "$preset" != asan ] || need_packages "${clang_packages[@]}"
build "$preset"
"$root/scripts/judge.sh" --build # does nothing without the .NET SDK; tests say what they skip

dir=$root/build/$preset
log=$dir/test.log
status=0
case ${1:--} in
    -*) # everything, or what ctest is told to pick
        ctest --test-dir "$dir" --output-on-failure -j 2 "$@" 2>&1 | tee "$log" || status=$?
        # ctest shows only failed tests' output; the skips are in what it kept.
        skips=$(grep -h '^SKIPPED: ' "$dir/Testing/Temporary/LastTest.log" || true)
        verdict=$(grep -E 'tests? passed, .* failed out of|No tests were found' "$log" || true)
        ;;
    *)
        "$dir/bin/clrkit_tests" -w NoTests "$@" 2>&1 | tee "$log" || status=$?
        skips=$(grep '^SKIPPED: ' "$log" || true)
        verdict=$(grep -E '^(All tests passed|test cases:)' "$log" || true)
        ;;
esac

if [ -n "$skips" ]; then
    say "skipped here: $(wc -l <<<"$skips")" 2>&1
    sed 's/^SKIPPED: /  /' <<<"$skips" | sort
else
    say "nothing was skipped" 2>&1
fi
echo "$verdict"
exit "$status"
