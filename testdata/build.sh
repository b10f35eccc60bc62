#!/usr/bin/env bash
# Compiles testdata/src into testdata/bin.
#
#   build.sh [--force] [PATTERN...]     PATTERN is a shell pattern of output names, e.g. 'eh*'
#
# csc, crossgen2 and (nearly always) ilasm are deterministic: their outputs are built every time and replaced when
# they differ. mcs and mono's ilasm write the time and a random module id: their outputs are built
# only when absent, or with --force. Needs mono-devel (mcs, resgen, sn, al, ilasm), the .NET 10 SDK, and
# NuGet for two tools that are kept in ${XDG_CACHE_HOME:-~/.cache}/clrkit.
set -euo pipefail
shopt -s extglob
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$PWD
export LC_ALL=C.UTF-8 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

tool_version=10.0.12
force=0
patterns=()
for arg in "$@"; do
    case $arg in
        --force) force=1 ;;
        -*) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
        *) patterns+=("$arg") ;;
    esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p bin/de bin/pt-BR bin/composite keys "$work/de" "$work/pt-BR"

# --- tools -------------------------------------------------------------------------------------

newest() { printf '%s\n' "$@" | sort -V | tail -1; }
dotnet_root=$(dirname "$(readlink -f "$(command -v dotnet)")")
csc=$(newest "$dotnet_root"/sdk/10.*/Roslyn/bincore/csc.dll)
ref=$(newest "$dotnet_root"/packs/Microsoft.NETCore.App.Ref/10.*/ref/net10.0)
framework=$(newest "$dotnet_root"/shared/Microsoft.NETCore.App/10.*)

packages=${XDG_CACHE_HOME:-$HOME/.cache}/clrkit/packages
package() { echo "$packages/$1/$tool_version"; }
ilasm=$(package runtime.linux-x64.microsoft.netcore.ilasm)/runtimes/linux-x64/native/ilasm
crossgen=$(package microsoft.netcore.app.crossgen2.linux-x64)/tools/crossgen2

if [[ ! -e $ilasm || ! -e $crossgen ]]; then
    mkdir -p "$work/fetch"
    cat > "$work/fetch/fetch.csproj" <<END
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>
  <ItemGroup>
    <PackageDownload Include="runtime.linux-x64.Microsoft.NETCore.ILAsm" Version="[$tool_version]" />
    <PackageDownload Include="Microsoft.NETCore.App.Crossgen2.linux-x64" Version="[$tool_version]" />
  </ItemGroup>
</Project>
END
    dotnet restore "$work/fetch/fetch.csproj" --packages "$packages" -v quiet
    chmod +x "$ilasm" "$crossgen"
