#!/usr/bin/env python3
"""Checks the folder data/ against its manifest, data/README.md.

usage: data.py ROOT         check the tree
       data.py --self-test  check that the check can fail

Every file has a row in the table of section "Files", and every row a file. Every CSV file has
the columns of section "Columns" ('...' at the end admits more). Where a time has quantiles, it lies
between them. Number and size are limited.
"""

import csv
import os
import re
import shutil
import subprocess
import sys

import planted

PAGE, FILES, BYTES = "README.md", 46, 14_200_000


def section(page, title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)[1]


def rows(page):
    return re.findall(r"^\| `([^`]+)` \|", section(page, "Files"), re.MULTILINE)


def columns(page):
    """{file: its header}, of lines that follow the file's name and are indented."""
    block = re.search(r"```\n(.*?)```", section(page, "Columns"), re.DOTALL)[1]
    entries = re.findall(r"^(\S+)\n((?: +\S.*\n)+)", block, re.MULTILINE)
    return {name: "".join(line.strip() for line in text.splitlines()) for name, text in entries}


def lines(path):
    """The lines of a file, or none if it is packed and there is no program to unpack it."""
    if not path.endswith(".zst"):
        with open(path, encoding="utf-8") as file:
            yield from file
    elif program := shutil.which("zstd"):
        with subprocess.Popen([program, "-dcq", path], stdout=subprocess.PIPE, text=True) as unpacked:
            yield from unpacked.stdout


def header(path):
    return next((line.rstrip("\n") for line in lines(path) if not line.startswith("#")), None)


def unordered(path):
    """Lines of a table in which a time `us` does not lie between its quantiles, of either side."""
    table = csv.DictReader(line for line in lines(path) if not line.startswith("#"))
    for number, row in enumerate(table, 2):
        for side in ("", "base_"):
            times = [row.get(side + name) for name in ("p10", "us", "p90")]
            if all(times) and not float(times[0]) <= float(times[1]) <= float(times[2]):
                yield number


def faults(root, most_files=FILES, most_bytes=BYTES):
    top = os.path.join(root, "data")
    with open(os.path.join(top, PAGE), encoding="utf-8") as file:
        page = file.read()
    paths = [os.path.join(at, name) for at, _, names in os.walk(top) for name in names]
    found = {os.path.relpath(path, top) for path in paths}
    listed, expected = rows(page), columns(page)
    for name in sorted(found - {PAGE} - set(listed)):
        yield f"data/{name}: expected a row in data/{PAGE}, but got none"
    for name in sorted(set(listed) - found):
        yield f"data/{PAGE}: expected the file 'data/{name}' of a row, but got none"
    for name in sorted({name for name in listed if listed.count(name) > 1}):
        yield f"data/{PAGE}: expected one row for 'data/{name}', but got {listed.count(name)}"
    for name in sorted(found | set(expected)):
        if not re.search(r"\.csv(\.zst)?$", name):
            continue
        if name not in found or name not in expected:
            yield f"data/{name}: expected a file and its columns in data/{PAGE}, but got one of them"
            continue
        got, want = header(os.path.join(top, name)), expected[name]
        prefix = want.removesuffix("...")
        if got is not None and not (got.startswith(prefix) if prefix != want else got == want):
            yield f"data/{name}: expected the columns '{want}', but got '{got[:100]}'"
        if ",p10,p90" in want and (wrong := list(unordered(os.path.join(top, name)))):
            yield f"data/{name}:{wrong[0]}: expected p10 <= us <= p90, but got {len(wrong)} rows of another order"
    if len(found) > most_files:
        yield f"data: expected at most {most_files} files, but got {len(found)}; merge or remove some"
    if (size := sum(map(os.path.getsize, paths))) > most_bytes:
        yield f"data: expected at most {most_bytes} bytes, but got {size}; pack or remove some"


def self_test():
    """Plants each fault in a small folder, which is right without it."""
    page = "## Files\n| `a/b.csv` |\n## Columns\n```\na/b.csv\n  m,n,\n  k\n```\n"
    row, right = "| `a/b.csv` |\n", {PAGE: page, "a/b.csv": "# units\nm,n,k\n1,2,3\n"}
    plants = {
        "": right,
        "expected a row": {**right, "a/c.txt": "more"},
        "expected the file": {**right, PAGE: right[PAGE].replace(row, row + "| `a/d.txt` |\n")},
        "expected one row": {**right, PAGE: right[PAGE].replace(row, row * 2)},
        "but got one of them": {**right, PAGE: right[PAGE].replace("a/b.csv\n", "a/x.txt\n")},
        "expected the columns": {**right, "a/b.csv": "m,n,us\n"},
        "expected p10 <= us": {
            **right,
            PAGE: page.replace("m,n,\n  k", "us,p10,p90"),
            "a/b.csv": "us,p10,p90\n1,1,1\n1,2,3\n",
        },
        "at most 3 files": {**right, PAGE: right[PAGE].replace(row, row + "| `a/e` |\n| `a/f` |\n"), "a/e": "", "a/f": ""},
        "at most 300 bytes": {**right, "a/b.csv": "m,n,k\n" * 60},
    }
    cases = [({f"data/{name}": text for name, text in files.items()}, fault) for fault, files in plants.items()]
    return planted.self_test(cases, lambda root: faults(root, 3, 300))


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    if arguments[0] == "--self-test":
        return self_test()
    return "\n".join(faults(arguments[0])) or None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
