#!/usr/bin/env bash
# ./dev fuzz [SECONDS] [TARGET]: each fuzz target for SECONDS, as many at a time as there are cores.
# Starts from the stored seeds, and targets that read images from testdata/bin and the folder that
# CLRKIT_CORPUS names, if it does, as well.
# New inputs are kept in build/fuzz/corpus, crashes in build/fuzz/artifacts.
. "$(dirname "$0")/common.sh"
need_packages "${build_packages[@]}" "${clang_packages[@]}"

seconds=${1:-60}
only=${2:-}
build fuzz fuzz_targets
cd "$root/build/fuzz"

mapfile -t targets < <(find bin -maxdepth 1 -type f -name "fuzz_${only:-*}" -printf '%f\n' | sort)
if [ ${#targets[@]} -eq 0 ]; then
    [ -z "$only" ] || die "no fuzz target '$only' in tests/fuzz"
    say "no fuzz targets yet"
    exit 0
fi

run_one() {
    local name=${1#fuzz_} folder
    local kept=corpus/$name seeds=() images=("$root/testdata/bin" "${CLRKIT_CORPUS:-}")
    [[ $name != blobs && $name != bodies ]] || images=()  # they read no images
    mkdir -p "$kept" artifacts
    for folder in "$root/tests/fuzz/corpus/$name" "${images[@]}"; do
        [ ! -d "$folder" ] || seeds+=("$folder")
    done
    if "bin/$1" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="artifacts/$name-" "$kept" "${seeds[@]}" >"$name.log" 2>&1; then
        echo "$name: $(grep -o 'number_of_executed_units: .*' "$name.log")"
    else
        tail -n 40 "$name.log"
        echo "$name: FAILED; see build/fuzz/$name.log and build/fuzz/artifacts"
        return 1
    fi
}
export -f run_one
export root seconds

say "fuzzing ${#targets[@]} targets, $seconds s each"
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'run_one {}'
