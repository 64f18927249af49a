#!/usr/bin/env python3
"""Tunes in parts, as workers that are killed in the middle, and compares the choices with those of one machine.

usage: tune_parts.py

Times are those of a rehearsal, which are the same on every machine, and candidates are those of a fixed list: a policy
that learns from earlier times proposes others after a restart.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

PARTS = 3
SHAPES = [(64, 128, 256), (128, 256, 256), (256, 512, 128)]


def tune(database, *more):
    shapes = ";".join(",".join(map(str, shape)) for shape in SHAPES)
    command = ["hone", "tune", f"--shape={shapes}", "--rehearse=smooth", "--policy=model", "--trials=8", "--jobs=1", f"--db={database}"]
    return subprocess.Popen([*command, *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def records(database):
    """How many there are; none while the file is made."""
    answer = subprocess.run(["hone", "db", "stats", database, "--json"], capture_output=True, text=True, check=False)
    if answer.returncode:
        return 0
    return next(row["count"] for row in json.loads(answer.stdout) if row["what"] == "candidates")


def choices(database):
    lines = subprocess.run(["hone", "db", "export", database], capture_output=True, text=True, check=True).stdout
    rows = map(json.loads, lines.splitlines())
    return {row["problem"]: row["schedule"] for row in rows if row.get("grade") == "chosen"}


def run_part(number, folder):
    """Kills the worker once it has some records, and runs the same command again. Returns if it was killed.

    The worker is stopped while its records are counted: a short run cannot end between the count and the kill.
    """
    database = os.path.join(folder, f"part{number}.db")
    worker = tune(database, f"--part={number}/{PARTS}")
    was_killed = False
    while worker.poll() is None and not was_killed:
        time.sleep(0.01)
        worker.send_signal(signal.SIGSTOP)
        was_killed = 0 < records(database)
        worker.send_signal(signal.SIGKILL if was_killed else signal.SIGCONT)
    worker.wait()
    tune(database, f"--part={number}/{PARTS}").wait()
    return was_killed


def main(arguments):
    if arguments:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        one, whole = os.path.join(folder, "one.db"), os.path.join(folder, "all.db")
        tune(one).wait()
        print("killed:", sum(run_part(number, folder) for number in range(1, PARTS + 1)))
        parts = ",".join(os.path.join(folder, f"part{number}.db") for number in range(1, PARTS + 1))
        for words in ("choices are those of one machine", "after a second merge, too"):
            subprocess.run(["hone", "db", "merge", whole, f"--from={parts}"], check=True, stderr=subprocess.DEVNULL)
            expected, found = choices(one), choices(whole)
            same = sum(found.get(problem) == schedule for problem, schedule in expected.items())
            print(f"{same} of {len(expected)} {words}" if words[0] == "c" else words)
            if found != expected:
                sys.exit(f"expected {expected}, but got {found}")


main(sys.argv[1:])
