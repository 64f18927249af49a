"""Answers the questions of a search from a transcript, round by round.

usage: answer_from_transcript.py TRANSCRIPT FOLDER -- COMMAND

Runs COMMAND four times, each with a database of its own. After each run, a question without an
answer gets the one of the transcript to the same problem's question of that round.
"""

import pathlib
import re
import subprocess
import sys

from transcript import give_answers, lines_of


def problem(question):
    return re.search(r"m = \d+, n = \d+, k = \d+", question["text"])[0]


def main():
    transcript, folder, command = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[4:]
    answers = {}
    for line in lines_of(transcript):
        if "answer" in line:
            answers.setdefault(problem(line["question"]), []).append(line["answer"])
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
        of_round = {key: given[number - 1] for key, given in answers.items() if number <= len(given)}
        give_answers(folder, f"*-round-{number}-*.json", lambda question: of_round.get(problem(question)))


if __name__ == "__main__":
    main()
