"""Grouped products on a GPU: kernels of Hone's beside torch's grouped_mm and a loop over the groups.

    python grouped_torch.py --csv=grouped.csv                    # products of models with experts
    python grouped_torch.py --drawn=20 --seed=1 --order=nt
    python grouped_torch.py --schedules=schedules.txt            # each schedule of a file beside the choice

Rows are dealt to groups unevenly by a seed, as a router deals them. All sides run in turns, as graphs of launches over
operands that together exceed the L2 cache, and are compared with a loop in f32. The loop has the ends on the host,
which costs it nothing here. The roof is the larger of 2 m n k at --rate and of all bytes at --bus.
"""

import argparse
import collections
import concurrent.futures
import csv
import functools
import multiprocessing
import os
import random
import statistics
import sys

Product = collections.namedtuple("Product", "name groups rows n k")
# Experts' up and down projections: groups, n, k.
MODELS = {
    "mixtral-gate-up": (8, 28672, 4096),
    "mixtral-down": (8, 4096, 14336),
    "qwen3-30b-up": (128, 1536, 2048),
    "qwen3-30b-down": (128, 2048, 768),
    "dsv3-ep8-up": (32, 4096, 7168),
    "dsv3-ep8-down": (32, 7168, 2048),
    "gpt-oss-up": (32, 5760, 2880),
    "gpt-oss-down": (32, 2880, 2880),
}
CACHE = 260e6  # bytes, five times the L2 cache
COLUMNS = "name order groups rows n k side us spread tflops of_roof error schedule".split()


def of_models(options):
    names = options.models.split(",") if options.models else MODELS
    rows = [int(each) for each in options.rows.split(",")]
    return [Product(name, MODELS[name][0], each, *MODELS[name][1:]) for each in rows for name in names]


def drawn(options):
    draw, found = random.Random(options.seed), []
    while len(found) < options.drawn:
        groups, rows = draw.choice((2, 4, 8, 16, 32, 64, 128, 256)), round(2 ** draw.uniform(3, 15))
        n, k = 8 * draw.randint(16, 1024), 8 * draw.randint(16, 1024)
        if groups * n * k < 2e9 and rows * n * k < 2e12:
            found.append(Product(f"drawn{len(found)}", groups, rows, n, k))
    return found


def ends_of(product, seed):
    """Shares of rows like those of tokens: some groups have many, some none."""
    draw = random.Random(seed)
    weights = [draw.gammavariate(2, 1) for _ in range(product.groups)]
    counts = collections.Counter(draw.choices(range(product.groups), weights, k=product.rows))
    ends, at = [], 0
    for group in range(product.groups):
        ends.append(at := at + counts[group])
    return ends


def shapes_of(product, options):
    """Of A and of all B."""
    groups, m, n, k = product.groups, product.rows, product.n, product.k
    return (m, k), (groups, n, k) if options.order == "nt" else (groups, k, n)


def spec_of(product, options, schedule=""):
    from hone_torch import interface, linalg, op

    is_nt = options.order == "nt"
    shapes = [(shape, options.type) for shape in shapes_of(product, options)] + [((product.groups,), "i32")]
    writer = linalg.Buffers("main", [(shape, each, interface.strides_of(shape)) for shape, each in shapes])
    a, b, ends = writer.arguments
    b = writer.transpose(b, [0, 2, 1]) if is_nt else b
    text = writer.finish([writer.grouped(a, b, ends, options.type)])
    inputs = tuple((tuple(range(len(shape))), interface.strides_of(shape), ()) for shape, _ in shapes)
    more = f'schedule="{schedule}"' if schedule else ""
    name = {"bf16": "bfloat16", "f16": "float16"}[options.type]
    return op.Spec(text, inputs, name, f"{options.pipeline} {more}".strip(), "").dump()


def launches_of(product, options, schedules, tensors):
    """{schedule: launch} of those that are legal, each launched once."""
    from hone_torch import interface, op

    found = {}
    for schedule in schedules:
        try:
            launch = op.launch_of(spec_of(product, options, schedule), "native")
            launch(tensors, [product.rows, product.n], [])
        except interface.Error as error:
            print(f"{product.name}, {schedule or 'the choice'}: {refusal_in(error)}", file=sys.stderr)
            continue
        found[schedule] = launch
    return found


def refusal_in(error):
    lines = str(error).splitlines()
    return next((line for line in lines if "error: " in line), lines[0])


