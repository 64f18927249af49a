"""Comparisons of Hone's kernels with torch's ops: operators, errors, times in turns, tables and their summaries."""

import argparse
import csv
import math
import pathlib
import statistics
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))  # unless the wheel is installed

NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32"}  # of types in torch


def parser_of(description, seconds):
    """The options that all these programs have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--pipeline", default="rest=gpu", help="options of hone-pipeline")
    parser.add_argument("--seconds", type=float, default=seconds, help="of measurement for each row")
    parser.add_argument("--csv")
    return parser


def writer_of(shapes, element):
    """A function of tensors whose lines are dense."""
    from hone_torch import interface, linalg

    return linalg.Buffers("main", [(shape, element, interface.strides_of(shape)) for shape in shapes])


def launch_of(text, shapes, element, options):
    import torch
    from hone_torch import interface, op

    layouts = tuple((tuple(range(len(shape))), interface.strides_of(shape), ()) for shape in shapes)
    spec = op.Spec(text, layouts, NAMES[element], options.pipeline, "").dump()
    return op.launch_of(spec, op.arch_of(torch.device(options.device)))


def errors_of(sides, tensors, exact):
    """Of Hone's side, and the largest one allowed: torch's twice, and four roundings; in deviations of the result."""
    import torch
    from hone_torch import measure

    scale = exact.std()
    error, own = (measure.largest_difference(side(tensors), exact).div(scale).item() for side in sides.values())
    return f"{error:.2e}", f"{2 * own + 4 * torch.finfo(tensors[0].dtype).eps:.2e}"


def times_of(sides, tensors, options, keeps_results=False):
    """Microseconds of each side, in turns over copies of the tensors. A copy may have a result of its own."""
    import torch
    from hone_torch import measure

    copies, kept = measure.copies_of(tensors), {}

    def call(name, at):
        result = sides[name](copies[at])
        if keeps_results:
            kept[name, at] = result

    calls = {name: [lambda n=name, i=i: call(n, i) for i in range(len(copies))] for name in sides}
    return measure.in_turns(calls, torch.device(options.device), seconds=options.seconds).values()


def turns_of(sides):
    """Median, lowest and highest of each side's turns, as columns."""
    return [f"{each:.2f}" for times in sides for each in (statistics.median(times), min(times), max(times))]


def summary(ratios):
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    return f"{mean:.3f}, smallest {min(ratios):.3f}, won {sum(ratio > 1 for ratio in ratios)} of {len(ratios)}"


def write(path, columns, rows):
    if path:
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([columns, *rows])


def refuse_errors(rows, names):
    """Ends the program if an error, the last column but one, is not allowed. A row begins with its names."""
    wrong = [row for row in rows if not float(row[-2]) <= float(row[-1])]
    for row in wrong:
        print(f"error: expected an error of at most {row[-1]}, but got {row[-2]} for", *row[:names], file=sys.stderr)
    if wrong:
        sys.exit(1)
