"""Checks the help of programs and of all their commands.

usage: helps.py ROOT PROGRAM...    ROOT: of the source tree

A help fits a screen, its usage line names the program once, and it has one example, of the command
itself and with files that exist. Examples that take little time and need no GPU are run, with the
folders of ROOT and outputs in the current folder.
"""

import os
import re
import subprocess
import sys

COLUMNS, LINES = 100, 40
LONGER = {"hone train": 48, "hone tune": 54, "hone-opt": 60}
RUN = re.compile(r"hone (?:db|report|machine|bench summary)\b|hone-lab fit")
FOLDERS = ("data", "examples", "test")


def fault(command, text, root):
    """The fault of a help, or nothing."""
    lines, widest = text.splitlines(), max(map(len, text.splitlines()), default=0)
    if not 2 < len(lines) <= LONGER.get(command, LINES) or widest > COLUMNS:
        return f"expected {LONGER.get(command, LINES)} lines of {COLUMNS} columns at most, but got {len(lines)} of {widest}"
    usage = [line.split()[1:] for line in lines if line.startswith("usage: ")]
    if len(usage) != 1 or usage[0].count(command.split()[0]) != 1:
        return f"expected a usage line that names the program once, but got {usage}"
    examples = re.findall(r"^Example: (.+(?:\n.+)*)", text, re.MULTILINE)
    if len(examples) != 1:
        return f"expected a line 'Example: ...', but got {len(examples)}"
    # A group of commands has an example of one of them.
    if command + " " not in examples[0]:
        return f"expected an example of '{command}', but got '{examples[0]}'"
    for name in re.findall(rf"\b(?:{'|'.join(FOLDERS)})/[\w./-]+", examples[0]):
        if not os.path.exists(os.path.join(root, name)):
            return f"expected an example with files of the tree, but got '{name}'"
    if RUN.match(command):
        run = subprocess.run(["sh", "-e", "-c", examples[0]], capture_output=True, text=True)
        if run.returncode:
            return f"expected a status of 0 from '{examples[0]}', but got {run.returncode}: {run.stderr}"
    return None


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    root, commands = arguments[0], arguments[1:]
    for folder in FOLDERS:
        if not os.path.lexists(folder):
            os.symlink(os.path.join(root, folder), folder)
    count = 0
    while commands:
        command = commands.pop()
        text = subprocess.run([*command.split(), "--help"], capture_output=True, text=True, check=True).stdout
        if found := fault(os.path.basename(command), text, root):
            sys.exit(f"{os.path.basename(command)} --help: {found}")
        if "COMMAND --help`" in text:
            names = re.findall(r"^  ([a-z]+) +\w", text, re.MULTILINE)
            commands += [f"{command} {name}" for name in names]
        count += 1
    print(f"{count} helps have an example")


if __name__ == "__main__":
    main(sys.argv[1:])
