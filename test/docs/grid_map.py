#!/usr/bin/env python3
"""Draws docs/grid.svg: for each K of the grid, the ratio to cuBLASLt's autotuner over M and N.

usage: grid_map.py ROOT           print the picture
       grid_map.py --check ROOT   compare it with docs/grid.svg
"""

import os
import sys

from measurements import Data

EXTENTS = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 12288, 16384)
STEPS = ((0.95, "#c0504d"), (0.99, "#eba398"), (1.01, "#d9d9d9"), (1.05, "#c6dbef"), (1.15, "#8fbbdc"), (1.3, "#4a90c4"))
LAST, CELL, LEFT, TOP, WIDTH, HEIGHT = "#1f5f99", 13, 50, 34, 170, 186
HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 890 448" font-family="sans-serif" font-size="11">
  <style>
    .back { fill: #fff; }
    .title { font-size: 13px; font-weight: bold; }
    .left { text-anchor: start; }
    .right { text-anchor: end; }
    text { fill: #1b2333; text-anchor: middle; }
  </style>
  <rect class="back" width="890" height="448"/>"""


def color(ratio):
    return next((name for limit, name in STEPS if ratio < limit), LAST)


def panel(k, ratios, x, y):
    """One K: M downwards, N to the right."""
    yield f'  <text x="{x + 5 * CELL}" y="{y - 6}" class="title">K = {k}</text>'
    cells = {}
    for row, m in enumerate(EXTENTS):
        for column, n in enumerate(EXTENTS):
            place = f"M{x + column * CELL} {y + row * CELL}h12v12h-12z"
            cells.setdefault(color(ratios[m, n, k]), []).append(place)
    for name, places in sorted(cells.items()):
        yield f'  <path fill="{name}" d="{"".join(places)}"/>'
    for at, extent in enumerate(EXTENTS):
        if at % 3 == 0:
            yield f'  <text x="{x - 4}" y="{y + at * CELL + 10}" class="right">{extent}</text>'
    yield f'  <text x="{x}" y="{y + 10 * CELL + 12}" class="left">64</text>'
    yield f'  <text x="{x + 10 * CELL}" y="{y + 10 * CELL + 12}" class="right">N = 16384</text>'


def legend(y):
    limits = [limit for limit, _ in STEPS]
    words = [f"below {limits[0]}", *(f"{low} to {high}" for low, high in zip(limits, limits[1:])), f"above {limits[-1]}"]
    for at, (name, text) in enumerate(zip([*(name for _, name in STEPS), LAST], words)):
        x = LEFT + at * 116
        yield f'  <rect x="{x}" y="{y}" width="12" height="12" fill="{name}"/>'
        yield f'  <text x="{x + 18}" y="{y + 10}" class="left">{text}</text>'


def picture(ratios):
    yield HEAD
    for at, k in enumerate(EXTENTS):
        yield from panel(k, ratios, LEFT + at % 5 * WIDTH, TOP + at // 5 * HEIGHT)
    yield f'  <text x="12" y="{TOP + 10}">M</text>'
    yield from legend(TOP + 2 * HEIGHT - 2)
    words = "cuBLASLt's autotuner over Hone, time on an H200; above 1, Hone is faster"
    yield f'  <text x="{LEFT}" y="{TOP + 2 * HEIGHT + 32}" class="left">{words}</text>'
    yield "</svg>"


def main(arguments):
    if not arguments or (arguments[0] == "--check") != (len(arguments) == 2):
        sys.exit(__doc__)
    grid = Data(arguments[-1]).campaign("cublaslt-auto")
    if not grid:
        return print("no zstd, so the picture is not compared")
    drawn = "\n".join(picture({one.shape: one.on for one in grid})) + "\n"
    if arguments[0] != "--check":
        return print(drawn, end="")
    with open(os.path.join(arguments[-1], "docs", "grid.svg"), encoding="utf-8") as file:
        if file.read() != drawn:
            sys.exit("docs/grid.svg: expected the picture of data/, but got another; use the output of grid_map.py")
    return print(f"the picture has {len(grid)} shapes")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
