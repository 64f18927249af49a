#!/usr/bin/env python3
"""Has a language model that makes mistakes rewrite a kernel.

usage: rewrite_chat.py HONE FOLDER    FOLDER/kernel.mlir is a kernel as it was built
"""

import json
import os
import re
import subprocess
import sys

sys.path.append(os.path.dirname(__file__))
import chat_server

HONE, FOLDER = sys.argv[1], sys.argv[2]


def kernel_in(question):
    """The kernel that is to be rewritten."""
    return re.search(r"gpu\.func @.*?\n}", question, re.DOTALL)[0]


def answer(kernel):
    return json.dumps({"plan": "wait for less", "kernel": kernel})


class Model(chat_server.Handler):
    """Answers in the ways of `answers`, one after the other."""

    questions = []
    answers = []

    def be_kernel(self):
        if self.is_probe:
            return self.say(chat_server.PROOF)
        Model.questions.append(self.question)
        change = Model.answers[min(len(Model.questions), len(Model.answers)) - 1]
        self.say(change(kernel_in(self.question)))


def talk(kernel):
    return "I would rather not."


def misspell(kernel):
    return answer(kernel.replace("kernel.mma.commit", "kernel.mma.comit"))


def race(kernel):
    return answer(re.sub(r"kernel\.await %barriers\[.*", "", kernel))


def right(kernel):
    return "Gladly:\n" + answer(kernel.replace("kernel.mma.wait 1", "kernel.mma.wait 0")) + "\nGood luck."


def also_right(kernel):
    return answer(re.sub(r"kernel\.depend\.release", "", kernel))


def rewrite(server, answers, output, *more):
    Model.questions, Model.answers = [], answers
    return subprocess.run(
        [HONE, "rewrite", "--kernel=kernel.mlir", f"--output={output}", "--llm-model=test",
         f"--llm-url={server.url('kernel')}", *more],
        capture_output=True, text=True, check=False, cwd=FOLDER,
    )


def main():
    server = chat_server.Server()
    server.RequestHandlerClass = Model
    run = rewrite(server, [talk, misspell, race, right], "out.mlir")
    print(f"right at last: status {run.returncode}")
    print("\n".join(line for line in run.stderr.splitlines() if line.startswith("attempt")))
    print("the question has the kernel:", all("kernel.mma.async" in kernel_in(one) for one in Model.questions))
    print("the question has the fault:", ["refused" in one for one in Model.questions])
    changed = [line for line in run.stdout.splitlines() if re.match(r"[-+] ", line)]
    print("the lines that differ:", [line[:2] + re.search(r"kernel\.[\w.]+ \d", line)[0] for line in changed])
    again = subprocess.run([HONE, "rewrite", "--kernel=out.mlir"], capture_output=True, text=True, check=False, cwd=FOLDER)
    print("the file is kernel IR again:", "right" if ": right at" in again.stdout else again)
    run = rewrite(server, [misspell, right, right, also_right, talk], "timed.mlir", "--attempts=6", "--rehearse=smooth")
    print(f"timed: status {run.returncode}")
    print("\n".join(line for line in run.stderr.splitlines() if line.startswith("attempt")))
    times = [re.search(r"Your last answer was right:\n.*", one) for one in Model.questions]
    print("the question has the time:", [one[0].splitlines()[1] if one else None for one in times])
    print("the question has the fastest:", ["The fastest that you wrote takes" in one for one in Model.questions])
    run = rewrite(server, [right], "kept.mlir", "--attempts=1", "--rehearse=smooth", "--db=kept.db", "--shape=1024,1024,1024")
    print(f"kept: status {run.returncode},", run.stderr.splitlines()[-1])
    run = rewrite(server, [right], "none.mlir", "--rehearse=smooth", "--shape=1024,1024,1024,nn")
    print(f"of another class: status {run.returncode},", run.stderr.splitlines()[-1])
    run = rewrite(server, [right], "none.mlir", "--rehearse=smooth", "--shape=1024,1024,1024;512,512,512")
    print(f"two shapes: status {run.returncode},", run.stderr.splitlines()[-1])
    run = rewrite(server, [right], "other.mlir", "--attempts=1", "--rehearse=smooth", "--arch=h100")
    print(f"another arch: status {run.returncode},", run.stderr.splitlines()[0])
    run = rewrite(server, [right], "none.mlir", "--attempts=1", "--rehearse=compile,wrong:1,wrong:2,wrong:3")
    print(f"proven and wrong: status {run.returncode},", run.stderr.splitlines()[0])
    run = rewrite(server, [misspell], "none.mlir", "--attempts=2")
    print(f"never right: status {run.returncode},", run.stderr.splitlines()[-1])
    print("nothing was written:", not os.path.exists(os.path.join(FOLDER, "none.mlir")))
    run = rewrite(server, [answer], "none.mlir", "--attempts=1")
    print("the same again:", run.stderr.splitlines()[-1])
    server.shutdown()
    server.server_close()
    run = rewrite(server, [answer], "none.mlir", "--llm-wait=1")
    print(f"no server: status {run.returncode},", run.stderr.splitlines()[-1])


if __name__ == "__main__":
    main()
