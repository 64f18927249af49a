#!/usr/bin/env python3
"""Breaks hone tune from outside, and says what is left.

usage: tune_breakdowns.py HONE FOLDER

A candidate that hangs holds the search at a known place: everything before it is in the
database, and the search is in the middle of something. Each line that is printed says what
was done and what was seen; anything else is an error and a traceback.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

HONE, FOLDER = sys.argv[1], sys.argv[2]
SHAPE = "--shape=512,512,512,nt;1024,1024,1024,nt"
TRIALS = 24


def command(database, *more):
    return [HONE, "tune", SHAPE, "--policy=model", f"--trials={TRIALS}", "--jobs=2", f"--db={database}", *more]


def records(database):
    """Every record, or none where there is no database yet."""
    if not os.path.exists(database):
        return []
    run = subprocess.run([HONE, "db", "export", database], capture_output=True, text=True, check=False)
    return [json.loads(line) for line in run.stdout.splitlines()]


def wait_for(what, seconds=60):
    end = time.time() + seconds
    while not what():
        assert time.time() < end, "nothing happened"
        time.sleep(0.05)


def is_running(process):
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def workers_of(process):
    with open(f"/proc/{process}/task/{process}/children") as children:
        return [int(word) for word in children.read().split()]


def all_gone(processes):
    wait_for(lambda: not any(is_running(each) for each in processes), 10)
    return "no worker left"


def start_and_wait(database, *more):
    """A tune that hangs at its 30th candidate, once it is there."""
    tool = subprocess.Popen(
        command(database, "--rehearse=hang:30", "--patience=60", *more),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: len(records(database)) >= 20)
    time.sleep(0.3)
    return tool, workers_of(tool.pid)


def sound(database):
    run = subprocess.run([HONE, "db", "check", database], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    return "database sound"


def chosen(database):
    grades = [each["problem"] for each in records(database) if each.get("grade") == "chosen"]
    assert len(grades) == len(set(grades)) == 2, grades
    return "chosen"


def go_on(database, before):
    """The same command again: earlier results stay as they were measured then."""
    run = subprocess.run(command(database, "--rehearse=smooth"), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    after = {(each["problem"], each["schedule"]): each for each in records(database)}
    twice = 0
    for each in before:
        now = after[(each["problem"], each["schedule"])]
        # A finalist is timed again; a trial that is still a trial was not.
        twice += now.get("grade") == "trial" and now["measured_at"] != each["measured_at"]
    print(f"the same command goes on: {twice} trials made twice, {chosen(database)}")


def interrupted(name, number):
    database = os.path.join(FOLDER, name + ".db")
    tool, workers = start_and_wait(database)
    assert len(workers) >= 2, workers
    before = records(database)
    time.sleep(1.1)  # so that a second measurement has another second
    tool.send_signal(number)
    status = tool.wait(30)
    left = all_gone(workers)
    if number == signal.SIGKILL:
        print(f"kill -9 of the tool: {left}, {sound(database)}")
    else:
        print(f"Ctrl-C: status {status}, {left}, {sound(database)}")
    go_on(database, before)


def workers_killed():
    database = os.path.join(FOLDER, "workers.db")
    tool, workers = start_and_wait(database)
    for each in workers:
        os.kill(each, signal.SIGKILL)
    status = tool.wait(60)
    print(f"kill -9 of every worker: status {status}, {chosen(database)}")


def disk_full():
    database = os.path.join(FOLDER, "full.db")
    subprocess.run(command(database, "--rehearse=smooth"), capture_output=True, check=True)
    before = records(database)
    limit = os.path.getsize(database) + 4096

    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    more = [HONE, "tune", "--grid=1000", "--sample=1:20", "--policy=model", "--trials=16", f"--db={database}"]
    tool = subprocess.run(more + ["--rehearse=smooth"], capture_output=True, text=True, check=False, preexec_fn=no_room)
    last = tool.stderr.strip().splitlines()[-1]
    assert last.startswith("error:"), tool.stderr
    texts = {json.dumps(each, sort_keys=True) for each in records(database)}
    assert all(json.dumps(each, sort_keys=True) in texts for each in before)
    own = [each for each in os.listdir("/proc") if each.isdigit() and of_database(each, database)]
    assert not own, own
    print(f"full disk: status {tool.returncode}, {last}, the old records are there, no worker left")


def of_database(process, database):
    try:
        with open(f"/proc/{process}/cmdline") as line:
            return database in line.read()
    except OSError:
        return False


def two_tools():
    database = os.path.join(FOLDER, "two.db")
    tools = [
        subprocess.Popen(command(database, "--rehearse=smooth"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(2)
    ]
    statuses = [each.wait(60) for each in tools]
    print(f"two tools, one database: status {statuses[0]} and {statuses[1]}, {chosen(database)}, {sound(database)}")


shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)
interrupted("stopped", signal.SIGINT)
interrupted("killed", signal.SIGKILL)
workers_killed()
disk_full()
two_tools()
