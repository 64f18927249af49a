#!/usr/bin/env python3
"""Scores translations of GPU kernels to C against a corpus of `hone corpus`.

usage: score.py CORPUS TRANSLATIONS [--split=test] [--cc=cc] [--json]

TRANSLATIONS has a file ID.c for a pair's id, with `void matmul(a, b, c)` as in the pair's own C. Each one gets three
answers: it compiles; it is right, compared with the pair's loop nest on random data; and how much faster it is.
A missing file counts as one that does not compile.
"""

import argparse
import ctypes
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

SIZES = {"f16": 2, "bf16": 2, "f32": 4}
ULP = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24}
SECONDS = 60


def widen(types, raw):
    """The numbers of an array's bytes."""
    if types == "f16":
        return struct.unpack(f"<{len(raw) // 2}e", raw)
    if types == "bf16":
        raw = b"".join(b"\0\0" + raw[i : i + 2] for i in range(0, len(raw), 2))
    return struct.unpack(f"<{len(raw) // 4}f", raw)


def data(types, count, seed):
    """Bytes of numbers between -1 and 1 that every type has: eighths."""
    numbers = [each / 8 for each in random.Random(seed).choices(range(-8, 9), k=count)]
    if types == "f16":
        return struct.pack(f"<{count}e", *numbers)
    wide = struct.pack(f"<{count}f", *numbers)
    return wide if types == "f32" else b"".join(wide[i + 2 : i + 4] for i in range(0, len(wide), 4))


def compile_c(source, output, compiler):
    command = [compiler, "-O2", "-march=native", "-fPIC", "-shared", "-w", "-o", output, source, "-lm"]
    return subprocess.run(command, capture_output=True, timeout=SECONDS, check=False).returncode == 0


def run_one(library, pair):
    """In a process of its own: prints C's bytes and the best of three times."""
    a_type, c_type = pair["types"].split(":")
    m, n, k = pair["m"], pair["n"], pair["k"]
    a, b = data(a_type, m * k, 1), data(a_type, k * n, 2)
    c = ctypes.create_string_buffer(b"\xff" * (m * n * SIZES[c_type]), m * n * SIZES[c_type])
    function = ctypes.CDLL(library).matmul
    best = math.inf
    for _ in range(3):
        start = time.perf_counter()
        function(a, b, c)
        best = min(best, time.perf_counter() - start)
    sys.stdout.buffer.write(c.raw)
    sys.stderr.write(str(best))


def call(library, pair):
    """(bytes of C, seconds), or None after a crash or a minute."""
    command = [sys.executable, __file__, "--run", library, json.dumps(pair)]
    try:
        answer = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None
    return (answer.stdout, float(answer.stderr)) if answer.returncode == 0 else None


def is_right(pair, got, expected):
    """Within the rounding of the store and of sums in another order."""
    c_type = pair["types"].split(":")[1]
    sums = 16 * 2.0**-24 * pair["k"]
    if len(got) != len(expected):
        return False
    pairs = zip(widen(c_type, got), widen(c_type, expected))
    return all(abs(x - y) <= 2 * ULP[c_type] * abs(y) + sums for x, y in pairs)  # a NaN is not


def score(pair, corpus, translations, compiler, folder):
    source = os.path.join(translations, pair["id"] + ".c")
    theirs, ours = os.path.join(folder, "theirs.so"), os.path.join(folder, "ours.so")
    result = {"id": pair["id"], "compiles": False, "right": False, "speedup": 0.0}
    if not compile_c(os.path.join(corpus, pair["files"]["c"]), ours, compiler):
        raise RuntimeError(f"expected the corpus's own C of {pair['id']} to compile")
    result["compiles"] = os.path.exists(source) and compile_c(source, theirs, compiler)
    if not result["compiles"]:
        return result
    reference, answer = call(ours, pair), call(theirs, pair)
    if answer and is_right(pair, answer[0], reference[0]):
        result.update(right=True, speedup=reference[1] / max(answer[1], 1e-9))
    return result


def main():
    if sys.argv[1:2] == ["--run"]:
        return run_one(sys.argv[2], json.loads(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("translations")
    parser.add_argument("--split", default="test")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with open(os.path.join(options.corpus, "pairs.jsonl"), encoding="utf-8") as file:
        pairs = [pair for pair in map(json.loads, file) if pair["split"] == options.split]
    if not pairs:
        sys.exit(f"expected pairs of the split '{options.split}', but got none")
    with tempfile.TemporaryDirectory() as folder:
        results = [score(pair, options.corpus, options.translations, options.cc, folder) for pair in pairs]
    right = [each for each in results if each["right"]]
    speedups = [each["speedup"] for each in right]
    summary = {
        "pairs": len(results),
        "compiles": sum(each["compiles"] for each in results) / len(results),
        "right": len(right) / len(results),
        "faster": sum(each > 1 for each in speedups) / len(results),
        "geomean_speedup": math.exp(sum(map(math.log, speedups)) / len(speedups)) if speedups else 0.0,
    }
    if options.json:
        print(json.dumps({"summary": summary, "results": results}, indent=2))
    else:
        print("{pairs} pairs: {compiles:.0%} compile, {right:.0%} are right, {faster:.0%} are faster; speedup {geomean_speedup:.2f}".format(**summary))
    return None


main()
