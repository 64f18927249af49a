"""Drawn contractions of f16 and bf16: one function of Hone's on the tensors as they are, beside torch.einsum.

    python contractions_torch.py --number=40 --seed=1 --csv=contractions.csv
    python contractions_torch.py --lower=sm_90a        # compiles alone: launches, and remarks by their reason

Rows, columns and summed dimensions are two or three letters each, and there may be one of a batch, in any order in
both factors and in the result. torch.einsum may return a view; Hone's result has the same order in memory, or with
--dense the order of the spelling. Sums are of f32, rounded once. Both sides run in turns, on a GPU as graphs of
launches over operands that exceed the L2 cache. Errors are in deviations of the result in f64; twice torch's own and
four roundings are allowed. A launch beyond the first is a copy of a factor or of the result in another order.
"""

import collections
import math
import random
import re
import statistics

import comparing

Contraction = collections.namedtuple("Contraction", "spelling extents type")
TIMES = [f"{side}_{name}" for side in ("hone", "torch") for name in ("us", "min", "max")]
COLUMNS = [*"seed spelling extents type gflop".split(), *TIMES, *"ratio launches copied error allowed".split()]


def parts_of(contraction):
    """The letters of both factors and of the result."""
    return re.split("->|,", contraction.spelling)


def shapes_of(contraction):
    return [tuple(contraction.extents[letter] for letter in part) for part in parts_of(contraction)]


def work_of(contraction):
    return 2 * math.prod(contraction.extents.values())


def shuffled(draw, letters):
    return "".join(draw.sample(letters, len(letters)))


def drawn(options):
    draw, found = random.Random(options.seed), []
    low, high = (float(each) for each in options.flops.split(","))
    while len(found) < options.number:
        counts = [draw.choice((2, 3)) for _ in "mnk"] + [draw.choice((0, 1))]
        letters, ends = "abcdefghij", [sum(counts[:i]) for i in range(5)]
        m, n, k, batch = (letters[begin:end] for begin, end in zip(ends, ends[1:]))
        # Most extents are multiples of 8.
        sizes = [draw.choice((8, 8, 8, 1)) for _ in range(ends[4])]
        extents = {c: max(2, size * round(2 ** draw.uniform(1, 7) / size)) for c, size in zip(letters, sizes)}
        spelling = f"{shuffled(draw, m + k + batch)},{shuffled(draw, n + k + batch)}->{shuffled(draw, m + n + batch)}"
        each = Contraction(spelling, extents, draw.choice(("f16", "bf16")))
        largest = max(map(math.prod, shapes_of(each)))
        if low <= work_of(each) <= high and 2 * largest < 1e9:
            found.append(each)
    return found


def order_of(contraction, options):
    """The dimensions of the result, from the outermost in memory to the innermost."""
    import torch

    *inputs, size = shapes_of(contraction)
    if options.dense:
        return list(range(len(size)))
    result = torch.einsum(contraction.spelling, *(torch.empty(shape, device="meta") for shape in inputs))
    return sorted(range(len(size)), key=lambda dim: -result.stride(dim))


def text_of(contraction, order):
    *inputs, _ = shapes_of(contraction)
    factors, result = contraction.spelling.split("->")
    writer = comparing.writer_of(inputs, contraction.type)
    spelling = f"{factors}->{''.join(result[dim] for dim in order)}"
    return writer.finish([writer.contract(spelling, *writer.arguments, contraction.type)])


def spell(contraction):
    return ",".join(f"{letter}={size}" for letter, size in contraction.extents.items())


# ---- Compilation alone -------------------------------------------------------------------------


def lower(contractions, options):
    """Reasons of remarks, and numbers of launches, by how often they occur."""
    from hone_torch import interface

    reasons, launches = collections.Counter(), collections.Counter()
    for each in contractions:
        pipeline = interface.pipeline(options.lower, options.pipeline)
        lowered, remarks = interface.session().run(text_of(each, order_of(each, options)), pipeline)
        count = lowered.count("call @honeLaunch")
        launches[count] += 1
        found = re.findall(r"remark: ((?:reads a|its result is|not )[^\n(]*)", remarks)
        found = [reason for reason in found if "not proven" not in reason]
        reasons.update(found)
        if options.verbose:
            print(each.spelling, spell(each), each.type, count, *found, sep="\t")
            print("".join(f"    {line}\n" for line in remarks.splitlines() if "remark: m = " in line), end="")
    for name, counter in (("launches", launches), ("remarks", reasons)):
        for value, count in counter.most_common():
            print(f"{name}: {count} of {len(contractions)}: {value}")


# ---- Measurement -------------------------------------------------------------------------------


def measured(contraction, options):
    import torch

    *inputs, size = shapes_of(contraction)
    order = order_of(contraction, options)
    stored, places = [size[dim] for dim in order], [order.index(dim) for dim in range(len(size))]
    dtype = getattr(torch, comparing.NAMES[contraction.type])
    factors = [torch.randn(shape, device=options.device, dtype=dtype) for shape in inputs]
    launch = comparing.launch_of(text_of(contraction, order), inputs, contraction.type, options)
    sides = {
        "hone": lambda tensors: launch(tensors, stored, []).permute(places),
        "torch": lambda tensors: torch.einsum(contraction.spelling, *tensors),
    }
    exact = torch.einsum(contraction.spelling, *(each.double() for each in factors))
    errors = comparing.errors_of(sides, factors, exact)
    del exact
    times = list(comparing.times_of(sides, factors, options))
    ratio = statistics.median(b / a for a, b in zip(*times))
    count = launch.function.lowered.count("call @honeLaunch")
    turns = comparing.turns_of(times)
    return [options.seed, contraction.spelling, spell(contraction), contraction.type, f"{work_of(contraction) / 1e9:.2f}",
            *turns, f"{ratio:.3f}", count, max(0, count - 1), *errors]  # fmt: skip


def main():
    parser = comparing.parser_of(__doc__, seconds=0.3)
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--flops", default="1e8,2e11", help="minimum and maximum of one contraction")
    parser.add_argument("--dense", action="store_true", help="write results in the order of the spelling")
    parser.add_argument("--lower", metavar="ARCH", help="compile for an arch, and run nothing")
    parser.add_argument("--verbose", action="store_true", help="with --lower: a line for each contraction")
    options = parser.parse_args()
    contractions = drawn(options)
    if options.lower:
        lower(contractions, options)
        return
    rows = []
    for each in contractions:
        rows.append(measured(each, options))
        print(*rows[-1], sep="\t", flush=True)
    comparing.write(options.csv, COLUMNS, rows)
    ratio_of = {tuple(row): float(row[COLUMNS.index("ratio")]) for row in rows}
    print("torch's time over Hone's: mean", comparing.summary(list(ratio_of.values())))
    for row, ratio in sorted(ratio_of.items(), key=lambda each: each[1]):
        if ratio <= 1:
            print("lost:", *row)
    comparing.refuse_errors(rows, names=4)


if __name__ == "__main__":
    main()
