#!/usr/bin/env python3
"""Times the schedule of the catalogue that the cost model likes best, one a problem.

usage: guess.py HONE OUT.csv OPTION...   the options of hone bench gemm, with --shapes and --layouts

`--search=grid:2` names the default, which always competes, and the model's first choice: the better
of the two estimates is what a build takes where nothing was measured.
"""

import csv
import os
import subprocess
import sys
import tempfile
from collections import defaultdict


def main(hone, output, *options):
    def bench(*more):
        command = [hone, "bench", "gemm", *options, *more]
        return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode

    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "estimates.csv")
        search = ["--search=grid:2", "--rehearse=smooth", "--arch=h200", f"--candidates-csv={table}"]
        if bench(*search):
            sys.exit("expected a rehearsal of every problem; see above")
        with open(table, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    best = {}
    for row in rows:
        problem = "x".join(row[name] for name in "mnk"), row["layout"]
        best[problem] = min(best.get(problem, row), row, key=lambda one: float(one["estimate_us"]))
    # A run costs a start, so what shares a choice shares a run.
    shapes = defaultdict(list)
    for (shape, layout), row in best.items():
        shapes[layout, row["schedule"]].append(shape)
    status = 0
    for (layout, schedule), group in shapes.items():
        which = [f"--shapes={','.join(group)}", f"--layouts={layout}", f"--schedules={schedule}"]
        status |= bench(*which, f"--csv={output}")
    sys.exit(status)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
