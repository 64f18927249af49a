#!/usr/bin/env python3
"""What the picks of plans lose, by what searches of each value by itself had timed.

    hone-lab ranges --db=held.db --known=open.db --kernels=24 \\
        --rehearse=smooth --device=rehearsal:h200 --csv=picks.csv
    recorded-picks.py picks.csv held.db [ranges.csv ...]

picks.csv says what a plan picks (its times are rehearsed). A pick counts with the time
that `held.db` has of it at that value, or of what differs in nothing but group, chunk,
band, store, rewrites, overlap, stages and edge; or, if it is in one of `ranges.csv`, with
the time that was taken there. Times of trials are scaled so that the best of those who
missed the final is as good as the middle of the finalists.
"""

import csv
import math
import re
import sqlite3
import statistics
import sys

DETAILS = re.compile(r", (group|chunk|band|store|rewrites|overlap|stages|edge) = (\[[^\]]*\]|\w+)")


def form(schedule):
    return DETAILS.sub("", schedule)


def key(row):
    return tuple(int(row[name]) for name in "mnk") + (row["layout"],)


def recorded(database):
    """{(m, n, k, layout): {form: seconds over the chosen's}}"""
    times = {}
    query = """select p.text, c.grade, c.median, c.schedule from candidates c
               join problems p on p.id = c.problem where c.status = 'ok' and c.median > 0"""
    for text, grade, median, schedule in sqlite3.connect(database).execute(query):
        m, n, k = (int(re.search(rf"\b{name} = (\d+)", text)[1]) for name in "mnk")
        layout = "".join("n" if order == "row" else "t" for order in re.findall(r"[ab] = \w+:(\w+)", text))
        times.setdefault((m, n, k, layout), []).append((grade > 0, median, form(schedule)))
    ratios = {}
    for problem, rows in times.items():
        finals = [seconds for final, seconds, _ in rows if final]
        trials = [seconds for final, seconds, _ in rows if not final]
        if not finals:
            continue
        scale = statistics.median(finals) / min(trials) if trials else 1
        of = ratios.setdefault(problem, {})
        for final, seconds, schedule in rows:
            ratio = seconds * (1 if final else scale) / min(finals)
            of[schedule] = min(of.get(schedule, math.inf), ratio)
    return ratios


def main(picks, database, *measured):
    ratios = recorded(database)
    for path in measured:
        for row in csv.DictReader(open(path)):
            ratios.get(key(row), {})[form(row["picked"])] = 1 / float(row["ratio"])
    by_product, missing = {}, []
    for row in csv.DictReader(open(picks)):
        ratio = ratios.get(key(row), {}).get(form(row["picked"]))
        if row["picked"] == row["own"]:
            ratio = 1
        if ratio is None:
            missing.append("x".join(row[name] for name in "mnk"))
        else:
            by_product.setdefault(key(row)[1:], []).append((1 / ratio, int(row["m"])))
    for product, values in list(by_product.items()) + [(("all",), sum(by_product.values(), []))]:
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio, _ in values))
        print(f"{'x'.join(map(str, product)):20} {len(values):4} values  {mean:.4f}  smallest {min(values)[0]:.3f} at {min(values)[1]}")
    print(f"without a time: {len(missing)}: {' '.join(missing)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
