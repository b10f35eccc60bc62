#!/usr/bin/env bash
# Runs the programs of programs.txt and compares what they print with expected/NAME.txt.
#
#   run.sh [--update] [PATTERN...]      PATTERN is a shell pattern of file names, e.g. 'eh*'
#   BIN=folder run.sh ...               runs rewritten copies: programs there, in bin's layout
#
# --update writes the expected output instead (by the first runtime of the program).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export LC_ALL=C.UTF-8 DOTNET_TieredPGO=0
bin=${BIN:-bin}
update=0
[[ ${1-} == --update ]] && { update=1; shift; }

run() {   # RUNTIME FILE
    case $1 in
        mono) mono "$bin/$2" ;;
        dotnet) dotnet exec --runtimeconfig bin/net.runtimeconfig.json "$bin/$2" ;;
    esac < /dev/null 2> /dev/null
}

status=0 count=0
while IFS=$'\t' read -r file runtime _; do
    [[ $file == \#* || -z $file || $runtime == none ]] && continue
    if (( $# )); then
        match=0
        # shellcheck disable=SC2053
        for pattern in "$@"; do [[ $file == $pattern ]] && match=1; done
        (( match )) || continue
    fi
    [[ $runtime == both ]] && runtimes="dotnet mono" || runtimes=$runtime
    expected=expected/${file%.*}.txt
    if (( update )); then
        mkdir -p "$(dirname "$expected")"
        run "${runtimes%% *}" "$file" > "$expected" || { echo "FAIL $file: exit code"; status=1; }
    fi
    for each in $runtimes; do
        count=$((count + 1))
        run "$each" "$file" | cmp -s - "$expected" || { echo "FAIL $file on $each"; status=1; }
    done
done < programs.txt
echo "$count runs"
exit $status