fi
printf -- '-r:%s\n' "$ref"/*.dll > "$work/net.rsp"

# --- one function a compiler -------------------------------------------------------------------

wanted() {
    (( ${#patterns[@]} )) || return 0
    local p
    for p in "${patterns[@]}"; do
        # shellcheck disable=SC2053
        [[ $1 == $p ]] && return 0
    done
    return 1
}

keep() {   # the output of a compiler that is not reproducible stays unless --force
    wanted "$1" && { (( force )) || [[ ! -e bin/$1 ]]; }
}

install_file() {   # NAME...: from the work folder into bin, when bytes differ
    local name
    for name in "$@"; do
        cmp -s "$work/$name" "bin/$name" && continue
        install -m 644 "$work/$name" "bin/$name"
        [[ $name != hello-bundle ]] || chmod 755 "bin/$name"
        echo "wrote bin/$name"
    done
}

mcs_() {   # NAME OPTION...
    local name=$1; shift
    keep "$name" || return 0
    mcs -nologo -optimize+ -nowarn:67,108,164,169,219,414,618,649,660,661 -out:"$work/$name" "$@"
    install_file "$name"
}

csc_() {   # NAME OPTION...; against the reference assemblies of .NET
    local name=$1; shift
    wanted "$name" || return 0
    dotnet "$csc" -nologo -noconfig -nostdlib -deterministic+ -optimize+ -langversion:latest \
        -define:NET -pathmap:"$root=/_,$work=/_/bin" \
        -nowarn:67,108,169,219,414,612,618,649,660,661,1591,SYSLIB0003,SYSLIB0050,8981 \
        @"$work/net.rsp" -out:"$work/$name" "$@"
    install_file "$name"
}

il_() {   # NAME SOURCE OPTION...
    local name=$1 source=$2; shift 2
    wanted "$name" || return 0
    cp "src/$source" "$work/"
    if ! (cd "$work" && "$ilasm" -nologo -quiet -det -output="$name" "$@" "$source") > "$work/log" 2>&1
    then cat "$work/log"; return 1; fi
    install_file "$name"
}

il_once_() {   # as il_, for what ilasm cannot make twice the same: the stamp of an export directory
    keep "$1" && il_ "$@"
    return 0
}

resgen_() { resgen "$1" "$2" > /dev/null; }

r2r_() {   # NAME INPUT OPTION...
    local name=$1 input=$2; shift 2
    wanted "$name" || return 0
    mkdir -p "$work/r2r"
    "$crossgen" "bin/$input" -o "$work/$name" -r "$framework/*.dll" -O "$@" > "$work/log" 2>&1 ||
        { cat "$work/log"; return 1; }
    install_file "$name"
}

# --- keys: made once ---------------------------------------------------------------------------

[[ -e keys/test.snk ]] || sn -q -k 1024 keys/test.snk
[[ -e keys/test.pub ]] || sn -q -p keys/test.snk keys/test.pub
[[ -e keys/test2048.snk ]] || sn -q -k 2048 keys/test2048.snk
[[ -e keys/test2048.pub ]] || sn -q -p keys/test2048.snk keys/test2048.pub
chmod 644 keys/*

# --- hello, and its variants by platform, signature and layout ---------------------------------

mcs_ hello.exe src/hello.cs
mcs_ hello-x86.exe -platform:x86 src/hello.cs
mcs_ hello-x64.exe -platform:x64 src/hello.cs
mcs_ hello-arm.exe -platform:arm src/hello.cs
mcs_ hello-itanium.exe -platform:itanium src/hello.cs
mcs_ hello-32pref.exe -platform:anycpu32bitpreferred src/hello.cs
mcs_ hello-winexe.exe -target:winexe src/hello.cs
mcs_ hello-sdk2.exe -sdk:2 src/hello.cs 2>/dev/null || echo "no 2.0 profile: hello-sdk2.exe kept"
mcs_ hello-signed.exe -keyfile:keys/test.snk src/hello.cs
mcs_ hello-delaysigned.exe -keyfile:keys/test.pub -delaysign+ src/hello.cs

csc_ hello-net.dll src/hello.cs
csc_ hello-net-x86.dll -platform:x86 src/hello.cs
csc_ hello-net-x64.dll -platform:x64 src/hello.cs
csc_ hello-net-arm64.dll -platform:arm64 src/hello.cs
csc_ hello-net-32pref.exe -platform:anycpu32bitpreferred src/hello.cs
csc_ hello-net-highentropy.dll -highentropyva+ -filealign:4096 -baseaddress:0x20000000 \
    -subsystemversion:6.02 src/hello.cs
csc_ hello-net-nomanifest.exe -nowin32manifest src/hello.cs
csc_ hello-net-signed.dll -keyfile:keys/test.snk src/hello.cs
csc_ hello-net-signed2048.dll -keyfile:keys/test2048.snk src/hello.cs
csc_ hello-net-publicsigned.dll -keyfile:keys/test.pub -publicsign+ src/hello.cs
csc_ hello-net-delaysigned.dll -keyfile:keys/test.pub -delaysign+ src/hello.cs

il_ hello-il.exe hello.il
il_ hello-il-layout.exe hello.il -alignment=4096 -base=0x10000000 -stack=0x200000 -ssver=6.2
il_ hello-il-x64.exe hello.il -pe64 -x64 -highentropyva
il_ hello-il-arm.exe hello.il -arm
il_ hello-il-arm64.exe hello.il -pe64 -arm64
il_ hello-il-nostub.exe hello.il -nocorstub -stripreloc
il_ hello-il-32pref.exe hello.il -32bitpreferred
il_ hello-il-v2.exe hello.il -mdv=v2.0.50727
il_ hello-il-v1.exe hello.il -mdv=v1.1.4322 -msv=1.1
if wanted hello-il-debug.exe; then   # ilasm writes whole paths into debug information
    (
        work=/tmp/clrkit-testdata
        mkdir "$work"
        trap 'rm -rf "$work"' EXIT
        il_ hello-il-debug.exe hello-debug.il -debug -pdb
        install_file hello-il-debug.pdb
    )
fi
il_ hello-publickey.exe hello-publickey.il
if keep hello-mono-il.exe; then
    ilasm /exe /output:"$work/hello-mono-il.exe" src/hello.il > /dev/null
    install_file hello-mono-il.exe
fi

r2r_ hello-r2r-linux-x64.dll hello-net.dll --targetos:linux --targetarch:x64
r2r_ hello-r2r-win-x64.dll hello-net.dll --targetos:windows --targetarch:x64
r2r_ hello-r2r-win-x86.dll hello-net.dll --targetos:windows --targetarch:x86
r2r_ hello-r2r-osx-arm64.dll hello-net.dll --targetos:osx --targetarch:arm64

if wanted hello-bundle; then   # a single-file application that needs the shared framework
    mkdir -p "$work/bundle"
    cp src/hello.cs "$work/bundle/"
    cat > "$work/bundle/hello-bundle.csproj" <<END
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net10.0</TargetFramework>
    <OutputType>Exe</OutputType>
    <RuntimeIdentifier>linux-x64</RuntimeIdentifier>
    <PublishSingleFile>true</PublishSingleFile>
    <SelfContained>false</SelfContained>
    <DebugType>none</DebugType>
  </PropertyGroup>
</Project>
END
    dotnet publish "$work/bundle/hello-bundle.csproj" -o "$work/bundle-out" -v quiet \
        > "$work/log" || { cat "$work/log"; exit 1; }
    mv "$work/bundle-out/hello-bundle" "$work/"
    install_file hello-bundle
fi

# --- programs of one source, by mcs and by csc -------------------------------------------------

for name in generics nested eh field-data pinvoke layout members async constants strings marshal \
            attributes code; do
    mcs_ $name.exe -unsafe src/$name.cs
    csc_ $name-net.dll -unsafe src/$name.cs
done
mcs_ core-library.exe -r:System.Core -r:System.Xml src/core-library.cs
csc_ core-library-net.dll src/core-library.cs
mcs_ varargs.exe src/varargs.cs
mcs_ security.exe src/security.cs
csc_ modern.dll -unsafe src/modern.cs
r2r_ modern-r2r.dll modern.dll --targetos:linux --targetarch:x64
if wanted composite/composite.r2r.dll; then   # two components whose native code is in a third file
    mkdir -p "$work/input" "$work/composite"
    cp bin/hello-net.dll bin/eh-net.dll "$work/input/"
    "$crossgen" "$work/input/*.dll" -o "$work/composite/composite.r2r.dll" --composite \
        -r "$framework/*.dll" -O --targetos:linux --targetarch:x64 > "$work/log" 2>&1 ||
        { cat "$work/log"; exit 1; }
    install_file composite/{composite.r2r,hello-net,eh-net}.dll
fi
csc_ refonly.dll -target:library -refonly src/refonly.cs
csc_ empty.dll -target:library src/empty.cs

# --- programs in IL ----------------------------------------------------------------------------

for name in eh-il attribute-parents signatures varargs-il calli names globals field-rva members-il \
            constants-il opcodes user-strings security-il; do
    il_ $name.exe $name.il
done
il_ pinvoke-il.dll pinvoke-il.il -dll
il_ marshal-il.dll marshal-il.il -dll
il_ windows-runtime.winmd windows-runtime.il -dll -mdv="WindowsRuntime 1.4"
il_once_ native-parts-x86.dll native-parts.il -dll
il_once_ native-parts-x64.dll native-parts.il -dll -pe64 -x64

# --- resources, satellites, Win32 resources ----------------------------------------------------

resgen_ src/strings.txt "$work/strings.resources"
embedded=(-resource:"$work/strings.resources,strings.resources"
          -resource:src/res-short.txt,short -resource:src/res-empty.bin,empty)
mcs_ resources.exe "${embedded[@]}" -resource:src/res-bytes.bin,bytes,private src/resources.cs
csc_ resources-net.dll "${embedded[@]}" -resource:src/res-bytes.bin,bytes,private src/resources.cs

for culture in "" de pt; do
    resgen_ "src/texts${culture:+-$culture}.txt" "$work/texts${culture:+-$culture}.resources"
done
mcs_ satellite.exe -resource:"$work/texts.resources,texts.resources" src/satellite.cs
mcs_ de/satellite.resources.dll -target:library src/satellite-de.cs \
    -resource:"$work/texts-de.resources,texts.de.resources"
mcs_ pt-BR/satellite.resources.dll -target:library src/satellite-pt.cs \
    -resource:"$work/texts-pt.resources,texts.pt-BR.resources"

mcs_ version.exe -win32icon:src/app.ico -resource:bin/hello.exe,inner.exe src/version.cs
csc_ version-net.exe -win32icon:src/app.ico -resource:bin/hello-net.dll,inner.exe src/version.cs

# --- assemblies of several files ---------------------------------------------------------------

cp src/res-short.txt "$work/module-linked.txt"
install_file module-linked.txt
mcs_ module-part.netmodule -target:module src/module-part.cs
mcs_ module-main.exe -addmodule:bin/module-part.netmodule \
    -linkresource:"$work/module-linked.txt,linked" src/module-main.cs
csc_ module-part-net.netmodule -target:module src/module-part.cs
csc_ module-main-net.exe -addmodule:bin/module-part-net.netmodule \
    -linkresource:bin/module-linked.txt,linked src/module-main.cs

if keep forward-app.exe || keep forward-impl.dll || keep forward-facade.dll; then
    force=1 patterns=()
    mkdir "$work/old"
    mcs_ forward-impl.dll -target:library src/forward-impl.cs
    mcs -nologo -target:library -out:"$work/old/forward-facade.dll" src/forward-facade-old.cs
    mcs_ forward-app.exe -r:"$work/old/forward-facade.dll" src/forward-app.cs
    mcs_ forward-facade.dll -target:library -r:bin/forward-impl.dll src/forward-facade.cs
fi

mcs_ merge-a.dll -target:library src/merge-a.cs
mcs_ merge-b.dll -target:library -r:a=bin/merge-a.dll src/merge-b.cs
mcs_ merge-app.exe -r:a=bin/merge-a.dll -r:b=bin/merge-b.dll -r:bin/merge-a.dll -r:bin/merge-b.dll \
    src/merge-app.cs

if keep missing-ref.dll; then
    mcs -nologo -target:library -out:"$work/missing-dep.dll" src/missing-dep.cs
    mcs_ missing-ref.dll -target:library -r:"$work/missing-dep.dll" src/missing-ref.cs
fi

# --- debug information -------------------------------------------------------------------------

debug=(-optimize- -pathmap:"$root=/_,$work=/_/bin")
csc_ symbols.dll "${debug[@]}" -debug:portable -pdb:"$work/symbols.pdb" src/symbols.cs
wanted symbols.dll && install_file symbols.pdb
csc_ symbols-embedded.dll "${debug[@]}" -debug:embedded -embed -sourcelink:src/sourcelink.json \
    src/symbols.cs
csc_ symbols-optimized.dll -debug:portable -pdb:"$work/symbols-optimized.pdb" \
    -sourcelink:src/sourcelink.json src/symbols.cs
wanted symbols-optimized.dll && install_file symbols-optimized.pdb

# --- large ones, from generated source ---------------------------------------------------------

{   # 9,000 different user strings
    echo 'static class Program {'
    echo '  static int count; static uint sum = 2166136261;'
    echo '  static void Add(string s) { count++; foreach (char c in s) sum = unchecked((sum ^ c) * 16777619); }'
    for m in {0..8}; do
        echo "  static void Part$m() {"
        for i in {0..999}; do echo "    Add(\"s$m$i\");"; done
        echo '  }'
    done
    echo '  static void Main() {'
    for m in {0..8}; do echo "    Part$m();"; done
    echo '    System.Console.WriteLine(count + " " + sum.ToString("x8")); } }'
} > "$work/strings-many.cs"
csc_ strings-many.dll "$work/strings-many.cs"

{   # wide heap indexes (#Strings and #Blob past 64 KiB) and wide HasCustomAttribute columns
    echo 'using System; using System.Linq; using System.Reflection;'
    echo 'static class Wide {'
    for i in {1000..3099}; do
        echo "  [Obsolete(\"$i\")] static void A_method_with_a_long_name_$i(int parameter$i) { }"
    done
    echo '  const string Kilo = "'"$(printf '0123456789abcdef%.0s' {1..64})"'";'
    echo '  const string Long = '"$(printf 'Kilo + %.0s' {1..11})"' "end";'
    echo '  const string Longer = Long + Long + "!";'
    echo '  static void Main() {'
    echo '    var all = typeof(Wide).GetMethods(BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.DeclaredOnly);'
    echo '    var named = all.Where(m => m.Name.StartsWith("A_")).ToArray();'
    echo '    Console.WriteLine(named.Length + " " + named.Count(m => m.GetCustomAttribute<ObsoleteAttribute>().Message == m.Name.Substring(26)));'
    echo '    Console.WriteLine(named.Count(m => m.GetParameters()[0].Name == "parameter" + m.Name.Substring(26)));'
    echo '    var field = typeof(Wide).GetField("Longer", BindingFlags.Static | BindingFlags.NonPublic);'
    echo '    Console.WriteLine(((string)field.GetRawConstantValue()).Length); } }'
} > "$work/wide.cs"
csc_ wide.dll "$work/wide.cs"

{   # what every member costs: 10,000 small methods
    echo 'static class ManyMethods {'
    for i in {10000..19999}; do echo "  static int Method$i(int x) { return x + $i; }"; done
    echo '  static void Main() { System.Console.WriteLine(Method10000(1) + Method19999(2)); } }'
} > "$work/many-methods.cs"
csc_ many-methods.dll "$work/many-methods.cs"
