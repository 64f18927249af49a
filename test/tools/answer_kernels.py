"""Answers the questions about a kernel from a transcript.

usage: answer_kernels.py TRANSCRIPT FOLDER -- COMMAND

Runs COMMAND, which writes questions, gives each the answer to the transcript's question of the same
topic, and runs COMMAND again.
"""

import json
import pathlib
import subprocess
import sys


def main():
    transcript, folder, command = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[4:]
    answers = {}
    with open(transcript, encoding="utf-8") as file:
        for line in map(json.loads, file):
            answers[line["question"]["topic"]] = line["answer"]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    for question in folder.glob("*.json"):
        topic = json.loads(question.read_text(encoding="utf-8"))["topic"]
        if topic in answers:
            question.with_suffix(".txt").write_text(answers[topic], encoding="utf-8")
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
