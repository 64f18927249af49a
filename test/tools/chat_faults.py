#!/usr/bin/env python3
"""Tunes with a language model that misbehaves, and says what came of it.

usage: chat_faults.py HONE FOLDER [BEHAVIOUR...]

For each behaviour of chat_server.py one search is run, without a device. It must end with a
choice, whatever the endpoint does, say why where it went on alone, and keep the key to itself.
One line is printed for each.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.append(os.path.dirname(__file__))
import chat_server

HONE, FOLDER = sys.argv[1], sys.argv[2]
AT_ONCE = 3  # searches
KEY = "sk-0123456789abcdefghijSECRETklmnopqrstuv"

# Number of schedules that a search measures without a model: the default and a build's choice.
# Then the expected results: measured proposals (or none), and a part of standard error.
ALONE = 2
GOOD = {
    "good": "",
    "plain": "follows no answer format",
    "only_object": "json_object",
    "only_grammar": "'grammar'",
    "only_structured": "structured_outputs",
    "picky": "",
    "busy_once": "",
    "busy_date": "",
    "broken_once": "",
    "text_type": "",
    "cut": "",
    "many": "4984 more than 16",
}
BAD = {
    "hang": "in time, but got none; use a longer --llm-wait",
    "drip": "in time, but got none; use a longer --llm-wait",
    "close": "partial file|Transferred",
    "html": "text/html '<html><body>Please log in</body></html>'",
    "busy": "status 429: slow down; it asks for a pause of 3600 s",
    "broken": "status 500: oops  ?\\[31m red",
    "nothing": "expected an answer in JSON",
    "empty": "got an empty one",
    "null": "got an empty one",
    "shapeless": "expected 'choices' with a 'message'",
    "huge": "at most 4 MiB",
    "huge_header": "at most|headers|Too large|too large|Out of memory",
    "truncated": "expected an answer in JSON",
    "deep": "at most 32 levels of brackets",
    "utf8": "expected an answer in JSON",
    "sse": "expected an answer in JSON, but got text/event-stream",
    "redirect": "a redirect to http://localhost:[0-9]+; redirects are not followed",
    "wrong_key": r"status 401: Incorrect API key provided: \[key\] \(\[key\]\.\.\.\[key\]\)",
    "no_model": "status 404: The model `test` does not exist",
    "refused": "connect",
    "illegal": "expected new schedules, but got only refused ones: schedule_c",
    "deep_answer": "expected schedules in JSON",
    "orders": "refused ones: expected a kind of schedule, one of .* but got '\\$\\(touch owned\\)'",
    "key": r"refused ones: expected a kind of schedule, one of .* but got '\[key\]'",
}
SILENT = ("hang", "drip")


def tune(url, folder, *more):
    environment = dict(os.environ, HONE_LLM_KEY=KEY)
    command = [
        HONE, "tune", "--shape=512,512,512,nt", "--rehearse=smooth", "--policy=chat", "--trials=8", "--jobs=1",
        "--finalists=2", f"--llm-url={url}", "--llm-model=test", f"--db={folder}/hone.db",
        f"--llm-record={folder}/record.jsonl", *more,
    ]
    start = time.time()
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder)
    return run, time.time() - start


def measured(run):
    match = re.search(r"(\d+) +0 .*(tuned|gave up)", run.stdout)
    return int(match[1]) if match else 0


def parts(text):
    return {text[at : at + 10] for at in range(len(text) - 9)}


def assert_secret(folder, run):
    """No part of the key is in anything that was printed or written."""
    texts = [run.stdout, run.stderr]
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            texts.append(file.read().decode(errors="replace"))
    for part in parts(KEY):
        assert not any(part in text for text in texts), part


def check(server, behaviour):
    """Runs one search, and returns its line."""
    folder = os.path.join(FOLDER, behaviour)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    url = "http://127.0.0.1:9/v1" if behaviour == "refused" else server.url(behaviour)
    # A server that answers may do so late on a busy machine.
    run, seconds = tune(url, folder, f"--llm-wait={3 if behaviour in SILENT else 60}")
    assert run.returncode == 0, (behaviour, run)
    assert seconds < 60, (behaviour, seconds)
    assert_secret(folder, run)
    remark = {**GOOD, **BAD}[behaviour]
    assert re.search(remark, run.stderr), (behaviour, remark, run.stderr)
    assert run.stderr.count("not asked again about this problem") <= 1, (behaviour, run.stderr)
    assert not set(run.stderr) - set(map(chr, range(32, 127))) - {"\n"}, (behaviour, run.stderr)
    count = measured(run)
    asked = [body for name, _, body in server.log if name == behaviour]
    if behaviour in GOOD:
        assert count > ALONE, (behaviour, run)
    else:
        assert count == ALONE, (behaviour, run)
    if behaviour == "illegal":
        assert any("schedule_c" in body["messages"][-1]["content"] for body in asked), "no diagnostics"
    return f"{behaviour}: {count} measured, {'said' if remark else 'no word'}, chosen, key kept"


def main():
    server = chat_server.Server()
    wanted = sys.argv[3:] or [*GOOD, *BAD]
    # Most of the time is spent waiting.
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for line in pool.map(lambda behaviour: check(server, behaviour), wanted):
            print(line)
    assert not [key for name, key, _ in server.log if name == "thief"], "a redirect was followed"
    assert all(key == KEY for _, key, _ in server.log)


if __name__ == "__main__":
    main()
