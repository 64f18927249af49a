#!/usr/bin/env python3
"""Checks the structure of a timeline: hone simulate --timeline=FILE.

usage: timeline.py FILE
"""

import json
import sys
from collections import defaultdict


def tracks(events):
    """{(block, name): its slices, by their start}."""
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    found = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            found[event["pid"], names[event["pid"], event["tid"]]].append(event)
    return {place: sorted(slices, key=lambda each: each["ts"]) for place, slices in found.items()}


def end(event):
    return event["ts"] + event["dur"]


def check(place, slices):
    block, name = place
    for before, after in zip(slices, slices[1:]):
        if end(before) > after["ts"]:
            yield f"block {block}, {name}: {before} overlaps {after}"
    for each in slices:
        if each["dur"] < 0 or each["ts"] < 0:
            yield f"block {block}, {name}: {each} ends before it starts"


def waits(all_tracks):
    """Every wait of a thread for a barrier ends when a phase has ended."""
    for (block, name), slices in all_tracks.items():
        ends = {end(each) for (b, n), phases in all_tracks.items() if b == block and n.startswith("barrier") for each in phases}
        for each in slices:
            if each["name"] == "kernel.await" and each["dur"] > 1 and end(each) - 1 not in ends:
                yield f"block {block}, {name}: {each} ends with no phase"


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    with open(arguments[0], encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    found = tracks(events)
    faults = [fault for place, slices in found.items() for fault in check(place, slices)]
    faults += list(waits(found))
    for fault in faults[:10]:
        print(fault)
    # Slices that overlap are on further tracks, as "slot 0 (2)".
    of_block = [name for block, name in found if block == 0 and not name.endswith(")")]
    for kind in ("producer", "consumer", "barrier", "slot", "products", "stores"):
        print(f"{kind}: {sum(name.startswith(kind) for name in of_block)}")
    filled = sum(each["name"] == "filling" for (block, name), slices in found.items() if block == 0 for each in slices)
    print(f"loads: {filled}")
    sys.exit(bool(faults))


main(sys.argv[1:])
