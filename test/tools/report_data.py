#!/usr/bin/env python3
"""Unpacks the data of a report, checks that its columns agree, and prints what there is.

usage: report_data.py PAGE
"""

import base64
import json
import re
import sys
import zlib


def unpacked(page, name):
    packed = re.search(rf'<script type="application/octet-stream" id="{name}">([A-Za-z0-9+/=]*)</script>', page)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def check(data, schedules):
    """Columns of a table are equally long, and every number of a text is in its list."""
    problems, keys, trials, rows = (data[name] for name in ("problems", "keys", "trials", "rows"))
    for table in (problems, keys, trials, rows):
        assert len({len(column) for column in table.values()}) == 1, {name: len(c) for name, c in table.items()}
    for column in (trials["schedule"], rows["schedule"]):
        assert all(0 <= each < len(schedules) for each in column)
    for table in (keys, rows):
        assert all(0 <= each < len(problems["m"]) for each in table["problem"])
        assert all(0 <= each < len(data["chips"]) for each in table["chip"])
        assert all(0 <= each < len(data["files"]) for each in table["file"])
    for chosen, own in zip(keys["chosen"], keys["trials"]):
        assert chosen == -1 or chosen in own
    assert sorted(sum(keys["trials"], [])) == list(range(len(trials["us"])))
    for name, words in (("policy", "policies"), ("tools", "toolchains"), ("reason", "reasons"), ("status", "statuses")):
        assert all(0 <= each < len(data[words]) for each in trials[name])
    for i, flops in enumerate(problems["flops"]):
        exact = 2 * problems["m"][i] * problems["n"][i] * problems["k"][i] * problems["batch"][i]
        assert abs(flops - exact) <= 1e-4 * exact


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    with open(arguments[0], encoding="utf-8") as file:
        page = file.read()
    # A page needs no network.
    assert not re.search(r"""(src|href)=["']?(https?:)?//|@import|url\(""", page)
    data, schedules, kernels = (unpacked(page, name) for name in ("data", "schedules", "kernels"))
    check(data, schedules)
    counts = [len(data["files"]), len(data["problems"]["m"]), len(data["keys"]["problem"]), len(data["trials"]["us"])]
    print("{} files, {} problems, {} keys, {} trials, {} rows, {} kernels".format(*counts, len(data["rows"]["us"]), len(kernels)))
    print("origins:", *sorted(set(data["keys"]["origin"])))
    print("schedules:", schedules[0])
    print("policies:", *data["policies"])
    print("numbers agree")


main(sys.argv[1:])
