#!/usr/bin/env bash
# ./dev sweep VERB-ARGS... -- FOLDER...: runs `clrkit VERB-ARGS FILE` over every assembly of the folders
# and counts exit codes and reasons. {} in the arguments stands for the file (else it comes last), {out}
# for a temporary output. Fails when something crashed or hung; refusals are only counted.
#   ./dev sweep info -- /usr/lib/mono        ./dev sweep rewrite --rebuild {} -o {out} -- /usr/lib/mono
. "$(dirname "$0")/common.sh"

args=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    args+=("$1")
    shift
done
[ $# -ge 2 ] && [ ${#args[@]} -gt 0 ] || die "usage: ./dev sweep VERB-ARGS... -- FOLDER..."
shift
[[ " ${args[*]} " == *" {} "* ]] || args+=("{}")

need_packages "${build_packages[@]}"
build release clrkit

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export work clrkit=$root/build/release/bin/clrkit

# run_one ARGS... FILE prints one line: exit code, tab, reason (numbers and names taken out, so that equal ones add
# up), tab, file.
run_one() {
    local file=${!#} out=$work/$BASHPID.out err=$work/$BASHPID.err code=0 arg reason
    local command=()
    for arg in "${@:1:$#-1}"; do
        arg=${arg//'{out}'/$out}
        command+=("${arg//'{}'/$file}")
    done
    # The outer redirection is for the shell's own word on a crash, which the table repeats.
    { timeout -k 5 60 "$clrkit" "${command[@]}" >/dev/null 2>"$err"; } 2>/dev/null || code=$?
    reason=$(grep -m1 -vE '^(hint:|$)' "$err" || true)
    reason=${reason//"$file"/FILE}
    reason=${reason//"$(basename "$file")"/FILE}
    reason=$(sed -E 's/0x[0-9A-Fa-f]+/N/g; s/[0-9]+/N/g' <<<"$reason" | tr -d '\000\t')
    printf '%s\t%s\t%s\n' "$code" "${reason:0:160}" "$file"
    rm -f "$out" "$err"
}
export -f run_one

find "$@" -type f \( -iname '*.dll' -o -iname '*.exe' -o -iname '*.winmd' -o -iname '*.netmodule' \) \
    -print0 >"$work/files"
xargs -0 -r -n 1 -P "$(nproc)" bash -c 'run_one "$@"' _ "${args[@]}" \
    <"$work/files" >"$work/results"

say "$(wc -l <"$work/results") files"
echo "exit code  files"
cut -f1 "$work/results" | sort -n | uniq -c | awk '{printf "%9d  %d\n", $2, $1}'
if awk -F'\t' '$1 != 0' "$work/results" | grep -q .; then
    echo "reasons"
    awk -F'\t' '$1 != 0 {print $1 "\t" $2}' "$work/results" | sort | uniq -c | sort -rn | head -40
fi
if awk -F'\t' '$1 >= 124' "$work/results" | grep -q .; then
    echo "crashed or hung"
    awk -F'\t' '$1 >= 124 {print "  " $1 "  " $3}' "$work/results"
    exit 1
fi
