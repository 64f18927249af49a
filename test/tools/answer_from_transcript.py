"""Answers the questions of a search from a transcript, round by round.

usage: answer_from_transcript.py TRANSCRIPT FOLDER -- COMMAND

Runs COMMAND four times, each with a database of its own. After each run, a question without an
answer gets the one of the transcript to the same problem's question of that round.
"""

import json
import pathlib
import re
import subprocess
import sys


def problem(text):
    return re.search(r"m = \d+, n = \d+, k = \d+", text)[0]


def main():
    transcript, folder, command = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[4:]
    answers = {}
    with open(transcript, encoding="utf-8") as file:
        for line in map(json.loads, file):
            if "answer" in line:
                answers.setdefault(problem(line["question"]["text"]), []).append(line["answer"])
    for number in range(1, 5):
        run = subprocess.run(
            [*command, f"--db={folder}/round{number}.db"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        count = re.search(r"\d+ of \d+ trials were of its schedules", run.stdout)
        print(f"round {number}: {count[0] if count else run.stdout}")
        for question in folder.glob(f"*-round-{number}-*.json"):
            text = json.loads(question.read_text(encoding="utf-8"))["text"]
            given = answers[problem(text)]
            if number <= len(given):
                question.with_suffix(".txt").write_text(given[number - 1], encoding="utf-8")


if __name__ == "__main__":
    main()
