#!/usr/bin/env python3
"""Tunes for this CPU with workers whose messages are recorded, and prints when each worked.

usage: tune_host_turns.py HONE FOLDER            runs the search
       tune_host_turns.py worker ROLE ...        the worker that the tuner starts, through a script

Compilers and timed kernels share cores, caches and a clock: while one works, the other
must rest.
"""

import json
import os
import subprocess
import sys
import threading
import time

# Which message to a worker begins its work, and which answer ends it.
WORK = {"compile": "compiled", "measure": "measured"}


def relay(source, target, note):
    """Hands on frames ("hone-worker VERSION LENGTH", a line, and the text)."""
    while line := source.readline():
        text = source.read(int(line.split()[2]))
        note(json.loads(text)["is"])
        target.write(line + text)
        target.flush()
    target.close()


def listen():
    hone, log = os.environ["TURNS_HONE"], os.environ["TURNS_LOG"]
    worker = subprocess.Popen([hone] + sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    began = []

    def hears(kind):
        if kind in WORK:
            began.append(time.monotonic())

    def says(kind):
        if kind in WORK.values():
            with open(log, "a") as file:
                file.write(f"{kind} {began.pop(0)} {time.monotonic()}\n")

    threading.Thread(target=relay, args=(sys.stdin.buffer, worker.stdin, hears), daemon=True).start()
    relay(worker.stdout, sys.stdout.buffer, says)
    worker.wait()


def main():
    hone, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    log, script = os.path.join(folder, "log"), os.path.join(folder, "worker")
    if os.path.exists(log):
        os.remove(log)
    with open(script, "w") as file:
        file.write(f'#!/bin/sh\nexec "{sys.executable}" "{os.path.abspath(__file__)}" "$@"\n')
    os.chmod(script, 0o755)
    run = [hone, "tune", "--arch=host", "--shape=48,64,40;64,64,64", "--types=f32:f32", "--layouts=nn"]
    run += ["--trials=8", "--jobs=2", "--finalists=3", "--rounds=3", f"--worker={script}"]
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "TURNS_HONE": hone, "TURNS_LOG": log})

    with open(log) as file:
        work = [(kind, float(start), float(end)) for kind, start, end in map(str.split, file)]
    compiled = [each for each in work if each[0] == "compiled"]
    measured = [each for each in work if each[0] == "measured"]
    both = sum(a[1] < b[2] and b[1] < a[2] for a in compiled for b in measured)
    beside = sum(a[1] < b[2] and b[1] < a[2] for i, a in enumerate(compiled) for b in compiled[:i])
    print(f"compiled {len(compiled)}, measured {len(measured)}, both at once {both}")
    print("compilers side by side:", "yes" if beside else "no")


if __name__ == "__main__":
    if sys.argv[1] == "worker":
        listen()
    else:
        main()
