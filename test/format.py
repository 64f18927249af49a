#!/usr/bin/env python3
"""Checks the formatting of every C and C++ file, or repairs it.

usage: format.py [--fix] ROOT CLANG_FORMAT [FILE...]
"""

import os
import re
import subprocess
import sys


def sources(root):
    for top in ("dialects", "include", "lib", "passes", "test", "tools"):
        for directory, _, files in os.walk(os.path.join(root, top)):
            yield from (os.path.join(directory, f) for f in sorted(files) if f.endswith((".h", ".c", ".cpp")))


def shorten_banner(path):
    """clang-format breaks a first line that is too long in two: it has dashes to spare."""
    with open(path, encoding="utf-8") as file:
        first, rest = file.readline(), file.read()
    over = len(first.rstrip("\n")) - 80
    if not first.startswith("//===-") or over <= 0:
        return
    dashes = max(re.finditer("-+", first), key=lambda run: len(run[0]))
    if len(dashes[0]) > over:
        with open(path, "w", encoding="utf-8") as file:
            file.write(first[: dashes.start()] + first[dashes.start() + over :] + rest)


def main(arguments):
    fix = "--fix" in arguments
    arguments = [argument for argument in arguments if argument != "--fix"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    root, clang_format, *files = arguments
    files = files or sorted(sources(root))
    if not files:
        sys.exit(f"expected a source tree, but found no C or C++ below {root}")
    if fix:
        for path in files:
            shorten_banner(path)
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    return subprocess.run([clang_format, *mode, *files], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
