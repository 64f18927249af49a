#!/usr/bin/env python3
"""Draws shapes by chance, to judge kernels on problems without a measurement.

usage: draw_shapes.py [SEED]     writes shapes-open.txt and shapes-sealed.txt beside this file

M, N and K are log-uniform from 16 to 16384. Every other shape is aligned: each extent rounded up
to a multiple of 8, so that all lines are whole words of 16 bytes; of the others N or K is not a
multiple of 8, so that some lines are odd. The two files take turns, two shapes each. The sealed
one is not measured, tuned on or looked at before a result is due.
"""

import os
import random
import sys

SHAPES, LEAST, MOST = 44, 16, 16384


def extents(dice):
    """random.Random.random() is the same in every version of Python; its other methods may not be."""
    return [int(LEAST * (MOST / LEAST) ** dice.random() + 0.5) for _ in range(3)]


def draw(dice, is_aligned):
    while True:
        shape = extents(dice)
        if is_aligned:
            return [-(-extent // 8) * 8 for extent in shape]
        if any(extent % 8 for extent in shape[1:]):
            return shape


def halves(seed):
    """The shapes of each file, an aligned one and one that is not by turns."""
    dice = random.Random(int(seed))
    shapes = [draw(dice, at % 2 == 0) for at in range(SHAPES)]
    for name, remainder in (("open", 0), ("sealed", 1)):
        yield name, [shape for at, shape in enumerate(shapes) if at // 2 % 2 == remainder]


def main(seed="2027"):
    for name, chosen in halves(seed):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"shapes-{name}.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"# The {name} half of {SHAPES} shapes drawn by draw_shapes.py with the seed {seed}\n")
            for what, is_aligned in (("aligned", True), ("not aligned", False)):
                file.write(f"# {what}\n")
                for at, shape in enumerate(chosen):
                    if (at % 2 == 0) == is_aligned:
                        file.write("x".join(map(str, shape)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
