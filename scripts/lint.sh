#!/usr/bin/env bash
# Format, include arrows, every public header compiled alone, clang-tidy. All are run; one failure
# fails. --fix formats in place instead.
. "$(dirname "$0")/common.sh"
need_packages "${build_packages[@]}" "${clang_packages[@]}" clang-format-19 clang-tidy-19 python3
cd "$root"
status=0

if [ "${1:-}" = --fix ]; then
    git ls-files -z '*.cpp' '*.h' | xargs -0r clang-format-19 -i
    exit
fi

say "format"
unformatted=$(git ls-files -z '*.cpp' '*.h' | xargs -0r clang-format-19 --dry-run --Werror 2>&1 |
    sed -nE 's/^([^: ]+):[0-9]+:.*/\1/p' | sort -u) || true
if [ -n "$unformatted" ]; then
    printf 'not formatted (./dev lint --fix does it):\n%s\n' "$unformatted"
    status=1
fi

say "include arrows"
python3 scripts/include_arrows.py || status=1

build lint all_verify_interface_header_sets || status=1

say "clang-tidy"
python3 scripts/tidy.py build/lint || status=1

[ "$status" -eq 0 ] && say "lint: clean" || say "lint: failed"
exit "$status"
