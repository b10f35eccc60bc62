# Sourced by every verb: packages, configuring, building. Sets $root; does not change the folder,
# because a verb may be given relative paths.
# shellcheck shell=bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(
    g++ cmake ninja-build ccache pkg-config
    zlib1g-dev libssl-dev libspdlog-dev libfmt-dev libcli11-dev rapidjson-dev liblief-dev
    catch2 nlohmann-json3-dev libbenchmark-dev
)
clang_packages=(clang-19 libclang-rt-19-dev)

say() {
    printf '\033[1m== %s\033[0m\n' "$*" >&2
}

die() {
    echo "dev: $*" >&2
    exit 2
}

# Installs what is missing of the named packages; the network is touched only then.
need_packages() {
    command -v dpkg-query >/dev/null || return 0 # not Debian: CMake will name what it does not find
    local missing=() package sudo=()
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    say "installing ${missing[*]}"
    "${sudo[@]}" apt-get update -q
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# configure PRESET: once; afterwards Ninja notices changed CMake files itself, but not the presets.
configure() {
    local dir=$root/build/$1
    if [ ! -f "$dir/build.ninja" ] || [ "$root/CMakePresets.json" -nt "$dir/build.ninja" ]; then
        say "configuring build/$1"
        mkdir -p "$dir"
        (cd "$root" && cmake --preset "$1") >"$dir/configure.log" 2>&1 ||
            { cat "$dir/configure.log" >&2; return 1; }
    fi
}

# build PRESET [TARGET...]
build() {
    local preset=$1
    shift
    configure "$preset"
    say "building build/$preset"
    cmake --build "$root/build/$preset" -- "$@" >&2
}

# Clang looks for its own symbolizer, which comes with a large package; what is there does as well.
ASAN_SYMBOLIZER_PATH=${ASAN_SYMBOLIZER_PATH:-$(command -v llvm-symbolizer-19 llvm-symbolizer addr2line | head -n 1 || true)}
export ASAN_SYMBOLIZER_PATH
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
