#!/usr/bin/env python3
"""Draws programs of products and of what stands around them, and runs each whole.

usage: programs.py HONE [--count=N] [--seed=N] [--jobs=N] [--timeout=SECONDS]
                        [--arch=NAME] [--only=CASE] [--keep=DIRECTORY] [-- OPTION...]

Each program is run by `hone run --stand-in`, with the rest on the host and on the GPU, in
several orders of its pending work. A program is right, not comparable (exit status 3, whose
reason is counted), or kept as a failure. Options behind -- go to `hone run`.

A program grows statement by statement. Each statement takes values of the pool that fit, and
adds its result; the values that no statement took are the function's results.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import time

FLOATS = ("f16", "bf16", "f32")
EXTENTS = (1, 1, 2, 3, 5, 8, 15, 16, 17, 33, 40, 64, 72, 100)


class Value:
    """An SSA value: its name, its extents (a number, or M, which the caller decides) and its
    element type."""

    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        extents = "".join(("?" if s == "M" else str(s)) + "x" for s in self.shape)
        return f"tensor<{extents}{self.element}>"


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.arguments, self.lines, self.pool, self.used = [], [], [], set()
        self.ranges, self.count = [], 0
        self.m = self.random.choice([None, None, 1, 2, 7, 19, 64, 65])
        self.k = self.extent()
        first = self.argument(["M" if self.m else self.extent(), self.k],
                              self.random.choice(FLOATS))
        self.pool.append(first)
        self.first = first

    # ---- Pieces ----------------------------------------------------------------------

    def extent(self):
        return self.random.choice(EXTENTS)

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def argument(self, shape, element):
        value = Value(f"%a{len(self.arguments)}", shape, element)
        self.arguments.append(value)
        return value

    def line(self, text):
        self.lines.append("  " + text)

    def constant(self, number, element):
        name = self.name()
        text = str(number) if element[0] in "iu" or element == "index" else f"{float(number):e}"
        self.line(f"{name} = arith.constant {text} : {element}")
        return name

    def empty(self, shape, element):
        value = Value(self.name(), shape, element)
        sizes = ", ".join("%m" for s in shape if s == "M")
        self.line(f"{value.name} = tensor.empty({sizes}) : {value.type}")
        return value

    def filled(self, shape, element, number):
        empty, constant = self.empty(shape, element), self.constant(number, element)
        value = Value(self.name(), shape, element)
        self.line(f"{value.name} = linalg.fill ins({constant} : {element}) "
                  f"outs({empty.name} : {value.type}) -> {value.type}")
        return value

    def generic(self, inputs, maps, result, body, out_map=None, reduces=(), rank=None):
        """A linalg.generic of `inputs` (values) by `maps` (indices of loops) into `result`."""
        rank = rank or len(result.shape)
        loops = ", ".join(f"d{i}" for i in range(rank))
        spell = lambda m: f"affine_map<({loops}) -> ({', '.join(f'd{i}' for i in m)})>"
        out_map = range(rank) if out_map is None else out_map
        kinds = ", ".join('"reduction"' if i in reduces else '"parallel"' for i in range(rank))
        value = Value(self.name(), result.shape, result.element)
        names = [f"%i{i}" for i in range(len(inputs))] + ["%o"]
        arguments = ", ".join(f"{n}: {v.element}" for n, v in zip(names, inputs + [result]))
        ins = ""
        if inputs:
            ins = (f"ins({', '.join(v.name for v in inputs)} : "
                   f"{', '.join(v.type for v in inputs)}) ")
        all_maps = ", ".join(spell(m) for m in list(maps) + [out_map])
        self.line(f"{value.name} = linalg.generic {{indexing_maps = [{all_maps}], "
                  f"iterator_types = [{kinds}]}} {ins}outs({result.name} : {result.type}) {{")
        self.line(f"^bb0({arguments}):")
        for text in body:
            self.line("  " + text)
        self.line(f"}} -> {value.type}")
        self.used.update(v.name for v in inputs)
        return value

    def elementwise(self, inputs, element, body, maps=None):
        shape = inputs[0].shape
        maps = maps or [range(len(shape))] * len(inputs)
        return self.generic(inputs, maps, self.empty(shape, element), body)

    def take(self, *elements, rank=None):
        fitting = [v for v in self.pool if v.element in elements and
                   (rank is None or len(v.shape) == rank)]
        # Recent values more often: programs are chains with branches.
        return self.random.choice(fitting[-3:] if self.random.random() < 0.7 else fitting) \
            if fitting else None

    def casted(self, value, element):
        if value.element == element:
            return value
        width = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
        if value.element in ("f16", "bf16") and element in ("f16", "bf16"):
            value = self.casted(value, "f32")
        op = "arith.extf" if width[value.element] < width[element] else "arith.truncf"
        return self.elementwise([value], element, [
            f"%r = {op} %i0 : {value.element} to {element}", f"linalg.yield %r : {element}"])

    # ---- Statements: each returns a value, or None where nothing fits -----------------

    def product(self):
        left = self.take(*FLOATS, rank=2)
        if not left:
            return None
        if left.element == "f32" and self.random.random() < 0.6:
            left = self.casted(left, self.random.choice(("f16", "bf16")))
        n, k = self.extent(), left.shape[1]
        if k == "M":
            return None
        turned = self.random.random() < 0.5
        right = self.argument([n, k] if turned else [k, n], left.element)
        sums = left.element if self.random.random() < 0.3 and left.element == "f32" else "f32"
        out = self.filled([left.shape[0], n], sums, 0)
        wide = left.element != sums
        body = []
        for i in (0, 1):
            body.append(f"%x{i} = arith.extf %i{i} : {left.element} to {sums}" if wide else
                        f"%x{i} = arith.addf %i{i}, %zero : {sums}")
        if not wide:
            body = []
        x, y = ("%x0", "%x1") if wide else ("%i0", "%i1")
        body += [f"%p = arith.mulf {x}, {y} : {sums}", f"%s = arith.addf %o, %p : {sums}",
                 f"linalg.yield %s : {sums}"]
        result = self.generic([left, right], [(0, 2), (1, 2) if turned else (2, 1)], out, body,
                              out_map=(0, 1), reduces=(2,), rank=3)
        scale = 1.0 / max(1, k) ** 0.5
        c = self.constant(scale, sums)
        return self.elementwise([result], sums, [
            f"%r = arith.mulf %i0, {c} : {sums}", f"linalg.yield %r : {sums}"])

    def batched(self):
        value = self.take("f16", "bf16", rank=3)
        if not value or "M" in value.shape[1:]:
            return None
        batch, rows, k = value.shape
        n = self.extent()
        right = self.argument([batch, k, n], value.element)
        out = self.filled([batch, rows, n], "f32", 0)
        result = Value(self.name(), out.shape, "f32")
        self.line(f"{result.name} = linalg.batch_matmul ins({value.name}, {right.name} : "
                  f"{value.type}, {right.type}) outs({out.name} : {out.type}) -> {out.type}")
        self.used.add(value.name)
        c = self.constant(1.0 / max(1, k) ** 0.5, "f32")
        return self.elementwise([result], "f32", [
            f"%r = arith.mulf %i0, {c} : f32", "linalg.yield %r : f32"])

    def integers(self):
        m, k, n = self.extent(), self.extent(), self.extent()
        left, right = self.argument([m, k], "i8"), self.argument([k, n], "i8")
        out = self.filled([m, n], "i32", 0)
        return self.generic([left, right], [(0, 2), (2, 1)], out, [
            "%x = arith.extsi %i0 : i8 to i32", "%y = arith.extsi %i1 : i8 to i32",
            "%p = arith.muli %x, %y : i32", "%s = arith.addi %o, %p : i32",
            "linalg.yield %s : i32"], out_map=(0, 1), reduces=(2,), rank=3)

    def bias(self):
        value = self.take(*FLOATS)
        if not value or value.shape[-1] == "M":
            return None
        row = self.argument([value.shape[-1]], value.element)
        rank = len(value.shape)
        return self.elementwise([value, row], value.element, [
            f"%r = arith.addf %i0, %i1 : {value.element}", f"linalg.yield %r : {value.element}"],
            [range(rank), (rank - 1,)])

    def unary(self):
        value = self.take(*FLOATS)
        if not value:
            return None
        t = value.element
        kind = self.random.choice(("relu", "tanh", "erf", "neg", "square", "sigmoid", "abs"))
        zero, one = self.constant(0, t), self.constant(1, t)
        body = {
            "relu": [f"%r = arith.maximumf %i0, {zero} : {t}"],
            "tanh": [f"%r = math.tanh %i0 : {t}"],
            "erf": [f"%r = math.erf %i0 : {t}"],
            "neg": [f"%r = arith.negf %i0 : {t}"],
            "abs": [f"%r = math.absf %i0 : {t}"],
            "square": [f"%x = math.tanh %i0 : {t}", f"%r = arith.mulf %x, %x : {t}"],
            "sigmoid": [f"%n = arith.negf %i0 : {t}", f"%e = math.exp %n : {t}",
                        f"%s = arith.addf %e, {one} : {t}", f"%r = arith.divf {one}, %s : {t}"],
        }[kind]
        return self.elementwise([value], t, body + [f"linalg.yield %r : {t}"])

    def binary(self):
        left = self.take(*FLOATS)
        others = [v for v in self.pool if left and v.shape == left.shape and
                  v.element == left.element]
        if not others:
            return None
        op = self.random.choice(("addf", "subf", "mulf", "maximumf", "minimumf"))
        return self.elementwise([left, self.random.choice(others)], left.element, [
            f"%r = arith.{op} %i0, %i1 : {left.element}", f"linalg.yield %r : {left.element}"])

    def cast(self):
        value = self.take(*FLOATS)
        return value and self.casted(value, self.random.choice(FLOATS))

    def mask(self):
        """A mask of an argument, so that no rounding decides it."""
        shape = self.random.choice(self.pool).shape
        given = self.argument(shape, "i32")
        zero = self.constant(0, "i32")
        return self.elementwise([given], "i1", [
            f"%r = arith.cmpi sgt, %i0, {zero} : i32", "linalg.yield %r : i1"])

    def both_masks(self):
        left = self.take("i1")
        others = [v for v in self.pool if left and v.element == "i1" and v.shape == left.shape]
        if not others:
            return None
        op = self.random.choice(("andi", "ori", "xori"))
        return self.elementwise([left, self.random.choice(others)], "i1", [
            f"%r = arith.{op} %i0, %i1 : i1", "linalg.yield %r : i1"])

    def select(self):
        mask = self.take("i1")
        values = [v for v in self.pool if mask and v.element in FLOATS and v.shape == mask.shape]
        if not values:
            return None
        value = self.random.choice(values)
        other = self.constant(self.random.choice((0, -1, 2)), value.element)
        return self.elementwise([mask, value], value.element, [
            f"%r = arith.select %i0, %i1, {other} : {value.element}",
            f"linalg.yield %r : {value.element}"])

    def causal(self):
        value = self.take(*FLOATS, rank=2)
        if not value:
            return None
        t, zero = value.element, self.constant(0, value.element)
        return self.elementwise([value], t, [
            "%x = linalg.index 0 : index", "%y = linalg.index 1 : index",
            "%c = arith.cmpi ule, %y, %x : index",
            f"%r = arith.select %c, %i0, {zero} : {t}", f"linalg.yield %r : {t}"])

    def reduce(self):
        value = self.take(*FLOATS)
        if not value or len(value.shape) < 2:
            return None
        rank, axis = len(value.shape), self.random.randrange(len(value.shape))
        rest = [i for i in range(rank) if i != axis]
        value = self.casted(value, "f32")
        op, start = self.random.choice((("addf", 0.0), ("maximumf", -1e30)))
        out = self.filled([value.shape[i] for i in rest], "f32", start)
        reduced = self.generic([value], [range(rank)], out, [
            f"%r = arith.{op} %i0, %o : f32", "linalg.yield %r : f32"],
            out_map=rest, reduces=(axis,), rank=rank)
        if self.random.random() < 0.3:
            return reduced
        return self.elementwise([value, reduced], "f32", [
            "%r = arith.subf %i0, %i1 : f32", "linalg.yield %r : f32"], [range(rank), rest])

    def softmax(self):
        value = self.take(*FLOATS)
        if not value or len(value.shape) < 2:
            return None
        value = self.casted(value, "f32")
        rank = len(value.shape)
        rest = list(range(rank - 1))
        shape = value.shape[:-1]
        top = self.generic([value], [range(rank)], self.filled(shape, "f32", -1e30), [
            "%r = arith.maximumf %i0, %o : f32", "linalg.yield %r : f32"],
            out_map=rest, reduces=(rank - 1,), rank=rank)
        power = self.elementwise([value, top], "f32", [
            "%d = arith.subf %i0, %i1 : f32", "%r = math.exp %d : f32",
            "linalg.yield %r : f32"], [range(rank), rest])
        total = self.generic([power], [range(rank)], self.filled(shape, "f32", 0), [
            "%r = arith.addf %i0, %o : f32", "linalg.yield %r : f32"],
            out_map=rest, reduces=(rank - 1,), rank=rank)
        return self.elementwise([power, total], "f32", [
            "%r = arith.divf %i0, %i1 : f32", "linalg.yield %r : f32"], [range(rank), rest])

    def transpose(self):
        value = self.take(*FLOATS, "i1", rank=2)
        if not value:
            return None
        out = self.empty(value.shape[::-1], value.element)
        return self.generic([value], [(1, 0)], out, [f"linalg.yield %i0 : {value.element}"])

    def stack(self):
        """Two values of a shape, one behind the other in a new first dimension."""
        first = self.take(*FLOATS, "i1", rank=2)
        others = [v for v in self.pool if first and v.shape == first.shape and
                  v.element == first.element]
        if not others or "M" in first.shape[1:]:
            return None
        into = self.empty((2,) + first.shape, first.element)
        sizes = ", ".join("%m" if s == "M" else str(s) for s in first.shape)
        for i, value in enumerate((first, self.random.choice(others))):
            result = Value(self.name(), into.shape, into.element)
            self.line(f"{result.name} = tensor.insert_slice {value.name} into {into.name}"
                      f"[{i}, 0, 0] [1, {sizes}] [1, 1, 1] : {value.type} into {into.type}")
            self.used.add(value.name)
            into = result
        return into

    def slice(self):
        value = self.take(*FLOATS, "i1", "i32")
        if not value:
            return None
        offsets, sizes, steps, shape = [], [], [], []
        for extent in value.shape:
            if extent == "M":
                offset, size, step = 0, "%m", 1
                shape.append("M")
            else:
                step = self.random.choice((1, 1, 2))
                offset = self.random.randrange(extent)
                size = self.random.randint(1, (extent - offset + step - 1) // step)
                shape.append(size)
            offsets.append(offset), sizes.append(size), steps.append(step)
        result = Value(self.name(), shape, value.element)
        spell = lambda numbers: f"[{', '.join(map(str, numbers))}]"
        self.line(f"{result.name} = tensor.extract_slice {value.name}{spell(offsets)} "
                  f"{spell(sizes)} {spell(steps)} : {value.type} to {result.type}")
        self.used.add(value.name)
        return result

    def pad(self):
        value = self.take(*FLOATS, rank=2)
        if not value or value.shape[1] == "M":
            return None
        low, high = self.random.randrange(3), self.random.randrange(1, 9)
        result = Value(self.name(), (value.shape[0], value.shape[1] + low + high), value.element)
        zero = self.constant(0, value.element)
        self.line(f"{result.name} = tensor.pad {value.name} low[0, {low}] high[0, {high}] {{")
        self.line("^bb0(%x: index, %y: index):")
        self.line(f"  tensor.yield {zero} : {value.element}")
        self.line(f"}} : {value.type} to {result.type}")
        self.used.add(value.name)
        return result

    def reshape(self):
        value = self.take(*FLOATS, "i1", rank=3)
        if value and "M" not in value.shape:
            a, b, c = value.shape
            result = Value(self.name(), (a * b, c), value.element)
            self.line(f"{result.name} = tensor.collapse_shape {value.name} [[0, 1], [2]] : "
                      f"{value.type} into {result.type}")
        else:
            value = self.take(*FLOATS, "i1", rank=2)
            if not value or "M" in value.shape:
                return None
            a, b = value.shape
            heads = self.random.choice([h for h in (1, 2, 3, 4, 5, 8) if b % h == 0])
            result = Value(self.name(), (a, heads, b // heads), value.element)
            self.line(f"{result.name} = tensor.expand_shape {value.name} [[0], [1, 2]] "
                      f"output_shape [{a}, {heads}, {b // heads}] : "
                      f"{value.type} into {result.type}")
        self.used.add(value.name)
        return result

    def gather(self):
        value = self.take(*FLOATS, rank=2)
        if not value or value.shape[0] == "M":
            return None
        rows = self.extent()
        table = self.argument([rows], self.random.choice(("i32", "i64")))
        self.ranges.append((len(self.arguments) - 1, 0, value.shape[0] - 1))
        out = self.empty((rows, value.shape[1]), value.element)
        self.used.add(value.name)
        return self.generic([table], [(0,)], out, [
            f"%x = arith.index_cast %i0 : {table.element} to index",
            "%y = linalg.index 1 : index",
            f"%r = tensor.extract {value.name}[%x, %y] : {value.type}",
            f"linalg.yield %r : {value.element}"])

    def loop(self):
        value = self.take(*FLOATS, rank=2)
        if not value or value.shape[1] == "M":
            return None
        value = self.casted(value, "f16")
        n, steps = value.shape[1], self.random.choice((1, 2, 3))
        weights = self.argument([n, n], "f16")
        low, high, step = (self.constant(i, "index") for i in (0, steps, 1))
        result = Value(self.name(), value.shape, "f16")
        self.line(f"{result.name} = scf.for %step = {low} to {high} step {step} "
                  f"iter_args(%x = {value.name}) -> ({value.type}) {{")
        self.used.add(value.name)
        inside = Value("%x", value.shape, "f16")
        out = self.filled(value.shape, "f32", 0)
        sums = self.generic([inside, weights], [(0, 2), (2, 1)], out, [
            "%x0 = arith.extf %i0 : f16 to f32", "%x1 = arith.extf %i1 : f16 to f32",
            "%p = arith.mulf %x0, %x1 : f32", "%s = arith.addf %o, %p : f32",
            "linalg.yield %s : f32"], out_map=(0, 1), reduces=(2,), rank=3)
        c = self.constant(0.5 / max(1, n) ** 0.5, "f32")
        small = self.elementwise([sums], "f16", [
            f"%q = arith.mulf %i0, {c} : f32", "%r = arith.truncf %q : f32 to f16",
            "linalg.yield %r : f16"])
        self.line(f"scf.yield {small.name} : {small.type}")
        self.line("}")
        return result

    # ---- The whole ---------------------------------------------------------------------

    def draw(self):
        statements = [self.product] * 5 + [self.batched] * 3 + [
            self.integers, self.bias, self.bias, self.unary, self.unary, self.binary, self.cast,
            self.mask, self.mask, self.both_masks, self.both_masks, self.select, self.select,
            self.causal, self.reduce, self.reduce, self.softmax, self.transpose, self.transpose,
            self.stack, self.stack, self.slice, self.slice, self.pad, self.reshape,
            self.reshape, self.gather, self.loop]
        if self.m:
            self.line("%zero_index = arith.constant 0 : index")
            self.line(f"%m = tensor.dim {self.first.name}, %zero_index : {self.first.type}")
        self.pool.append(self.product())
        for _ in range(self.random.randint(2, 8)):
            value = self.random.choice(statements)()
            if value:
                self.pool.append(value)
        results = [v for v in self.pool[1:] if v.name not in self.used] or [self.pool[-1]]
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        types = ", ".join(v.type for v in results)
        text = [f"// {self.options()}", f"func.func @main({arguments}) -> ({types}) {{"]
        text += self.lines
        text += [f"  return {', '.join(v.name for v in results)} : {types}", "}", ""]
        return "\n".join(text)

    def options(self):
        options = [f"--range={i}:{low}:{high}" for i, low, high in self.ranges]
        dynamic = sum(a.shape.count("M") for a in self.arguments)
        if dynamic:
            options.append("--dims=" + ",".join([str(self.m)] * dynamic))
        return " ".join(options)


# ---- Running ---------------------------------------------------------------------------

def run(hone, path, options, arguments):
    command = [hone, "run", path, f"--arch={arguments.arch}", "--stand-in", *options,
               *arguments.more]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=arguments.timeout)
    except subprocess.TimeoutExpired:
        return "slow", "", command
    if done.returncode == 0:
        return "right", "", command
    said = (done.stdout + done.stderr).strip()
    return ("not comparable" if done.returncode == 3 else "failed"), said, command


def reason_of(said):
    """The message without its numbers, so that like ones count as one."""
    lines = [l for l in said.splitlines() if re.search("error|expected|not comparable", l)]
    line = (lines or said.splitlines() or ["no output"])[0]
    return re.sub(r"[0-9]+", "N", line.split("error: ")[-1])[:90]


def one_case(case, arguments):
    text = Program(f"{arguments.seed}-{case}").draw()
    path = os.path.join(arguments.keep, f"program-{arguments.seed}-{case}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    options = text.splitlines()[0][3:].split()
    outcomes = []
    for rest in ("host", "gpu"):
        outcome, said, command = run(arguments.hone, path, options + [f"--rest={rest}"],
                                     arguments)
        # `hone run` asks once for extents that must be alike.
        asked = re.search(r"expected ([0-9]+) dynamic dimensions? ", said)
        if asked:
            extent = re.search("--dims=([0-9]+)", " ".join(options)).group(1)
            options = [o for o in options if not o.startswith("--dims")]
            options.append("--dims=" + ",".join([extent] * int(asked.group(1))))
            outcome, said, command = run(arguments.hone, path, options + [f"--rest={rest}"],
                                         arguments)
        outcomes.append((rest, outcome, said, command))
    if all(outcome == "right" for _, outcome, _, _ in outcomes):
        os.remove(path)
    return case, outcomes


def main():
    argv, more = sys.argv[1:], []
    if "--" in argv:
        at = argv.index("--")
        argv, more = argv[:at], argv[at + 1:]
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("hone")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep", default="programs-kept")
    arguments = parser.parse_args(argv)
    arguments.more = more
    os.makedirs(arguments.keep, exist_ok=True)
    cases = [arguments.only] if arguments.only is not None else range(arguments.count)
    counts, reasons, began = collections.Counter(), collections.Counter(), time.time()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for done, (case, outcomes) in enumerate(
                pool.map(lambda case: one_case(case, arguments), cases), 1):
            for rest, outcome, said, command in outcomes:
                counts[rest, outcome] += 1
                if outcome == "not comparable":
                    reasons[reason_of(said)] += 1
                elif outcome != "right":
                    print(f"case {case}: rest={rest}: {outcome}: {reason_of(said)}\n"
                          f"  {' '.join(command)}", flush=True)
            if sys.stderr.isatty():
                left = (time.time() - began) / done * (len(cases) - done)
                print(f"\r{done} of {len(cases)}, {left:.0f} s left ", end="", file=sys.stderr)
    for reason, count in reasons.most_common():
        print(f"not comparable, {count}: {reason}")
    wrong = 0
    for rest in ("host", "gpu"):
        line = [f"{counts[rest, outcome]} {outcome}"
                for outcome in ("right", "not comparable", "slow", "failed")]
        print(f"rest={rest}: {', '.join(line)}")
        wrong += counts[rest, "failed"] + counts[rest, "slow"]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
