#!/usr/bin/env python3
"""Tunes with a language model that behaves, records it, replays it, and holds it to its caps.

usage: chat_turns.py HONE FOLDER
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.append(os.path.dirname(__file__))
import chat_server

HONE, FOLDER = sys.argv[1], sys.argv[2]
KEY = "sk-0123456789abcdefghijSECRETklmnopqrstuv"


def command(*more):
    policy = [] if any(word.startswith("--policy") for word in more) else ["--policy=chat"]
    return [HONE, "tune", "--rehearse=smooth", *policy, "--trials=8", "--jobs=1", "--finalists=2", *more]


def tune(*more, shape="512,512,512,nt"):
    environment = dict(os.environ, HONE_LLM_KEY=KEY)
    return subprocess.run(
        command(f"--shape={shape}", *more), capture_output=True, text=True, check=False, env=environment, cwd=FOLDER
    )


def table(run):
    """The lines with choices and their reasons, without the time that the run took."""
    assert run.returncode == 0, run
    return [line for line in run.stdout.splitlines() if "tuned" in line or "gave up" in line]


def said(run, pattern):
    match = re.search(pattern, run.stderr)
    assert match, run.stderr
    return match[0]


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    server = chat_server.Server()
    there = ["--llm-model=test", f"--llm-url={server.url('good')}"]

    first = tune(*there, "--llm-record=record.jsonl", "--db=tuned.db")
    with open(os.path.join(FOLDER, "record.jsonl"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert re.search(r" 9 +0 +- +tuned", first.stdout), first
    print(f"asked: 8 trials, {len(lines)} questions recorded")
    assert all(line["answer"] and line["question_tokens"] > 0 for line in lines)

    requests = len(server.log)
    again = tune("--llm-replay=record.jsonl")
    assert table(again) == table(first), (first, again)
    assert len(server.log) == requests and "LLM" not in again.stderr
    print("replayed: the same table, without a question")

    other = tune("--llm-replay=record.jsonl", "--seed=2")
    print("replayed with another seed:", said(other, "it gets no further question about this problem"))
    assert len(table(other)) == 1 and len(server.log) == requests
    assert "gave up" in table(other)[0], other

    several = tune(*there, shape="512,512,512,nt;256,256,256,nt;1024,512,256,nt")
    print(f"several problems: {len(table(several))} tuned")

    # A search that has trials of its own leaves some for an answer that comes late, and waits.
    late = tune("--policy=hybrid", "--arch=h200", "--llm-model=test", f"--llm-url={server.url('late')}")
    print("late answers:", said(late, "[0-9]+ of [0-9]+ trials were of its schedules"))

    requests = len(server.log)
    with open(os.path.join(FOLDER, "key"), "w", encoding="utf-8") as file:
        file.write(KEY[::-1] + "\n")
    capped = tune(*there, "--llm-calls=2", "--llm-key-file=key")
    assert all(key == KEY[::-1] for _, key, _ in server.log[requests:])
    print(f"at most 2 calls: {len(server.log) - requests} requests,", said(capped, "limit of .*2 are used"))
    poor = tune(*there, "--llm-dollars=0.03", "--llm-price=10:10")
    print("at most 0.03 dollars:", said(poor, "limit of 0.03 dollars"))
    assert float(said(poor, r"\$[0-9.]+")[1:]) <= 0.03
    assert table(capped) and table(poor)

    # A pending question does not delay a stop.
    stopped = subprocess.Popen(
        command("--shape=512,512,512,nt", "--llm-model=test", f"--llm-url={server.url('hang')}"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=FOLDER,
    )
    while not any(name == "hang" for name, _, _ in server.log):
        time.sleep(0.05)
    time.sleep(0.3)
    start = time.time()
    stopped.send_signal(signal.SIGINT)
    status = stopped.wait(timeout=20)
    print(f"stopped: status {status}", "in time" if time.time() - start < 5 else "late")

    export = subprocess.run([HONE, "db", "export", "tuned.db"], capture_output=True, text=True, check=True, cwd=FOLDER)
    records = [json.loads(line) for line in export.stdout.splitlines()]
    assert {(one["policy"], one["model"]) for one in records} == {("default", ""), ("chat", "test"), ("chat/build", "test")}, records
    print("records name the policy and the model")

    # Workers of a tune that is held up by its endpoint: of neither key, file or environment.
    environment = dict(os.environ, HONE_LLM_KEY=KEY)
    held = subprocess.Popen(
        command("--shape=512,512,512,nt", *there[:1], f"--llm-url={server.url('hang')}", "--llm-key-file=key"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=FOLDER, env=environment,
    )
    asked = len(server.log)
    while len(server.log) == asked:
        time.sleep(0.05)
    with open(f"/proc/{held.pid}/task/{held.pid}/children", encoding="utf-8") as file:
        workers = file.read().split()
    assert workers
    for worker in workers:
        with open(f"/proc/{worker}/environ", "rb") as file:
            variables = file.read()
        assert KEY.encode() not in variables and KEY[::-1].encode() not in variables
    held.send_signal(signal.SIGINT)
    held.wait(timeout=20)
    print("workers do not have the key")

    usage = subprocess.run([HONE, "tune", "--help"], capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"--llm-[a-z]+(?:-[a-z]+)*", usage))
    with open(os.path.join(os.path.dirname(__file__), "../../docs/Policy.md"), encoding="utf-8") as file:
        page = file.read()
    assert len(options) > 9 and all(option in page for option in options), options
    print("the page has every option")


if __name__ == "__main__":
    main()
