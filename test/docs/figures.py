#!/usr/bin/env python3
"""Checks the figures of a folder of pages: usage: figures.py ROOT FOLDER, with .td files in ROOT."""

import re
import sys
import xml.etree.ElementTree as tree
from pathlib import Path

SVG, NAME = "{http://www.w3.org/2000/svg}", re.compile(r"(?<![\w-])(?:hone-[a-z0-9-]+|kernel(?:\.[a-z]+)+)")


def faults(path, pages, names):
    """Yields the faults of one figure. A letter is taken to be at least 5.5 wide."""
    if path.name not in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", pages):
        yield "expected a page that shows it with an alt text"
    try:
        figure = tree.parse(path).getroot()
    except tree.ParseError as error:
        yield f"expected XML, but got: {error}"
        return
    _, _, width, height = map(float, figure.get("viewBox").split())
    start = re.findall(r"([^{}]+)\{ text-anchor: start; \}", figure.findtext(f"{SVG}style", ""))
    for text in figure.iter(f"{SVG}text"):
        words, x, y = "".join(text.itertext()), float(text.get("x")), float(text.get("y"))
        extent = 5.5 * len(words)
        left = x if any(f".{one}" in str(start) for one in text.get("class", "").split()) else x - extent / 2
        if left < 0 or left + extent > width or not 8 <= y <= height - 3:
            yield f"expected text within the viewBox, but got '{words}' at {x:g}, {y:g}"
        yield from (f"expected a pass or an op, but got '{name}'" for name in NAME.findall(words) if name not in names)


if __name__ == "__main__":
    root, folder = map(Path, sys.argv[1:])
    text = "".join(path.read_text() for room in ("dialects", "lib", "passes") for path in root.glob(f"{room}/**/*.td"))
    ops = {"kernel." + name for name in re.findall(r': Kernel_\w*Op<"([a-z.]+)"', text)}
    known, shown = ops | set(re.findall(r'Pass\w*<"([^"]+)"', text)), "".join(p.read_text() for p in folder.glob("*.md"))
    found = [f"{path.name}: {fault}" for path in sorted(folder.glob("*.svg")) for fault in faults(path, shown, known)]
    print(*found, f"{len(list(folder.glob('*.svg')))} figures, {len(found)} faults", sep="\n")
    sys.exit(bool(found))
