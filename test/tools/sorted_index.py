#!/usr/bin/env python3
"""Rows that are added through indices which kernels sort, against the search of all indices.

usage: sorted_index.py HONE [COUNT] [SEED]

Draws COUNT programs (default all kinds once), and runs each on the stand-in. A program adds rows twice,
the second time with unknown extents, so that each row looks through the index. Its result says of each
element of f32 whether both differ: expected 0, and a 1 is wrong, or not comparable for a sum in another
order. Another program has the sums alone, against f64.
"""

import json
import random
import subprocess
import sys

# The number at place %i of N, in i64. ROWS are the rows of the result.
KINDS = {
    "rising": "%a = arith.muli %i, %rows : i64\n %to = arith.divui %a, %n : i64",
    "falling": "%a = arith.subi %n, %i : i64\n %b = arith.muli %a, %rows : i64\n %to = arith.divui %b, %n : i64",
    "equal": "%a = arith.constant 3 : i64\n %to = arith.remui %a, %rows : i64",
    "cyclic": "%a = arith.constant 7919 : i64\n %b = arith.muli %i, %a : i64\n %to = arith.remui %b, %rows : i64",
    "few": "%a = arith.constant 3 : i64\n %b = arith.remui %i, %a : i64\n %to = arith.muli %b, %a : i64",
    "outside": "%a = arith.constant 1 : i64\n %b = arith.andi %i, %a : i64\n %g = arith.trunci %b : i64 to i1\n"
    " %h = arith.addi %rows, %i : i64\n %k = arith.subi %n, %h : i64\n %l = arith.subi %k, %n : i64\n"
    " %to = arith.select %g, %h, %l : i64",
    # The lower half is the number of a row.
    "beyond": "%a = arith.constant 2147483648 : i64\n %b = arith.muli %a, %i : i64\n %g = arith.remui %i, %rows : i64\n"
    " %to = arith.addi %b, %g : i64",
    "drawn": "%to = arith.addi %in, %zero : i64",
}


def program(kind, n, rows, columns, element, index, has_weights, is_maximum, compares):
    """A function with these arguments: rows, numbers, weights and the start."""

    def scatter(open_):
        size, out = ("?", "?") if open_ else (n, rows)
        end = "o" if open_ else ""
        types = [f"tensor<{size}x{columns}x{element}>", f"tensor<{size}x{index}>", f"tensor<{size}xf32>"]
        start = f"tensor<{out}x{columns}x{element}>"
        words = f" weights %w{end}" if has_weights else ""
        words += " max" if is_maximum else ""
        kinds = types[:2] + (types[2:] if has_weights else [])
        return f"hone.scatter_rows %x{end} to %to{end}{words} into %c{end} : {', '.join(kinds)} into {start}"

    head = f"""func.func @f(%x: tensor<{n}x{columns}x{element}>, %drawn: tensor<{n}x{index}>, %w: tensor<{n}xf32>,
    %c: tensor<{rows}x{columns}x{element}>)"""
    wide = "%in = arith.addi %drawn_, %zero : i64" if index == "i64" else "%in = arith.extsi %drawn_ : i32 to i64"
    narrow = "%r = arith.addi %to, %zero : i64" if index == "i64" else "%r = arith.trunci %to : i64 to i32"
    body = f"""
  %zero = arith.constant 0 : i64
  %rows = arith.constant {rows} : i64
  %n = arith.constant {n} : i64
  %e = tensor.empty() : tensor<{n}x{index}>
  %to = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%drawn : tensor<{n}x{index}>) outs(%e : tensor<{n}x{index}>) {{
  ^bb0(%drawn_: {index}, %o: {index}):
    %p = linalg.index 0 : index
    %i = arith.index_cast %p : index to i64
    {wide}
    {KINDS[kind]}
    {narrow}
    linalg.yield %r : {index}
  }} -> tensor<{n}x{index}>
  %d = {scatter(False)}
"""
    type_ = f"tensor<{rows}x{columns}x{element}>"
    if not compares:
        return f"{head} -> {type_} {{{body}  return %d : {type_}\n}}\n"
    casts = "".join(
        f"  %{value}o = tensor.cast %{value} : tensor<{own}> to tensor<{other}>\n"
        for value, own, other in (
            ("x", f"{n}x{columns}x{element}", f"?x{columns}x{element}"),
            ("to", f"{n}x{index}", f"?x{index}"),
            ("w", f"{n}xf32", "?xf32"),
            ("c", f"{rows}x{columns}x{element}", f"?x{columns}x{element}"),
        )
    )
    return f"""{head} -> tensor<{rows}x{columns}xi32> {{{body}{casts}  %s = {scatter(True)}
  %t = tensor.cast %s : tensor<?x{columns}x{element}> to {type_}
  %f = tensor.empty() : tensor<{rows}x{columns}xi32>
  %differ = linalg.generic {{indexing_maps = [{', '.join(['affine_map<(i, j) -> (i, j)>'] * 3)}],
      iterator_types = ["parallel", "parallel"]}}
      ins(%d, %t : {type_}, {type_}) outs(%f : tensor<{rows}x{columns}xi32>) {{
  ^bb0(%a: {element}, %b: {element}, %o: i32):
    %ne = arith.cmpf une, %a, %b : {element}
    %r = arith.extui %ne : i1 to i32
    linalg.yield %r : i32
  }} -> tensor<{rows}x{columns}xi32>
  return %differ : tensor<{rows}x{columns}xi32>
}}
"""


def drawn(random_, kind):
    n = random_.choice([128, 129, 255, 1000, 1025, 1536, 2047, 2500])
    rows = max(random_.choice([1, 2, 300, 1500]), (1 << 20) // n + 1 if n <= 1024 else 1)
    columns = 1 if n * rows > 1 << 20 else random_.choice([1, 3, 8])
    index = "i64" if kind == "beyond" else random_.choice(["i32", "i64"])
    words = [random_.random() < 0.5 for _ in range(2)]
    return kind, n, rows, columns, random_.choice(["f32", "f16"]), index, *words


def run(hone, text, rows):
    options = ["--arch=sm_90a", "--stand-in", "--orders=1", "--rest=gpu", "--pipeline=guess=false"]
    options += ["--repeat=1", "--json", f"--range=1:-9:{rows + 9}"]
    done = subprocess.run([hone, "run", "-", *options], input=text, capture_output=True, text=True)
    if done.returncode:
        return done.stderr or done.stdout
    found = json.loads(done.stdout)[0]
    return "" if found["wrong"] == 0 and found["not comparable"] == 0 else json.dumps(found)


def main():
    hone, *numbers = sys.argv[1:]
    count, seed = [*map(int, numbers), *(len(KINDS), 1)[len(numbers) :]]
    random_, wrong = random.Random(seed), 0
    for number in range(count):
        case = drawn(random_, list(KINDS)[number % len(KINDS)])
        for compares in (True, False):
            kind, n, rows, columns, element, *rest = case
            text = program(kind, n, rows, columns, "f32" if compares else element, *rest, compares)
            fault = run(hone, text, rows)
            if fault:
                wrong += 1
                print(f"case {number}, {case}, {'compared' if compares else 'f64'}: {fault}")
    print(f"{count} cases, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
