"""Questions in files, and their answers from a transcript."""

import json


def lines_of(transcript):
    """The questions of a transcript with their answers."""
    with open(transcript, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def give_answers(folder, pattern, answer_of):
    """Writes the answers that `answer_of` has to the questions of `folder`."""
    for question in folder.glob(pattern):
        answer = answer_of(json.loads(question.read_text(encoding="utf-8")))
        if answer is not None:
            question.with_suffix(".txt").write_text(answer, encoding="utf-8")
