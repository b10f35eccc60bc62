#!/usr/bin/env python3
"""clang-tidy over compile_commands.json, in parallel, skipping what has not changed since it passed.

A stamp is the hash of all that decides the outcome: the source, every header of ours it reaches, its
compile command, and the configuration files. usage: tidy.py BUILD_FOLDER [FILE...]
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-19"
INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


class Hashes:
    """Contents and includes of our own files, read once."""

    def __init__(self):
        self.files = {}

    def look(self, path):
        if path not in self.files:
            text = path.read_bytes()
            reached = [self.find(path, name.decode()) for name in INCLUDE.findall(text)]
            self.files[path] = (hashlib.sha256(text).digest(), [p for p in reached if p])
        return self.files[path]

    def find(self, includer, name):
        """The file of this tree that the include names; None for everybody else's."""
        if name.startswith("clrkit/"):
            name = name.removeprefix("clrkit/")
            places = [ROOT]
        else:
            places = [includer.parent, ROOT / "tests", ROOT / "cli", ROOT / "bench"]
        for place in places:
            path = (place / name).resolve()
            if path.is_file() and path.is_relative_to(ROOT):
                return path
        return None

    def closure(self, path):
        seen, todo = set(), [path]
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                todo += self.look(at)[1]
        return sorted((str(p), self.look(p)[0]) for p in seen)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = {pathlib.Path(name).resolve() for name in sys.argv[2:]}
    stamps = build / "tidy"
    stamps.mkdir(parents=True, exist_ok=True)

    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    setup = hashlib.sha256(version)
    for config in sorted(ROOT.glob("**/.clang-tidy")):
        setup.update(config.read_bytes())

    hashes = Hashes()
    todo = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        if path.is_relative_to(build) or (wanted and path not in wanted):
            continue
        key = setup.copy()
        key.update(repr((entry["command"], hashes.closure(path))).encode())
        stamp = stamps / key.hexdigest()
        if not stamp.exists():
            todo.append((path, stamp))

    # The longest first, so that the last one running is short.
    todo.sort(key=lambda item: -item[0].stat().st_size)

    def check(item):
        path, stamp = item
        done = subprocess.run([TIDY, "-p", str(build), "--quiet", str(path)], text=True,
                              capture_output=True)
        if done.returncode == 0:
            stamp.touch()
        return path, done

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, done in pool.map(check, todo):
            if done.returncode != 0:
                failed += 1
                print(f"-- {path.relative_to(ROOT)}")
                print(done.stdout or done.stderr, flush=True)
    print(f"clang-tidy: {len(todo)} files checked, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
