"""Figures of invariant numbers in docs/Results.md."""

from checks import sentence, table
from measurements import mean, quantile

HEADING = "Invariant numbers"
SECOND_GPU = "2"  # products of each row
BANDS = {"below 64": range(1, 64), "64 to 511": range(64, 512), "512 and more": range(512, 10**6)}


def banded(rows, name=""):
    return {band + name: [row for row in rows if int(row["m"]) in span] for band, span in BANDS.items()}


def numbers(data):
    yield from bits(data)
    yield from prices(data)
    yield from rivals(data)


def bits(data):
    sets, hashes = {}, {}
    for row in data.rows("h200/numbers-bits.csv"):
        hashes.setdefault((row["n"], row["k"], row["types"]), []).append(row["bits"])
        if row["products"] != SECOND_GPU:
            sets.setdefault(row["types"], []).append(row)
    of_both = [each for each in hashes.values() if len(each) == 2]
    equal = sum(first == second for first, second in of_both)
    yield from sentence(HEADING, "{} of {} hashes are equal", equal, len(of_both))

    def shares(some):
        return [100 * int(row["cublas_wrong"]) / int(row["cublas_values"]) for row in some]

    columns = {"products": len, "values": lambda some: sum(int(row["values"]) for row in some)}
    columns["differ"] = lambda some: sum(int(row["wrong_values"]) for row in some)
    yield from table(HEADING, "types", sets, columns)
    column = {"cuBLASLt's differ, by product": lambda some: (min(shares(some)), max(shares(some)))}
    for name in ("f16:f16", "bf16:bf16"):
        yield from table(HEADING, "types", {name: sets[name]}, column)


def prices(data):
    rows = data.rows("h200/numbers-price.csv")
    in_parts = [row for row in rows if row["types"] == "tf32x3:f32"]
    short = [row for row in rows if row not in in_parts]
    sets = banded(short, ", 16 and 8 bits") | banded(in_parts, ", `tf32x3`")

    def of(column, *functions):
        return lambda some: tuple(function([float(row[column]) for row in some]) for function in functions)

    columns = {"rows": len, "price": of("price", mean), "smallest, largest": of("price", min, max)}
    columns["over cuBLASLt, smallest"] = of("over_cublas_0", mean, min)
    yield from table(HEADING, "M, types", sets, columns)
    spreads = [100 * quantile([float(row["spread"]) for row in rows], share) for share in (0.5, 0.9)]
    yield from sentence(HEADING, "turns spread by {} % in the median, by {} % at the 90th percentile", *spreads)


def rivals(data):
    rows = data.rows("h200/numbers-torch.csv")
    timed = [row for row in rows if row["unit"] == "us"]

    def over(rival):
        def ratios(some):
            return [float(row[rival]) / float(row["hone"]) for row in some]

        return lambda some: (mean(ratios(some)), min(ratios(some)))

    columns = {"rows": len, "torch": over("torch"), "Triton, invariant": over("triton")}
    yield from table(HEADING, "rows of A", banded(timed), columns)
    spread = 100 * quantile([float(row["spread"]) for row in timed], 0.5)
    yield from sentence(HEADING, "spread of a row's turns is {} %", spread)
    shares = [100 * int(row["torch"]) / int(row["values"]) for row in rows if row["unit"] == "differ"]
    yield from sentence(HEADING, "{} to {} % differ, by product", min(shares), max(shares))
