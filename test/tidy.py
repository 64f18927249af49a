#!/usr/bin/env python3
"""Runs clang-tidy over sources of the product.

usage: tidy.py ROOT BUILD CLANG_TIDY          the files that differ from the merge base
       tidy.py --all ROOT BUILD CLANG_TIDY    every file

The merge base is that of HEAD and origin/main. HEAD's parent stands for it where they are the
same, or where there is no origin.
A file takes some 8 seconds, so at most MAX_FILES of the files that differ are looked at:
the ones that HEAD's hash draws.
"""

import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys

MAX_FILES = 24
TOPS = ("dialects/", "lib/", "passes/", "tools/")


def git(root, *arguments):
    """The lines that git prints, or None if it fails."""
    run = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
    return run.stdout.splitlines() if run.returncode == 0 else None


def compiled(root, build):
    """The product's sources in the compilation database, relative to `root`."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        paths = {os.path.relpath(command["file"], root) for command in json.load(file)}
    return sorted(path for path in paths if path.startswith(TOPS) and path.endswith(".cpp"))


def changed(root):
    """The paths that differ from the merge base; None without a repository or a parent."""
    head = git(root, "rev-parse", "HEAD")
    base = git(root, "merge-base", "HEAD", "origin/main")
    if not base or base == head:
        base = git(root, "rev-parse", "HEAD~1")
    return git(root, "diff", "--name-only", base[0], "--") if base else None


def drawn(root, paths):
    head = (git(root, "rev-parse", "HEAD") or [""])[0]
    paths = sorted(paths, key=lambda path: hashlib.sha256((head + path).encode()).digest())
    return sorted(paths[:MAX_FILES])


def main(arguments):
    every = "--all" in arguments
    arguments = [argument for argument in arguments if argument != "--all"]
    if len(arguments) != 3:
        sys.exit(__doc__)
    root, build, tidy = arguments
    known = compiled(root, build)
    paths = known
    if not every:
        differ = changed(root)
        if differ is None:
            sys.exit("expected a git repository with a parent of HEAD, but got none; use --all")
        paths = [path for path in known if path in set(differ)]
    chosen = paths if every else drawn(root, paths)

    def check(path):
        command = [tidy, "-p", build, "--quiet", "--warnings-as-errors=*", os.path.join(root, path)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, run in zip(chosen, pool.map(check, chosen)):
            if run.returncode:
                failed += 1
                print(f"{path}:\n{run.stdout}{run.stderr}")
    print(f"tidy: {len(chosen)} of {len(paths)} files, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
