#!/usr/bin/env python3
"""Checks the links between the pages of a tree: usage: links.py ROOT, with .md files in ROOT.

A link names a file that exists and, after #, a title of that page.
"""

import re
import sys
from pathlib import Path

FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
TITLE = re.compile(r"^#+ (.*)", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(page):
    """The anchors of a page, as GitHub makes them of its titles."""
    titles = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in TITLE.findall(FENCED.sub("", page.read_text()))]
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def faults(root):
    """Yields (page, link, fault) and, for every link, (page, link, None)."""
    for page in sorted(root.rglob("*.md")):
        if any(part.startswith((".", "build")) for part in page.relative_to(root).parts):
            continue
        for link in LINK.findall(re.sub(r"`[^`\n]*`", "", FENCED.sub("", page.read_text()))):
            if re.match(r"https?:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            fault = None
            if not target.exists():
                fault = "a file"
            elif anchor and anchor not in anchors(target):
                fault = "a title"
            yield page.relative_to(root), link, fault


if __name__ == "__main__":
    found = list(faults(Path(sys.argv[1]).resolve()))
    wrong = [f"{page}: expected {fault}, but got none for '{link}'" for page, link, fault in found if fault]
    print(*wrong, f"{len(found)} links, {len(wrong)} faults", sep="\n")
    sys.exit(bool(wrong))
