#!/usr/bin/env python3
"""Runs the commands in the console blocks of pages, and compares their output with the lines that the pages show.

usage: outputs.py ROOT BUILD PAGE...    ROOT: of the source; pages are relative to the current folder

A line that is shown has to occur in the output, after the line before it; `...` stands for any text,
and spaces do not count. Of a diff that follows a block, the lines of the proof are compared; lines of
ptxas are not, because a machine may lack it. Commands that measure (with a database) or need a server are not run.
"""

import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(console|diff)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MEASURES = re.compile(r"tuned\.db|--arch=native|--llm-url=http")


def steps(page):
    """Yields (command, the lines that are shown of its output)."""
    command, shown = None, []
    for language, block in BLOCK.findall(page):
        goes_on = False
        for line in block.splitlines():
            if language == "diff":
                if line.startswith("proof:"):
                    shown.append(line)
            elif line.startswith("$ "):
                yield from [(command, shown)] if command else []
                command, shown, goes_on = line[2:], [], True
            elif goes_on:
                command += "\n" + line
            elif not line.startswith("ptxas:"):
                shown.append(line)
            # A command goes on after a backslash, and within quotes.
            goes_on = goes_on and (line.endswith("\\") or command.count("'") % 2 == 1)
    yield from [(command, shown)] if command else []


def missing(shown, output):
    """The first line that does not occur in its place, or None."""
    text, at = " ".join(output.split()), 0
    for line in shown:
        parts = [re.escape(" ".join(part.split())) for part in line.split("...") if part.strip()]
        found = re.compile(".*?".join(parts)).search(text, at)
        if not found:
            return line
        at = found.end()
    return None


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    root, build, pages = arguments[0], arguments[1], arguments[2:]
    count = lines = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("examples", "test", "data"):
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
        os.mkdir(os.path.join(folder, "build"))
        path = os.path.join(build, "bin") + os.pathsep + os.environ["PATH"]
        for page in pages:
            with open(page, encoding="utf-8") as file:
                todo = [step for step in steps(file.read()) if not MEASURES.search(step[0])]
            for command, shown in todo:
                run = subprocess.run(
                    ["sh", "-c", command],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    timeout=120,
                    env=os.environ | {"PATH": path},
                )
                line = missing(shown, run.stdout + run.stderr)
                if line is not None:
                    sys.exit(f"{page}: expected '{line}' from '{command}', but got\n{run.stdout}{run.stderr}")
                count, lines = count + 1, lines + len(shown)
    print(f"{count} commands print {lines} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
