"""Figures in docs/Results.md of programs in examples/frontends and examples/graphs."""

import math

from checks import sentence, table
from measurements import mean, quantile, won


def contractions(data):
    heading, sets, rows = "Contractions", {}, data.rows("h200/contractions.csv")
    for row in rows:
        sets.setdefault(row["seed"], []).append(row)

    def ratios(function):
        return lambda some: function([float(row["ratio"]) for row in some])

    columns = {"contractions": len, "ratio": ratios(mean), "smallest": ratios(min), "won": ratios(won)}
    columns |= {"with copies": lambda some: sum(int(row["copied"]) > 0 for row in some)}
    yield from table(heading, "seed", sets, columns)
    turns = [100 * (float(row["hone_max"]) - float(row["hone_min"])) / float(row["hone_us"]) for row in rows]
    yield from sentence(heading, "spread of a row's turns is {} %", quantile(turns, 0.5))
    for row in (row for row in rows if float(row["ratio"]) < 1):
        yield from sentence(heading, row["spelling"] + " ({}", float(row["ratio"]))


def depthwise(data):
    sets, bus = {}, 4.3e12  # bytes a second
    for row in data.rows("h200/convolutions.csv"):
        if row["set"] == "depthwise":
            image, window, step = row["name"].removeprefix("conv:").split(":")
            images, *size, channels = map(int, image.split("x"))
            pixels = size[0] * size[1] + math.prod((each - 1) // int(step) + 1 for each in size)
            us = 2 * images * channels * pixels / bus * 1e6
            known = float(row["cudnn_us"]) / float(row["built_us"]), us / float(row["built_us"])
            sets.setdefault(f"{window}, {step}", []).append(known)

    def of(at, *functions):
        return lambda some: tuple(function([each[at] for each in some]) for function in functions)

    columns = {"number": len, "ratio": of(0, mean), "smallest": of(0, min), "won": of(0, won)}
    columns |= {"of the bus, from, to": of(1, mean, min, max)}
    yield from table("Convolutions", "window, step", sets, columns)


def mixture(data):
    names, rows = {"qwen3": "Qwen3-30B", "mixtral": "Mixtral"}, {}
    for row in data.rows("h200/mixture.csv"):
        rows[f"{names[row['layer']]}, {int(row['tokens']):,}"] = row

    def turns(side):
        return lambda row: tuple(float(row[f"{side}_{name}"]) for name in ("us", "min", "max"))

    columns = {"Hone": turns("hone"), "eager": turns("eager"), "torch.compile": turns("compiled")}
    columns |= {f"over {name}": lambda row, key=key: float(row[key])
                for name, key in (("eager", "over_eager"), ("torch.compile", "over_compiled"))}  # fmt: skip
    yield from table("Grouped products", "experts, tokens", rows, columns)


def graphs(data):
    heading, sides, sets = "Graph networks", {}, {}
    for row in data.rows("h200/graphs.csv"):
        key = row["model"], row["graph"], row["products"]
        sides.setdefault(key, {})[row["side"]] = float(row["us"])
    for (model, graph, products), times in sides.items():
        name = graph if products == "tf32x3" else f"{graph}, exact"
        sets.setdefault(model.upper(), {})[name] = times["loop"] / times["hone"]
    fast = ("AIFB", "MUTAG", "BGS")
    columns = {name: lambda some, name=name: some[name] for name in (*fast, "AIFB, exact", "MUTAG, exact")}
    columns |= {"mean": lambda some: mean([some[name] for name in fast])}
    yield from table(heading, "model", sets, columns)
    yield from sentence(heading, "are {} times as fast in the mean", mean([each[name] for each in sets.values() for name in fast]))
