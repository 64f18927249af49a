#!/usr/bin/env python3
"""Prints a module with a hone.matmul of every layout, type and common epilogue.

usage: ptx_matrix.py [pairs] [COUNT] [PRODUCTS]

With `pairs` a quarter of them, among which every two of these meet. The first COUNT
functions only; with PRODUCTS (tf32x3, tf32, exact) those of f32 whose products may be
computed so.
"""

import sys
from itertools import islice, product

EXTENT = 4096
RELU = """    %2 = arith.constant 0.0 : f32
    %3 = arith.maximumf %1, %2 : f32
"""
GELU = """    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.707106769 : f32
    %x = arith.mulf %1, %root : f32
    %erf = math.erf %x : f32
    %sum1 = arith.addf %erf, %one : f32
    %scaled = arith.mulf %1, %half : f32
    %3 = arith.mulf %scaled, %sum1 : f32
"""


def matmul(name, layout, element, result, kind, products):
    matrix = f"memref<{EXTENT}x{EXTENT}x{element}>"
    c, bias = f"memref<{EXTENT}x{EXTENT}x{result}>", f"memref<{EXTENT}xf32>"
    a, b = ("col " if letter == "t" else "" for letter in layout)
    text = f"func.func @{name}(%a: {matrix}, %b: {matrix}, %c: {c}, %bias: {bias}) {{\n"
    text += f"  hone.matmul ins({a}%a, {b}%b : {matrix}, {matrix}) outs(%c : {c}) "
    text += f"init({'read' if kind == 'read' else 'zero'}) acc(f32)"
    if products and products != "exact":
        text += f" products({products})"
    if kind in ("relu", "gelu"):
        value = "%3"
        text += f"\n    epilogue(%bias[n] : {bias}) {{\n  ^bb0(%sum: f32, %v: f32):\n"
        text += "    %1 = arith.addf %sum, %v : f32\n" + (RELU if kind == "relu" else GELU)
        if result != "f32":
            value = "%4"
            text += f"    %4 = arith.truncf %3 : f32 to {result}\n"
        text += f"    hone.yield {value} : {result}\n  }}"
    return text + "\n  return\n}\n"


def pairs(layouts, elements, results, kinds):
    """Of four layouts and four kinds every two, and of two types and widths every two with each."""
    for i, layout in enumerate(layouts):
        for j, kind in enumerate(kinds):
            yield layout, elements[(i + j) % 2], results[(i // 2 + j // 2) % 2], kind


def main():
    combine = pairs if "pairs" in sys.argv[1:] else product
    arguments = [argument for argument in sys.argv[1:] if argument != "pairs"]
    numbers = [argument for argument in arguments if argument.isdigit()]
    products = next((argument for argument in arguments if not argument.isdigit()), None)
    elements, results = (("f32",), (False,)) if products else (("f16", "bf16"), (False, True))
    every = combine(("nn", "nt", "tn", "tt"), elements, results, ("plain", "relu", "gelu", "read"))
    count = int(numbers[0]) if numbers else None
    for layout, element, wide, kind in islice(every, count):
        # "n" of B is K x N; "t" of B is N x K, "t" of A is K x M.
        result = "f32" if wide else element
        print(matmul(f"{layout}_{element}_{result}_{kind}", layout, element, result, kind, products))


if __name__ == "__main__":
    main()
