#!/usr/bin/env python3
"""Writes data/h200/tuned.mlir: the fastest that is known of every problem.

usage: tuned.py FINALS.mlir... -- TRIALS.jsonl... [-- OLDER.mlir...] > tuned.mlir

FINALS are tuning files of searches, as `hone db export` writes them; of a problem that several
have, the fastest counts. TRIALS are exports of databases in
which every schedule of a problem was timed once. A final times few schedules well, a table
all of them once, so a final's choice stays if the table has it within three percent of its best
or does not have it; otherwise the table's best takes its place. OLDER tuning files count where the
others know nothing: their times were taken in another way.
"""

import json
import re
import sys

STAYS = 1.03
LINE = re.compile(
    r"hone\.tuned #hone\.problem<(?P<problem>.*?)> on #hone\.arch<h200> = "
    r"#hone\.schedule<(?P<schedule>.*?)> \{(?P<facts>.*)\}"
)
KEPT = ["us", "grade", "driver", "llvm", "hone", "space", "policy"]
HEAD = """\
// What hone measured to be fastest, a problem a line. Lines may be sorted, removed
// and added, and files concatenated; a problem stands here once for a chip.
"""


def finals(path):
    """problem -> (schedule, facts as {name: text})"""
    lines = {}
    for line in open(path, encoding="utf-8"):
        if match := LINE.match(line):
            facts = dict(re.findall(r'(\w+) = ("[^"]*"|[^,]+)', match["facts"]))
            lines[match["problem"]] = (match["schedule"], facts)
    return lines


def micros(facts):
    return float(facts["us"])


def trials(path):
    """problem -> {schedule: seconds}"""
    times = {}
    for line in open(path, encoding="utf-8"):
        record = json.loads(line)
        if record["status"] == "ok":
            times.setdefault(record["problem"], {})[record["schedule"]] = record["median"]
    return times


def trial_facts(seconds):
    return {
        "us": str(float(f"{seconds * 1e6:.6g}")),
        "grade": '"trial"',
        "driver": '"580.159.04"',
        "llvm": '"22.1.8"',
        "hone": '"0.1.0"',
        "space": "1",
        "policy": '"all"',
    }


def main():
    split = sys.argv.index("--")
    rest = sys.argv[split + 1 :]
    tables = rest[: rest.index("--")] if "--" in rest else rest
    known = {}
    for path in sys.argv[1:split]:
        for problem, (schedule, facts) in finals(path).items():
            if problem not in known or micros(facts) < micros(known[problem][1]):
                known[problem] = (schedule, facts)
    stayed = replaced = added = 0
    for path in tables:
        for problem, times in trials(path).items():
            best = min(times, key=lambda schedule: (times[schedule], schedule))
            chosen = known.get(problem)
            if chosen and times.get(chosen[0], 0) <= STAYS * times[best]:
                stayed += 1
                continue
            replaced += chosen is not None
            added += chosen is None
            known[problem] = (best, trial_facts(times[best]))
    for path in rest[len(tables) + 1 :]:
        known = {**finals(path), **known}
    print(f"{len(known)} problems; tables: {stayed} choices stayed, {replaced} replaced, "
          f"{added} added", file=sys.stderr)
    sys.stdout.write(HEAD)
    for problem, (schedule, facts) in sorted(known.items()):
        kept = ", ".join(f"{name} = {facts[name]}" for name in KEPT)
        print(f"hone.tuned #hone.problem<{problem}> on #hone.arch<h200> = "
              f"#hone.schedule<{schedule}> {{{kept}}}")


if __name__ == "__main__":
    main()
