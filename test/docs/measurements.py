"""The measurements of data/ that docs/Results.md and README.md show."""

import csv
import json
import math
import os
import re
import sys
from collections import namedtuple

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from data import lines

Problem = namedtuple("Problem", "shape ops aligned on off row")  # ratios with and without programmatic launch


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def won(ratios):
    return sum(ratio > 1 for ratio in ratios)


def quantile(values, share):
    return sorted(values)[int(len(values) * share)]


def spread(row, who=""):
    """In percent: the 10th to the 90th percentile, over the time."""
    return 100 * (float(row[who + "p90"]) - float(row[who + "p10"])) / float(row[who + "us"])


def name_of(shape):
    return f"{shape[0]}^3" if len(set(shape)) == 1 else "x".join(map(str, shape))


def problem(row, on, off):
    m, n, k = shape = tuple(int(row[name]) for name in "mnk")
    return Problem(shape, 2 * m * n * k, n % 8 == k % 8 == 0, float(on), float(off), row)


def better_layout(rows):
    """The ratio of a shape's better layouts and its interval: low, value, high."""
    ours, theirs = (min(rows, key=lambda row: float(row[column])) for column in ("us", "base_us"))
    if ours is theirs:
        return tuple(float(ours[name]) for name in ("ratio_low", "ratio", "ratio_high"))
    value = float(theirs["base_us"]) / float(ours["us"])
    halves = [math.log(float(row["ratio_high"]) / float(row["ratio"])) for row in (ours, theirs)]
    factor = math.exp(math.hypot(*halves))
    return value / factor, value, value * factor


class Data:
    def __init__(self, root):
        self.top = os.path.join(root, "data")
        self.sets = self.rows("h200/bench.csv")
        self.grid = self.rows("h200/campaign.csv.zst")
        self.new = [problem(row, row["ratio"], row["ratio_off"]) for row in self.rows("h100/judged.csv")]
        judged = self.rows("h200/judged.csv")
        self.judged = [problem(row, row["ratio"], row["ratio_without_pdl"]) for row in judged]

    def rows(self, name):
        return list(csv.DictReader(line for line in lines(os.path.join(self.top, name)) if line[0] != "#"))

    def bench(self, name, **fields):
        """The problems of a part of a set that has each shape once, with or without rows `off`."""
        rows = [row for row in self.sets if row["set"] == name and fields.items() <= row.items()]
        off = {(row["m"], row["n"], row["k"]): row["ratio"] for row in rows if row["programmatic"] == "off"}
        on = [row for row in rows if row["programmatic"] == "on"]
        return [problem(row, row["ratio"] or 0, off.get((row["m"], row["n"], row["k"])) or 0) for row in on]

    def campaign(self, baseline):
        """The grid's shapes, of each side the better layout; none without zstd."""
        shapes, problems = {}, []
        for row in self.grid:
            if row["baseline"] == baseline:
                shapes.setdefault((row["m"], row["n"], row["k"]), {}).setdefault(row["programmatic"], []).append(row)
        for modes in shapes.values():
            ratios = {mode: better_layout(rows) for mode, rows in modes.items()}
            problems.append(problem(modes["on"][0] | {"won": ratios}, ratios["on"][1], ratios["off"][1]))
        return problems

    def runs(self, machine, build, aligned):
        """The first runs of the new shapes, and the second ones."""
        found = {}
        for one in self.new:
            if (one.row["machine"], one.row["build"], one.aligned) == (machine, build, aligned):
                found.setdefault(one.shape, []).append(one)
        return [run[0] for run in found.values()], [run[1] for run in found.values() if run[1:]]

    def gains(self):
        """{types: gains of whole searches over builds} on the H100; none without zstd."""
        searches, gains = {}, {}
        for line in lines(os.path.join(self.top, "h100/records.jsonl.zst")):
            if (record := json.loads(line))["arch"] == "h100":
                searches.setdefault(record["problem"], []).append(record)
        for text, records in searches.items():
            build = [one["median"] for one in records if one["policy"] == "hybrid/build" and one["status"] == "ok"]
            best = [one["median"] for one in records if one.get("grade") == "chosen"]
            if len(records) >= 24 and build and best:
                kind = re.search(r"tf32(?:x3)?", text) or re.search(r"(?<=a = )\w+", text)
                for name in ("all", kind[0]):
                    gains.setdefault(name, []).append(build[0] / best[0])
        return gains
