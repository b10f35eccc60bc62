#!/usr/bin/env python3
"""Which room may include which (docs/architecture.md): cli -> dotnet -> core, and the order in dotnet.

Also the small rules that an include line shows: one spelling, no heavy standard header in a public
header, third-party headers only where they belong.
"""

import pathlib
import re
import subprocess
import sys

# A room of dotnet may include itself and what stands to the right of it.
DOTNET_ORDER = ["transforms", "verify", "model", "write", "module", "cil", "attributes",
                "signatures", "metadata"]
# These stand beside model and write.
BESIDE = {
    "dis": {"model", "write", "module", "cil", "attributes", "signatures", "metadata"},
    "resources": {"module", "cil", "attributes", "signatures", "metadata"},
    "symbols": {"module", "cil", "attributes", "signatures", "metadata"},
    "strong_name": {"metadata"},
}
MAY_USE_BESIDE = {
    "transforms": set(BESIDE),
    "verify": set(BESIDE) - {"dis"},
    "model": set(BESIDE) - {"dis"},
    "write": set(BESIDE) - {"dis"},
    "module": {"strong_name"},
    "cil": {"strong_name"},
    "attributes": {"strong_name"},
}

HEAVY = {"iostream", "regex", "filesystem", "functional"}

# Prefix of a third-party header -> folders that may include it.
THIRD_PARTY = {
    "openssl/": ("dotnet/strong_name/",),
    "zlib.h": ("dotnet/",),
    "LIEF/": ("core/native/",),
    "CLI/": ("cli/",),
    "rapidjson/": ("cli/", "core/native/"),
    "spdlog/": ("cli/", "core/native/", "bench/"),
    "fmt/": ("cli/", "core/native/", "bench/", "tests/"),
    "nlohmann/": ("cli/", "core/native/", "tests/"),
    "catch2/": ("tests/",),
    "benchmark/": ("bench/",),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def allowed_rooms(room):
    """The rooms of dotnet that a file of this one may include; None when the room is not known."""
    if room in BESIDE:
        return BESIDE[room] | {room}
    if room in DOTNET_ORDER:
        return set(DOTNET_ORDER[DOTNET_ORDER.index(room):]) | MAY_USE_BESIDE.get(room, set())
    return None


def fault(path, quoted, target):
    """Why `path` may not include `target`; None when it may."""
    area = path.parts[0]
    for prefix, folders in THIRD_PARTY.items():
        if target.startswith(prefix) and not str(path).startswith(folders):
            return f"{prefix.rstrip('/')} belongs to {', '.join(folders)}"
    if area not in ("core", "dotnet"):
        return None
    if quoted:
        return "write <clrkit/...>, the one spelling"
    if path.suffix == ".h" and target in HEAVY:
        return "too heavy for a header of the library"
    parts = target.split("/")
    if parts[0] != "clrkit":
        return None
    if parts[1] not in ("core", "dotnet"):
        return "no such area"
    if area == "core":
        return None if parts[1] == "core" else "core knows nothing of dotnet"
    room = path.parts[1] if len(path.parts) > 2 else None
    if parts[1] != "dotnet" or room is None:
        return None
    allowed = allowed_rooms(room)
    if allowed is None:
        return f"room dotnet/{room} is missing in scripts/include_arrows.py"
    if len(parts) > 3 and parts[2] not in allowed:
        return f"{room} may not include {parts[2]}"
    return None


def main():
    listed = subprocess.run(["git", "ls-files", "*.cpp", "*.h"], check=True, text=True,
                            capture_output=True).stdout.split("\n")
    faults = 0
    for name in filter(None, listed):
        path = pathlib.Path(name)
        if not path.exists():
            continue
        text = path.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            why = fault(path, match[1] == '"', match[2])
            if why:
                line = text.count("\n", 0, match.start(2)) + 1
                print(f"{name}:{line}: includes {match[2]}: {why}")
                faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
