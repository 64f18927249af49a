"""Random tensor contractions, drawn by a seed, in one function.

usage: contractions.py COUNT SEED

Each has up to three dimensions of M, of N and of K and two batches, in any
order in A, B and the result, as a linalg.generic or a linalg.contract.
"""

import random
import sys


def tensor(letters, extents, element):
    return "tensor<" + "".join(f"{extents[letter]}x" for letter in letters) + element + ">"


def generic(maps, letters, element, ins, c):
    kinds = ", ".join('"reduction"' if letter[0] == "k" else '"parallel"' for letter in letters)
    x, y, wide = "%x", "%y", ""
    if element != "f32":
        x, y = "%xw", "%yw"
        wide = f"    %xw = arith.extf %x : {element} to f32\n    %yw = arith.extf %y : {element} to f32\n"
    return f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
      {ins} {{
  ^bb0(%x: {element}, %y: {element}, %o: f32):
{wide}    %p = arith.mulf {x}, {y} : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }} -> {c}
"""


def contraction(number, draw):
    """The arguments, the ops and the type of the result."""
    counts = {"b": draw.choice([0, 0, 0, 1, 2]), **{kind: draw.randint(1, 3) for kind in "mnk"}}
    letters = [kind + str(i) for kind in counts for i in range(counts[kind])]
    extents = {letter: draw.randint(2, 5) for letter in letters}
    orders = []
    for kinds in ("bmk", "bkn", "bmn"):
        order = [letter for letter in letters if letter[0] in kinds]
        draw.shuffle(order)
        orders.append(order)
    element = draw.choice(["f16", "f32"])
    a, b, c = (tensor(order, extents, e) for order, e in zip(orders, (element, element, "f32")))
    maps = ", ".join(f"affine_map<({', '.join(letters)}) -> ({', '.join(order)})>" for order in orders)
    ins = f"ins(%a{number}, %b{number} : {a}, {b}) outs(%i{number} : {c})"
    if draw.random() < 0.5:
        op = f"linalg.contract indexing_maps = [{maps}] {ins} -> {c}\n"
    else:
        op = generic(maps, letters, element, ins, c)
    ops = f"""  %e{number} = tensor.empty() : {c}
  %i{number} = linalg.fill ins(%zero : f32) outs(%e{number} : {c}) -> {c}
  %c{number} = {op}"""
    return f"%a{number}: {a}, %b{number}: {b}", ops, c


def main():
    count, seed = map(int, sys.argv[1:])
    draw = random.Random(seed)
    arguments, ops, types = zip(*(contraction(number, draw) for number in range(count)))
    print(f"func.func @contractions({', '.join(arguments)}) -> ({', '.join(types)}) {{")
    print("  %zero = arith.constant 0.0 : f32")
    print("".join(ops), end="")
    print(f"  return {', '.join(f'%c{number}' for number in range(count))} : {', '.join(types)}\n}}")


main()
