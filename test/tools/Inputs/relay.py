#!/usr/bin/env python3
"""Answers questions of hone about schedules, in place of a language model.

usage: relay.py FILE             answer standard input; keep the question in FILE
       relay.py --folder=DIR     answer every DIR/*.json that has no answer
"""

import json
import pathlib
import sys


def answer(question):
    """Three schedules of tiles that no question lists, by round, and one that breaks a law."""
    turn = int(question["topic"].split()[2])
    tiles = ["64x64x64", "64x128x64", "128x64x64"]
    tiles.append("256x256x128")
    schedules = [f"mma_sync, tile = {tile}, warps = 2x2, group = {100 + turn}" for tile in tiles]
    return json.dumps({"plan": "small tiles", "schedules": schedules})


def main():
    if sys.argv[1].startswith("--folder="):
        for path in pathlib.Path(sys.argv[1].split("=", 1)[1]).glob("*.json"):
            path.with_suffix(".txt").write_text(answer(json.loads(path.read_text())))
        return
    question = json.load(sys.stdin)
    pathlib.Path(sys.argv[1]).write_text(json.dumps(question, indent=1, sort_keys=True))
    print(answer(question))


main()
