#!/usr/bin/env bash
# ./dev judge BEFORE AFTER [OPTIONS]: do two assemblies mean the same? Asks a program that shares no
# code with clrkit (tests/judge). ./dev judge print|compare-list|selftest|blind ... reaches its verbs,
# ./dev judge --build only builds it. Without the .NET SDK monodis is asked, which sees less.
. "$(dirname "$0")/common.sh"

judge=$root/build/judge/judge.dll

newest() { printf '%s\n' "$@" | sort -V | tail -n 1; }

# The SDK's compiler, empty when there is none.
compiler() {
    command -v dotnet >/dev/null || return 0
    local dotnet_root csc
    dotnet_root=$(dirname "$(readlink -f "$(command -v dotnet)")")
    csc=$(newest "$dotnet_root"/sdk/*/Roslyn/bincore/csc.dll)
    [ ! -f "$csc" ] || echo "$csc"
}

# build_judge CSC: the compiler alone, because `dotnet build` takes several times as long and asks
# the network.
build_judge() {
    local csc=$1 dotnet_root framework references version
    local sources=("$root"/tests/judge/*.cs) changed=yes
    # The folder is newer when a file was removed.
    [ ! -f "$judge" ] || changed=$(find "${sources[@]}" "$root"/{tests/judge,scripts/judge.sh} \
        -maxdepth 0 -newer "$judge" -print -quit)
    [ -n "$changed" ] || return 0
    dotnet_root=${csc%/sdk/*}
    framework=$(newest "$dotnet_root"/shared/Microsoft.NETCore.App/*)
    version=${framework##*/}
    references=$(newest "$dotnet_root"/packs/Microsoft.NETCore.App.Ref/*/ref/net"${version%%.*}".0)
    [ -d "$references" ] || references=$framework
    say "building build/judge"
    mkdir -p "$root/build/judge"
    cat >"$root/build/judge/judge.runtimeconfig.json" <<END
{
  "runtimeOptions": {
    "framework": { "name": "Microsoft.NETCore.App", "version": "$version" },
    "configProperties": {
      "System.GC.Concurrent": false,
      "System.GC.ConserveMemory": 5,
      "System.Globalization.Invariant": true
    }
  }
}
END
    # Another build may run at the same time: each writes a file of its own and moves it in place.
    printf -- '-r:"%s"\n' "$references"/*.dll >"$judge.$$.rsp"
    dotnet exec "$csc" -noconfig -nologo -utf8output -langversion:latest -nullable:enable -unsafe+ \
        -optimize+ -deterministic+ -debug:embedded -pathmap:"$root"=/ -warnaserror+ \
        -target:exe -out:"$judge.$$" "@$judge.$$.rsp" "${sources[@]}" >&2
    rm "$judge.$$.rsp"
    mv "$judge.$$" "$judge"
}

# What monodis says of a file, without addresses and the module id.
disassembly() {
    monodis "$1" 2>&1 | sed -E '/^ *\/\/ (Method begins at RVA|method line) /d
        s/ \/\/ GUID = \{.*\}$//
        s/ at D_[0-9a-f]+/ at D_/
        s/^\.data D_[0-9a-f]+/.data D_/'
}

compare_by_monodis() {
    [ $# -ge 2 ] && [ -f "$1" ] && [ -f "$2" ] ||
        die "usage: ./dev judge BEFORE AFTER; other verbs of the judge need the .NET SDK"
    command -v monodis >/dev/null || die "judging needs the .NET SDK, or monodis"
    say "no .NET SDK here: comparing by monodis, the weaker judge: nothing of the PE file, Win32" \
        "resources, field data, PDB; options are not heeded"
    [ "$(head -c 2 "$1")" = MZ ] || { echo "refused: $1 is not a PE file" >&2; exit 3; }
    local differences status=0
    differences=$(diff -U 2 --label "$1" --label "$2" \
        <(disassembly "$1") <(disassembly "$2")) || status=$?
    [ -z "$differences" ] || head -n 60 <<<"$differences"
    return "$status"
}

csc=$(compiler)
if [ -z "$csc" ]; then
    [ "${1:-}" != --build ] || exit 0
    [ "${1:-}" != compare ] || shift
    status=0
    compare_by_monodis "$@" || status=$?
    exit "$status"
fi
build_judge "$csc"
case ${1:-help} in
    --build) ;;
    print | compare | compare-list | selftest | blind | help | --help | -h)
        exec dotnet exec "$judge" "${@:-help}"
        ;;
    *) exec dotnet exec "$judge" compare "$@" ;;
esac