def operands(product, options, fill):
    import torch

    dtype = {"bf16": torch.bfloat16, "f16": torch.float16}[options.type]
    return [fill(shape, device="cuda", dtype=dtype) for shape in shapes_of(product, options)]


def prepare(product, options, schedules):
    """Compiles all kernels of a product, in a process of its own: folders on disk keep them."""
    import torch

    a, b = operands(product, options, torch.empty)
    launches_of(product, options, schedules, [a, b, torch.zeros(product.groups, dtype=torch.int32, device="cuda")])
    torch.cuda.synchronize()


def measured(product, options, schedules):
    """Rows of the table, one for each side."""
    import torch
    from hone_torch import measure

    ends = ends_of(product, options.seed)
    spans = list(enumerate(zip([0, *ends[:-1]], ends)))
    offs = torch.tensor(ends, dtype=torch.int32, device="cuda")
    a, b = operands(product, options, torch.randn)
    view = (lambda b: b.transpose(1, 2)) if options.order == "nt" else (lambda b: b)
    out = torch.empty(product.rows, product.n, device="cuda", dtype=a.dtype)

    def loop(a, b, offs):
        for i, (start, end) in spans:
            if end > start:
                torch.mm(a[start:end], view(b)[i], out=out[start:end])
        return out

    sides = {"grouped_mm": lambda a, b, o: torch._grouped_mm(a, view(b), offs=o), "loop": loop}
    for schedule, launch in launches_of(product, options, schedules, [a, b, offs]).items():
        sides["hone " + schedule] = lambda *t, f=launch: f(t, [product.rows, product.n], [])
    exact = torch.cat([a[start:end].float() @ view(b)[i].float() for i, (start, end) in spans])
    errors = {name: error_of(side, (a, b, offs), exact) for name, side in sides.items()}
    copies = [(a, b, offs)]
    while len(copies) * (a.nbytes + b.nbytes) < CACHE and len(copies) < 8:
        copies.append((a.clone(), b.clone(), offs))
    calls = {
        name: [lambda c=c, f=f: f(*c) for c in copies] for name, f in sides.items() if errors[name] is not None
    }
    times = measure.in_turns(calls, a.device, seconds=options.seconds)
    return [row_of(product, options, ends, name, each, errors[name]) for name, each in times.items()]


def error_of(side, tensors, exact):
    """The largest difference, in deviations of the result; none if the side refuses the operands."""
    try:
        return ((side(*tensors).float() - exact).abs().max() / exact.std()).item()
    except RuntimeError as error:
        print(str(error).splitlines()[0], file=sys.stderr)
        return None


def row_of(product, options, ends, name, times, error):
    us = statistics.median(times)
    side, _, schedule = name.partition(" ")
    m, n, k = product.rows, product.n, product.k
    touched = len({*ends} - {0})
    roof = max(2 * m * n * k / options.rate, 2 * (m * k + m * n + touched * n * k) / options.bus) * 1e6
    return [product.name, options.order, product.groups, m, n, k, side, f"{us:.2f}",
            f"{(max(times) - min(times)) / us:.3f}", f"{2e-6 * m * n * k / us:.1f}", f"{roof / us:.3f}",
            f"{error:.2e}", schedule]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", help="comma-separated names; default: all")
    parser.add_argument("--rows", default="64,512,4096,16384", help="rows of A, comma-separated")
    parser.add_argument("--drawn", type=int, help="that many drawn products in place of those of models")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--order", choices=("nn", "nt"), default="nn", help="lines of B along n or along k")
    parser.add_argument("--type", choices=("bf16", "f16"), default="bf16")
    parser.add_argument("--schedules", help="file with a schedule on each line; an empty line is the build's choice")
    parser.add_argument("--pipeline", default="", help="further options of hone-pipeline")
    parser.add_argument("--csv", default="grouped.csv")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=0.3, help="of measurement for each product")
    parser.add_argument("--rate", type=float, default=790e12, help="products and sums a second")
    parser.add_argument("--bus", type=float, default=4.3e12, help="bytes a second")
    options = parser.parse_args()
    products = drawn(options) if options.drawn else of_models(options)
    schedules = [""]
    if options.schedules:
        with open(options.schedules, encoding="utf-8") as file:
            schedules = list(dict.fromkeys(file.read().splitlines()))
    work = functools.partial(prepare, options=options, schedules=schedules)
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        list(pool.map(work, products))
    with open(options.csv, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for product in products:
            import torch

            for row in measured(product, options, schedules):
                writer.writerow(row)
                print(*row, sep="\t", flush=True)
            file.flush()
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
