#!/usr/bin/env python3
"""Checks a corpus from outside: its files, proofs, splits, and the score of right and wrong translations.

usage: corpus_check.py CORPUS FOLDER
"""

import json
import os
import subprocess
import sys

KINDS = {"linalg": "linalg.generic", "c": "void matmul", "llvm": "define", "kernel": "kernel.launch", "ptx": ".entry"}


def expect(condition, what):
    if not condition:
        sys.exit(f"expected {what}")


def text_of(corpus, name):
    with open(os.path.join(corpus, name), encoding="utf-8") as file:
        return file.read()


def score(corpus, folder, split):
    program = os.path.join(os.path.dirname(__file__), "../../examples/corpus/score.py")
    command = [sys.executable, program, corpus, folder, f"--split={split}", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def check_scores(corpus, folder, pairs):
    """Of a split's pairs: the loop nest itself, one with a mistake, one that does not compile, none."""
    split = max({pair["split"] for pair in pairs}, key=lambda each: sum(pair["split"] == each for pair in pairs))
    ours = [pair for pair in pairs if pair["split"] == split]
    expect(len(ours) >= 4, "four pairs in a split")
    for i, pair in enumerate(ours[:3]):
        text = text_of(corpus, pair["files"]["c"])
        text = [text, text.replace("float sum = 0", "float sum = 1"), "not C"][i]
        with open(os.path.join(folder, pair["id"] + ".c"), "w", encoding="utf-8") as file:
            file.write(text)
    results = score(corpus, folder, split)["results"]
    found = [(each["compiles"], each["right"]) for each in results[:4]]
    expect(found == [(True, True), (True, False), (False, False), (False, False)], f"other scores, but got {found}")
    expect(0.2 < results[0]["speedup"] < 5, f"a speedup near 1, but got {results[0]['speedup']}")


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    corpus, folder = arguments
    pairs = [json.loads(line) for line in text_of(corpus, "pairs.jsonl").splitlines()]
    for pair in pairs:
        for kind, word in KINDS.items():
            expect(word in text_of(corpus, pair["files"][kind]), f"{word} in {pair['files'][kind]}")
        errors = [pair[name] for name in ("gpu_error", "c_error", "host_error")]
        expect(all(0 <= error <= 1 for error in errors), f"errors of at most 1, but got {errors}")
        expect(pair["proof_sizes"] > 5, "a proof at several sizes")
    expect(len({pair["id"] for pair in pairs}) == len(pairs), "an id for each pair")
    texts = {text_of(corpus, pair["files"]["c"]) + text_of(corpus, pair["files"]["ptx"]) for pair in pairs}
    expect(len(texts) == len(pairs), "no two equal pairs")
    print("every pair has five texts")
    kernel = os.path.join(corpus, pairs[0]["files"]["kernel"])
    subprocess.run(["hone", "simulate", kernel, "--shape=64x64x64"], check=True, stdout=subprocess.DEVNULL)
    print("kernels are proven again")
    splits = {}
    for pair in pairs:
        shape = (pair["m"], pair["n"], pair["k"])
        expect(splits.setdefault(shape, pair["split"]) == pair["split"], f"one split of {shape}")
    print("splits share no shape")
    check_scores(corpus, folder, pairs)


main(sys.argv[1:])
