#!/usr/bin/env python3
"""Checks the lines and paragraphs of a tree's pages: usage: pages.py ROOT, with .md files in ROOT.

A line of text has at most 120 columns, and a paragraph or an item of a list at most eight lines. Tables and code have
their own form.
"""

import re
import sys
from pathlib import Path

COLUMNS, LINES = 120, 8
OTHER = re.compile(r"\||    |#|$")  # a table, code, a title, or the end of a paragraph
ITEM = re.compile(r" *([-*]|\d+\.) ")


def faults(page):
    """Yields (number of a line, fault)."""
    fenced, length = False, 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            fenced, length = not fenced, 0
            continue
        if fenced or (OTHER.match(line) and length == 0) or not line.strip():
            length = 0
            continue
        if line.startswith("|"):
            continue
        length = 1 if ITEM.match(line) else length + 1
        if len(line) > COLUMNS:
            yield number, f"expected {COLUMNS} columns at most, but got {len(line)}"
        if length == LINES + 1:
            yield number, f"expected paragraphs of {LINES} lines at most, but got a ninth line"


def main(root):
    pages = [
        page
        for page in sorted(root.rglob("*.md"))
        if not any(part.startswith((".", "build")) for part in page.relative_to(root).parts)
    ]
    found = [f"{page.relative_to(root)}:{number}: {fault}" for page in pages for number, fault in faults(page)]
    print(*found, f"{len(pages)} pages, {len(found)} faults", sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
