#!/usr/bin/env python3
"""Runs the hone-opt commands that pages show, which all have to build a kernel.

usage: commands.py ROOT PAGE...     pages and the files of commands are relative to ROOT

A page may define the shell function `kernel` and call it. A command on the wrong kind of file does
nothing and succeeds, so its status says little.
"""

import os
import re
import shlex
import subprocess
import sys

COMMAND = re.compile(r"^(?:    |\$ )(hone-opt (?:.*\\\n)*.*)$", re.MULTILINE)
FUNCTION = re.compile(r"^kernel\(\) \{\n.*?\n\}\n", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"^    (kernel '.*)$", re.MULTILINE)


def commands(page):
    """The hone-opt command lines of a page, without the pipes and files of their output."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for line in COMMAND.findall(text):
        words = shlex.split(line.replace("\\\n", " "))
        ends = [at for at, word in enumerate(words) if word in ("|", ">")]
        if any(word.startswith("--hone-build-kernel") for word in words):
            yield words[: ends[0]] if ends else words
    for call in CALL.findall(text):
        yield ["sh", "-c", FUNCTION.search(text)[0] + call]


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    root, pages = arguments[0], arguments[1:]
    count = 0
    for page in pages:
        for words in commands(os.path.join(root, page)):
            count += 1
            run = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=120)
            if run.returncode or "gpu.func" not in run.stdout:
                sys.exit(f"{page}: expected a kernel from '{shlex.join(words)}', but got status {run.returncode}, {run.stderr[:500]}")
    if count < 10:
        sys.exit(f"expected commands in {' '.join(pages)}, but got {count}")
    print(f"{count} commands build kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
