"""Answers the questions about a kernel from a transcript.

usage: answer_kernels.py TRANSCRIPT FOLDER -- COMMAND

Runs COMMAND, which writes questions, gives each the answer to the transcript's question of the same
topic, and runs COMMAND again.
"""

import pathlib
import subprocess
import sys

from transcript import give_answers, lines_of


def main():
    transcript, folder, command = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[4:]
    answers = {line["question"]["topic"]: line["answer"] for line in lines_of(transcript)}
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    give_answers(folder, "*.json", lambda question: answers.get(question["topic"]))
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
