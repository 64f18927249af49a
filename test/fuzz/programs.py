#!/usr/bin/env python3
"""Generates random programs of products and of the ops around them, and runs each whole.

usage: programs.py HONE [--count=N] [--seed=N] [--jobs=N] [--timeout=SECONDS]
                        [--arch=NAME] [--only=CASE] [--keep=DIRECTORY] [--reordered]
                        [-- OPTION...]

Each program is run by `hone run --stand-in`, with the rest on the host and on the GPU, in
several orders of its pending work. A program is right, not comparable (exit status 3, whose
reason is counted), or kept as a failure. With --reordered, the programs are those of
reordered_draw.py. Options after -- go to `hone run`.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import time

from program_draw import Program
from reordered_draw import Reordered


def run(hone, path, options, arguments):
    command = [hone, "run", path, f"--arch={arguments.arch}", "--stand-in", *options,
               *arguments.more]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=arguments.timeout)
    except subprocess.TimeoutExpired:
        return "slow", "", command
    if done.returncode == 0:
        return "right", "", command
    said = (done.stdout + done.stderr).strip()
    return ("not comparable" if done.returncode == 3 else "failed"), said, command


def reason_of(said):
    """The message without its numbers, so that like ones count as one."""
    lines = [l for l in said.splitlines() if re.search("error|expected|not comparable", l)]
    line = (lines or said.splitlines() or ["no output"])[0]
    return re.sub(r"[0-9]+", "N", line.split("error: ")[-1])[:90]


def one_case(case, arguments):
    drawn = Reordered if arguments.reordered else Program
    text = drawn(f"{arguments.seed}-{case}").draw()
    path = os.path.join(arguments.keep, f"program-{arguments.seed}-{case}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    options = text.splitlines()[0][3:].split()
    outcomes = []
    for rest in ("host", "gpu"):
        outcome, said, command = run(arguments.hone, path, options + [f"--rest={rest}"],
                                     arguments)
        # `hone run` asks once for extents that must be alike.
        asked = re.search(r"expected ([0-9]+) dynamic dimensions? ", said)
        if asked:
            extent = re.search("--dims=([0-9]+)", " ".join(options)).group(1)
            options = [o for o in options if not o.startswith("--dims")]
            options.append("--dims=" + ",".join([extent] * int(asked.group(1))))
            outcome, said, command = run(arguments.hone, path, options + [f"--rest={rest}"],
                                         arguments)
        outcomes.append((rest, outcome, said, command))
    if all(outcome == "right" for _, outcome, _, _ in outcomes):
        os.remove(path)
    return case, outcomes


def main():
    argv, more = sys.argv[1:], []
    if "--" in argv:
        at = argv.index("--")
        argv, more = argv[:at], argv[at + 1:]
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("hone")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--only", type=int)
    parser.add_argument("--reordered", action="store_true")
    parser.add_argument("--keep", default="programs-kept")
    arguments = parser.parse_args(argv)
    arguments.more = more
    os.makedirs(arguments.keep, exist_ok=True)
    cases = [arguments.only] if arguments.only is not None else range(arguments.count)
    counts, reasons, began = collections.Counter(), collections.Counter(), time.time()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for done, (case, outcomes) in enumerate(
                pool.map(lambda case: one_case(case, arguments), cases), 1):
            for rest, outcome, said, command in outcomes:
                counts[rest, outcome] += 1
                if outcome == "not comparable":
                    reasons[reason_of(said)] += 1
                elif outcome != "right":
                    print(f"case {case}: rest={rest}: {outcome}: {reason_of(said)}\n"
                          f"  {' '.join(command)}", flush=True)
            if sys.stderr.isatty():
                left = (time.time() - began) / done * (len(cases) - done)
                print(f"\r{done} of {len(cases)}, {left:.0f} s left ", end="", file=sys.stderr)
    for reason, count in reasons.most_common():
        print(f"not comparable, {count}: {reason}")
    wrong = 0
    for rest in ("host", "gpu"):
        line = [f"{counts[rest, outcome]} {outcome}"
                for outcome in ("right", "not comparable", "slow", "failed")]
        print(f"rest={rest}: {', '.join(line)}")
        wrong += counts[rest, "failed"] + counts[rest, "slow"]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
