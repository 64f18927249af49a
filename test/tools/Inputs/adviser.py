#!/usr/bin/env python3
"""Answers questions of hone rewrite with random changes, in place of a language model.

usage: adviser.py             answer the question on standard input
       adviser.py --until=N   the same, but fail from round N on
       adviser.py --folder=DIR   answer every DIR/*.json that has no answer

The changes are rewrites of the menu, and lines that are deleted or moved up. They depend on the
question's topic and kernels alone.
"""

import json
import pathlib
import random
import re
import sys


def kernels_in(text):
    """{name: its lines}, the best one first."""
    parts = re.split(r"^# Kernel (k\w+):.*\n", text, flags=re.MULTILINE)[1:]
    kernels = {name: [line.strip() for line in body.splitlines()] for name, body in zip(parts[::2], parts[1::2])}
    # The second may be shown as the lines that differ from the first.
    return {name: lines for name, lines in kernels.items() if lines[0].startswith("gpu.func")}


def menu_in(text):
    part = re.search(r"^# Rewrites that apply to .*\n((?:.+\n)*)", text, flags=re.MULTILINE)
    return re.findall(r"\w+\(\w+\)(?=[,:])", part[1]) if part else []


def changes(question):
    draw = random.Random(question["topic"])
    kernels = kernels_in(question["text"])
    best = next(iter(kernels))
    for rewrite in draw.sample(menu_in(question["text"]), 2):
        yield {"parent": best, "rewrites": [rewrite], "edits": []}
    for _ in range(3):
        name, lines = draw.choice(list(kernels.items()))
        events = [at for at, line in enumerate(lines) if re.match(r"kernel\.\w", line) and lines.count(line) == 1]
        at = draw.choice([at for at in events if not lines[at].endswith("{")])
        yield {"parent": name, "rewrites": [], "edits": [{"find": lines[at], "replace": ""}]}
        both = [lines[at - 1], lines[at]]
        yield {"parent": name, "rewrites": [], "edits": [{"find": "\n".join(both), "replace": "\n".join(both[::-1])}]}


def answer(question):
    return json.dumps({"plan": "by chance", "candidates": list(changes(question))})


def main():
    option, value = (sys.argv[1:] + ["="])[0].split("=", 1)
    if option == "--folder":
        for path in pathlib.Path(value).glob("*.json"):
            if not path.with_suffix(".txt").exists():
                path.with_suffix(".txt").write_text(answer(json.loads(path.read_text())))
        return
    question = json.load(sys.stdin)
    if option == "--until" and int(re.search(r"round (\d+)", question["topic"])[1]) >= int(value):
        sys.exit(3)
    print(answer(question))


main()
