#!/usr/bin/env python3
"""Compiles sources of the product singly, by clang-tidy or by the compiler.

usage: tidy.py [--all | --most=N] ROOT BUILD CLANG_TIDY
       tidy.py [--all | --most=N] --syntax ROOT BUILD

A build with CMAKE_UNITY_BUILD compiles several files as one, where a file may use an include of
another. --syntax compiles each by itself, as far as its syntax tree.

Without --all, the files are those that differ from the merge base of HEAD and origin/main.
HEAD's parent stands for it where they are the same, or where there is no origin; without a
parent every file counts. clang-tidy takes some 10 seconds for a file, so at most N (MAX_FILES)
are looked at: the ones that HEAD's hash draws.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

MAX_FILES = 24
TOPS = ("dialects/", "lib/", "passes/", "tools/")


def git(root, *arguments):
    """The lines that git prints, or None if it fails."""
    run = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
    return run.stdout.splitlines() if run.returncode == 0 else None


def members(path):
    """The files that a file of a unity build includes, or the file itself."""
    if "/Unity/unity_" not in path:
        return [path]
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^#include "(.*)"$', file.read(), re.MULTILINE)


def compiled(root, build):
    """The flags of the product's sources, by their paths relative to `root`."""
    flags = {}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            words = shlex.split(entry["command"])
            for path in members(entry["file"]):
                path = os.path.relpath(path, root)
                if path.startswith(TOPS) and path.endswith(".cpp"):
                    flags[path] = words[: words.index("-o")]
    return flags


def changed(root):
    """The paths that differ from the merge base; None without a repository or a parent."""
    head = git(root, "rev-parse", "HEAD")
    base = git(root, "merge-base", "HEAD", "origin/main")
    if not base or base == head:
        base = git(root, "rev-parse", "HEAD~1")
    return git(root, "diff", "--name-only", base[0], "--") if base else None


def drawn(root, paths, most):
    head = (git(root, "rev-parse", "HEAD") or [""])[0]
    paths = sorted(paths, key=lambda path: hashlib.sha256((head + path).encode()).digest())
    return sorted(paths[:most])


def main(arguments):
    switches = {argument for argument in arguments if re.fullmatch(r"--all|--syntax|--most=\d+", argument)}
    most = next((int(switch[len("--most=") :]) for switch in switches if switch.startswith("--most=")), MAX_FILES)
    arguments = [argument for argument in arguments if argument not in switches]
    if len(arguments) != (2 if "--syntax" in switches else 3):
        sys.exit(__doc__)
    root, build = (os.path.abspath(argument) for argument in arguments[:2])
    flags = compiled(root, build)
    differ = None if "--all" in switches else changed(root)
    paths = sorted(flags if differ is None else set(flags) & set(differ))
    chosen = paths if "--all" in switches else drawn(root, paths, most)

    def check(path):
        source = os.path.join(root, path)
        # A launcher, such as a compiler cache, may stand before the compiler.
        words = flags[path][next(at for at, word in enumerate(flags[path]) if "clang" in word) :]
        if "--syntax" in switches:
            command = words + ["-fsyntax-only", source]
        else:
            command = [arguments[2], "--quiet", "--warnings-as-errors=*", source, "--"] + words[1:]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=build)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, run in zip(chosen, pool.map(check, chosen)):
            if run.returncode:
                failed += 1
                print(f"{path}:\n{run.stdout}{run.stderr}")
    print(f"{len(chosen)} of {len(paths)} files, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
