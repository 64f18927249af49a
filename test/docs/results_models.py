"""Figures of a large language model in docs/Results.md: its schedules and its kernels."""

import math
import random
import statistics

from checks import sentence, table
from measurements import mean

HEADING = "The search, measured"


def adviser(data):
    best, sets = {}, {}
    rows = data.rows("h200/adviser.csv")
    for row in rows:
        key = tuple(row[each] for each in ("run", "m", "n", "k"))
        best[key] = min(best.get(key, math.inf), float(row["us"]))
    for row in rows:
        quality = best[tuple(row[each] for each in ("run", "m", "n", "k"))] / float(row["us"])
        sets.setdefault((row["run"], row["policy"]), []).append((quality, row))

    def qualities(some):
        return [quality for quality, _ in some]

    def trials(some):
        each = [float(row["trials"]) for _, row in some if row["trials"]]
        return sum(each) / len(each)

    second = {policy: some for (run, policy), some in sets.items() if run == "second"}
    columns = {"quality": lambda some: (mean(qualities(some)), *band(qualities(some)))}
    columns |= {"smallest": lambda some: min(qualities(some))}
    yield from table(HEADING, "proposals", second, columns)
    searched = {policy: some for policy, some in second.items() if some[0][1]["trials"]}
    spent = {"trials": trials, "seconds": lambda some: float(some[0][1]["device_s"])}
    yield from table(HEADING, "proposals", searched, spent)
    ratios = [a / b for a, b in zip(qualities(second["chat"]), qualities(second["hybrid"]))]
    yield from sentence(HEADING, "`chat` takes {} ({} to {}) of", 1 / mean(ratios), *(1 / each for each in band(ratios)[::-1]))
    earlier = [mean(qualities(sets["first", policy])) for policy in ("chat", "hybrid", "hybrid, 96 trials")]
    yield from sentence(HEADING, "`chat` {}, `hybrid` {}, with 96 trials {}", *earlier)


def band(ratios):
    """95 % of the means of as many problems, drawn with replacement."""
    draw = random.Random(1)
    means = sorted(mean(draw.choices(ratios, k=len(ratios))) for _ in range(4000))
    return means[100], means[3899]


def writing(data):
    names, sets = ("written", "climbed", "build"), {True: {}, False: {}}
    for row in data.rows("h200/writing.csv"):
        is_aligned = all(int(row[each]) % 8 == 0 for each in ("m", "n", "k"))
        for name in names:
            # One choice has no time.
            ratio = float(row["lists_us"]) / float(row[name + "_us"]) if row["lists_us"] else 1
            sets[is_aligned].setdefault(f"`{name}`", {}).setdefault(row["seed"], []).append(ratio)

    def speed(seeds):
        means = [mean(ratios) for ratios in seeds.values()]
        return mean(means), min(means), max(means)

    def smallest(seeds):
        return min(min(ratios) for ratios in seeds.values())

    yield from table(HEADING, "choice", sets[True], {"aligned": speed, "smallest": smallest})
    yield from table(HEADING, "choice", sets[False], {"not aligned": speed, "smallest (2)": smallest})


def kernels(data):
    times = {}
    for row in data.rows("h200/kernels.csv"):
        finals = times.setdefault(tuple(row[each] for each in ("m", "n", "k")), {})
        finals.setdefault(row["final"], {})[row["kernel"]] = float(row["us"])

    def ratios(finals, of):
        return sorted(of(one) / one["model"] for one in finals.values())

    over_start = {"x".join(name): ratios(finals, lambda one: one["start"]) for name, finals in times.items()}
    over_menu = [ratios(finals, lambda one: min(one["start"], one["menu"])) for finals in times.values()]
    gains = [statistics.median(each) for each in over_start.values()]
    yield from sentence(HEADING, "medians of three finals are {} to {};", min(gains), max(gains))
    yield from sentence(HEADING, "3648x960x1600 ({})", statistics.median(over_start["3648x960x1600"]))
    text = "{} of the speed of the first kernels ({} to {}, the 95 % band of the mean), {} of the better of them"
    menu = mean([statistics.median(each) for each in over_menu])
    yield from sentence(HEADING, text, mean(gains), *band(gains), menu)
    sure = sum(min(each) > 1 for each in over_start.values())
    yield from sentence(HEADING, "{} of the 12 are faster in each final", sure)
