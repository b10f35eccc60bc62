#!/usr/bin/env bash
# Edits a copy of a small console program and shows that only what was asked for changed, and that it
# still runs.
. "$(dirname "$0")/common.sh"
need_packages "${build_packages[@]}"
build release clrkit
exec 2>&1 # headings and outputs in the order they come, also into a file

clrkit=$root/build/release/bin/clrkit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root/testdata/bin/hello.exe" "$work/"
cd "$work"

# Shows a command as the reader would type it, then runs it.
show() {
    printf '\n\033[1m$ %s\033[0m\n' "$*"
    if [ "$1" = clrkit ]; then
        "$clrkit" "${@:2}"
    else
        "$@"
    fi
}

show clrkit info hello.exe

say "a save without edits is the same file, byte for byte"
show clrkit rewrite hello.exe -o same.exe
show cmp hello.exe same.exe && echo "identical"

say "one field is edited, the rest stays"
show clrkit set --version 9.9.9.9 hello.exe -o edited.exe
show clrkit info edited.exe
echo
echo "bytes that differ: $(cmp -l hello.exe edited.exe | wc -l) of $(stat -c %s hello.exe)"

say "everything is decoded, encoded again and laid out anew"
show clrkit rewrite --rebuild edited.exe -o rebuilt.exe
ls -l -- *.exe | awk '{printf "%7d  %s\n", $5, $NF}'

if command -v mono >/dev/null; then
    say "and it runs"
    show mono rebuilt.exe
elif command -v dotnet >/dev/null && [ -f "$root/testdata/bin/net.runtimeconfig.json" ]; then
    say "a twin for .NET, through the same edits, runs"
    cp "$root/testdata/bin/hello-net.dll" .
    show clrkit set --version 9.9.9.9 hello-net.dll -o edited.dll
    show clrkit rewrite --rebuild edited.dll -o rebuilt.dll
    show dotnet exec --runtimeconfig "$root/testdata/bin/net.runtimeconfig.json" rebuilt.dll
else
    say "neither mono nor dotnet is here to run the result"
fi
