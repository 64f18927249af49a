"""Tables of the results of KernelBench's problems (kernelbench.py), losses first, and as CSV."""

import csv
import json
import math
import os
import statistics


def done_in(path):
    if not os.path.exists(path):
        return []
    return [json.loads(line) for line in open(path) if line.endswith("\n")]


def show(path, classes):
    """Tables, losses first."""
    records = done_in(path)
    for which in classes:
        rows = [each for each in records if each["class"] == which and "of_inductor" in each]
        failed = [each for each in records if each["class"] == which and each.get("error")]
        if not rows and not failed:
            continue
        print(f"\n{which}: hone, inductor, eager in us; inductor / hone; products by Hone; error of both")
        for each in sorted(rows, key=lambda each: each["of_inductor"]):
            times = " ".join(f"{each[side + '_us']:9.1f}" for side in ("hone", "inductor", "eager"))
            count = f"{len(each['taken'])}/{len(each['taken']) + len(each['left'])}"
            words = "" if each["hone_right"] and each.get("other_shapes") is not False else " wrong"
            words += "" if each["inductor_right"] else " (as inductor)"
            words += " not strict" if each.get("strict") is False else ""
            errors = f"{each.get('hone_error', math.nan):.1e} {each.get('torch_error', math.nan):.1e}"
            print(f"{times} {each['of_inductor']:6.3f} {count:>5} {errors} {each['level']}/{each['name'][:40]}{words}")
        for each in failed:
            print(f"failed: {each['level']}/{each['name']}: {each['error']}")
        if rows:
            taken, all_ = (sum(len(each[word]) for each in rows) for word in ("taken", "left"))
            mean = statistics.geometric_mean(each["of_inductor"] for each in rows)
            eager = statistics.geometric_mean(each["of_eager"] for each in rows)
            least = min(each["of_inductor"] for each in rows)
            right = sum(each["hone_right"] for each in rows)
            strictly = sum(bool(each.get("strict")) for each in rows)
            print(f"{which}: {len(rows)} problems, {right} right, {strictly} strictly; "
                  f"{mean:.3f} of torch.compile (smallest {least:.3f}), {eager:.3f} of eager; "
                  f"{taken} of {taken + all_} products by Hone")  # fmt: skip


def write_csv(records, path):
    """A row for each problem and class."""
    columns = ("hone_us", "inductor_us", "eager_us", "of_inductor", "of_eager", "hone_right", "inductor_right",
               "strict", "hone_error", "torch_error", "hone_compile_s", "inductor_compile_s")  # fmt: skip
    with open(path, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("level", "problem", "class", *columns, "by_hone", "products"))
        for each in sorted(records, key=place_of):
            values = [each.get(word, "") for word in columns]
            values = [f"{value:.2e}" if isinstance(value, float) and value < 0.01 else value for value in values]
            taken, left = (len(each.get(word, ())) for word in ("taken", "left"))
            rows.writerow((each["level"], each["name"], each["class"], *values, taken, taken + left))


def place_of(record):
    return record["class"], record["level"], int(record["name"].split("_")[0])
