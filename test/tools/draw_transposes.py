#!/usr/bin/env python3
"""Writes functions that transpose arrays of random types, shapes and strides, for rest_on_cpu.py.

usage: draw_transposes.py SEED NUMBER
"""

import math
import random
import sys

SIZES = (1, 2, 2, 3, 4, 5, 7, 8, 8, 12, 16, 24, 33, 64)


def shape_of(draw):
    while True:
        shape = [draw.choice(SIZES) for _ in range(draw.randint(2, 6))]
        if 500 < math.prod(shape) < 60000:
            return shape


def type_of(draw, shape, element):
    """Of an array, or of a part of a larger one, whose lines may be apart."""
    sizes = "x".join(map(str, shape))
    if draw.random() < 0.5:
        return f"memref<{sizes}x{element}>"
    strides, distance = [], 1
    for size in reversed(shape):
        strides.insert(0, distance)
        distance = distance * size + draw.choice((0, 0, 0, 1, 3, 8))
    return f"memref<{sizes}x{element}, strided<{strides}, offset: {draw.choice((0, 8, 16))}>>"


def main():
    draw = random.Random(int(sys.argv[1]))
    for number in range(int(sys.argv[2])):
        shape, element = shape_of(draw), draw.choice(("f16", "bf16", "f32", "i8", "i32"))
        order = draw.sample(range(len(shape)), len(shape))
        a, b = (type_of(draw, sizes, element) for sizes in (shape, [shape[at] for at in order]))
        print(f"func.func @transpose{number}(%a: {a}, %b: {b}) attributes {{llvm.emit_c_interface}} {{")
        print(f"  linalg.transpose ins(%a : {a}) outs(%b : {b}) permutation = {order}\n  return\n}}")


if __name__ == "__main__":
    main()
