#!/usr/bin/env python3
"""How good the schedule is that a build takes where nothing was measured, on shapes nobody looked at.

usage: first-choices.py draw FOLDER SEED...           what draw.py draws, as lists of shapes and as a module
       first-choices.py ask FOLDER HONE NAME          what HONE explain says of it, as records: NAME.jsonl, NAME.db
       first-choices.py table FOLDER PICKS.json NAME...   best known over each, by class

The open half of each draw is taken as nt, the sealed one as nn. The rest is done on the GPU:

    hone tune --shapes=@FOLDER/nt.txt --layouts=nt --db=best.db     # and nn
    hone-lab picks --db=best.db,NAME.db,... --rounds=9 --json > PICKS.json

Best known is whatever is fastest in that final. A record that no GPU has timed needs a time, so
records here say 1 s; nothing reads it.
"""

import json
import math
import os
import subprocess
import sys

from draw import halves


def shapes_of(seed):
    """Aligned ones first, as in the files that draw.py writes."""
    layouts = {"open": "nt", "sealed": "nn"}
    for name, shapes in halves(seed):
        for shape in shapes[::2] + shapes[1::2]:
            yield layouts[name], "x".join(map(str, shape))


FUNCTION = """\
func.func @{name}(%a: tensor<{m}x{k}xf16>, %b: tensor<{b}xf16>) -> tensor<{m}x{n}xf16> {{
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<{m}x{n}xf16>
  %0 = linalg.fill ins(%zero : f16) outs(%e : tensor<{m}x{n}xf16>) -> tensor<{m}x{n}xf16>
  %1 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> ({at})>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<{m}x{k}xf16>, tensor<{b}xf16>) outs(%0 : tensor<{m}x{n}xf16>) -> tensor<{m}x{n}xf16>
  return %1 : tensor<{m}x{n}xf16>
}}
"""


def draw(folder, *seeds):
    os.makedirs(folder, exist_ok=True)
    drawn = [one for seed in seeds for one in shapes_of(seed)]
    for layout in ("nt", "nn"):
        with open(os.path.join(folder, f"{layout}.txt"), "w", encoding="utf-8") as file:
            file.writelines(f"{shape}\n" for of, shape in drawn if of == layout)
    with open(os.path.join(folder, "all.mlir"), "w", encoding="utf-8") as file:
        for at, (layout, shape) in enumerate(drawn):
            m, n, k = shape.split("x")
            b, place = (f"{n}x{k}", "n, k") if layout == "nt" else (f"{k}x{n}", "k, n")
            file.write(FUNCTION.format(name=f"f{at}", m=m, n=n, k=k, b=b, at=place))


def ask(folder, hone, name):
    command = [hone, "explain", os.path.join(folder, "all.mlir"), "--arch=h200", "--json"]
    said = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    base = os.path.join(folder, name)
    with open(base + ".jsonl", "w", encoding="utf-8") as file:
        for one in said:
            numbers = dict.fromkeys(("clock_mhz", "error", "registers", "seed", "space", "spill_bytes"), 0)
            record = {"arch": "h200", "problem": one["problem"], "schedule": one["schedule"], "status": "ok"}
            record |= {"median": 1, "p10": 1, "p90": 1, "cost_seconds": 0, "samples": 1, "measured_at": 1}
            record |= {"driver": "", "hone": "", "llvm": "", "model": "", "policy": name} | numbers
            file.write(json.dumps(record, sort_keys=True) + "\n")
    if os.path.exists(base + ".db"):
        os.remove(base + ".db")
    subprocess.run([hone, "db", "import", base + ".db", f"--from={base}.jsonl"], check=True)


def times_of(picks):
    """The microseconds of each schedule, by what a problem is called; one that does not run takes for ever."""
    with open(picks, encoding="utf-8") as file:
        for row in json.load(file):
            schedules = row["schedules"].split("; ")
            said = ["1"] * len(schedules) if row["us"] == "-" else row["us"].split(" ")
            numbers = [float(us) if us[0].isdigit() else math.inf for us in said]
            yield row["problem"], dict(zip(schedules, numbers))


def short_name(problem):
    of = dict(part.split(" = ") for part in problem.split(", "))
    layout = ("n" if ":row:" in of["a"] else "t") + ("n" if ":row:" in of["b"] else "t")
    return f"{of['m']}x{of['n']}x{of['k']} {layout} f16:f16"


def is_aligned(problem):
    return all(part.endswith(":16") for part in problem.split(", ") if ":" in part)


def table(folder, picks, *names):
    times = dict(times_of(picks))
    for name in names:
        ratios = {True: [], False: []}
        with open(os.path.join(folder, name + ".jsonl"), encoding="utf-8") as file:
            for record in map(json.loads, file):
                of = times[short_name(record["problem"])]
                ratios[is_aligned(record["problem"])].append(min(of.values()) / of[record["schedule"]])
        for aligned, all_of in ratios.items():
            all_of.sort()
            mean = math.exp(sum(math.log(max(one, 0.01)) for one in all_of) / len(all_of))
            tenth = all_of[len(all_of) // 10]
            what = "aligned" if aligned else "not aligned"
            print(f"{name:16} {what:12} {len(all_of):3}  {mean:.3f} ({tenth:.3f}, {all_of[0]:.3f})")


if __name__ == "__main__":
    commands = {"draw": draw, "ask": ask, "table": table}
    if len(sys.argv) < 4 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
