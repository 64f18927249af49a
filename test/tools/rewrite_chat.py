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
KEY = "of-nobody-else-0815"


def kernel_in(question):
    """The best kernel of the question: its name and its text."""
    return re.search(r"^# Kernel (k\w+):[^\n]*\n(gpu\.func @.*?\n})", question, re.DOTALL | re.MULTILINE).groups()


def line_of(kernel, part):
    """The only line with this part."""
    (line,) = [one for one in kernel[1].splitlines() if part in one]
    return line


def edits(kernel, *pairs):
    return {"parent": kernel[0], "rewrites": [], "edits": [{"find": a, "replace": b} for a, b in pairs]}


def answer(*candidates, **more):
    return json.dumps({"plan": "wait for less", "candidates": candidates, **more})


def replaced(kernel, part, by):
    line = line_of(kernel, part)
    return edits(kernel, (line, line.replace(part, by)))


class Model(chat_server.Handler):
    """Answers in the ways of `answers`, one after the other."""

    questions = []
    answers = []
    kernel = None  # the best one of the first question

    def be_kernel(self):
        if self.is_probe:
            return self.say(chat_server.PROOF)
        Model.questions.append(self.question)
        Model.kernel = Model.kernel or kernel_in(self.question)
        change = Model.answers[min(len(Model.questions), len(Model.answers)) - 1]
        if change is endless:
            return self.be_huge()
        self.say(change(Model.kernel).replace("KEY", self.key))


def endless(kernel):
    """Never ends."""


def talk(kernel):
    return "I would rather not."


def misspell(kernel):
    return answer(replaced(kernel, "kernel.barriers.init", "kernel.barriers.innit"))


def race(kernel):
    return answer(edits(kernel, (line_of(kernel, "kernel.await %barriers["), "")))


def right(kernel):
    return "Gladly:\n" + answer(replaced(kernel, "kernel.mma.wait 1", "kernel.mma.wait 0")) + "\nGood luck."


def also_right(kernel):
    return answer(edits(kernel, (line_of(kernel, "kernel.depend.release"), "")))


def same(kernel):
    return answer(replaced(kernel, "kernel.mma.commit", "kernel.mma.commit"))


def hostile(kernel):
    """Candidates that are none, and a plan with the key."""
    deep = "scf.if %c {" * 10_000
    return answer(
        {"parent": "KEY", "rewrites": ["flight(0)"], "edits": []},
        {"parent": "k000000000000000", "rewrites": ["flight(0)"], "edits": []},
        {"parent": kernel[0], "rewrites": ["flight(0)", "flight(0)"], "edits": []},
        {"parent": kernel[0], "rewrites": ["\x1b[31mformat(c:)"], "edits": []},
        edits(kernel, ("kernel.mma.commit\nkernel.mma.commit", "")),
        edits(kernel, ("}", "}")),
        edits(kernel, ("kernel.mma.commit", deep)),
        edits(kernel, ("kernel.mma.commit", "x" * (1 << 20))),
        plan="KEY" * 1000,
    )


def rewrite(server, answers, output, *more):
    Model.questions, Model.answers, Model.kernel = [], answers, None
    return subprocess.run(
        [HONE, "rewrite", "--kernel=kernel.mlir", f"--output={output}", "--llm-model=test", "--islands=1",
         f"--llm-url={server.url('kernel')}", *more],
        capture_output=True, text=True, check=False, cwd=FOLDER, env=os.environ | {"HONE_LLM_KEY": KEY},
    )


def progress(run):
    return "\n".join(line for line in run.stderr.splitlines() if line.startswith(("round", "  refused", "fastest")))


def main():
    server = chat_server.Server()
    server.RequestHandlerClass = Model
    run = rewrite(server, [talk, misspell, race, right], "out.mlir")
    print(f"right at last: status {run.returncode}")
    print(progress(run))
    print("the question has the kernel:", all("kernel.mma.async" in kernel_in(one)[1] for one in Model.questions))
    print("the question has the fault:", ["# Refused of the last answer" in one for one in Model.questions])
    print(re.search(r"# Refused of the last answer\n(.*)", Model.questions[3])[1])
    changed = [line for line in run.stdout.splitlines() if re.match(r"[-+] ", line)]
    print("the lines that differ:", [line[:2] + re.search(r"kernel\.[\w.]+ \d", line)[0] for line in changed])
    again = subprocess.run([HONE, "rewrite", "--kernel=out.mlir"], capture_output=True, text=True, check=False, cwd=FOLDER)
    print("the file is kernel IR again:", "right" if ": right at" in again.stdout else again)
    run = rewrite(server, [misspell, also_right, also_right, talk], "timed.mlir", "--rounds=4", "--rehearse=smooth")
    print(f"timed: status {run.returncode}")
    print(progress(run))
    run = rewrite(server, [also_right], "kept.mlir", "--rounds=1", "--rehearse=smooth", "--db=kept.db", "--shape=1024,1024,1024")
    print(f"kept: status {run.returncode},", [line for line in run.stderr.splitlines() if "kept.db" in line][0])
    run = rewrite(server, [right], "none.mlir", "--rehearse=smooth", "--shape=1024,1024,1024,nn")
    print(f"of another class: status {run.returncode},", run.stderr.splitlines()[-1])
    run = rewrite(server, [right], "none.mlir", "--rehearse=smooth", "--shape=1024,1024,1024;512,512,512")
    print(f"two shapes: status {run.returncode},", run.stderr.splitlines()[-1])
    run = rewrite(server, [also_right], "other.mlir", "--rounds=1", "--rehearse=smooth", "--arch=h100")
    print(f"another arch: status {run.returncode},", run.stderr.splitlines()[0])
    wrong = ",".join(f"wrong:{number}" for number in range(1, 40))
    run = rewrite(server, [right], "none.mlir", "--rounds=1", f"--rehearse=compile,{wrong}")
    print(f"proven and wrong: status {run.returncode},", run.stderr.splitlines()[-1])
    run = rewrite(server, [also_right], "wrong.mlir", "--rounds=1", "--rehearse=compile,wrong:2")
    print(f"one is wrong: status {run.returncode}")
    print(progress(run))
    run = rewrite(server, [hostile], "none.mlir", "--rounds=2", "--llm-record=hostile.jsonl")
    print(f"hostile: status {run.returncode}")
    print(progress(run))
    print("\n".join(line[:100] for line in re.search(r"# Refused of the last answer\n((?:.+\n)*)", Model.questions[1])[1].splitlines()))
    with open(os.path.join(FOLDER, "hostile.jsonl"), encoding="utf-8") as file:
        print("the key is anywhere:", KEY in run.stdout + run.stderr + file.read() + Model.questions[1])
    run = rewrite(server, [also_right, endless], "endless.mlir", "--rounds=3", "--rehearse=smooth")
    print(f"endless: status {run.returncode}")
    print(progress(run))
    run = rewrite(server, [misspell], "none.mlir", "--rounds=2")
    print(f"never right: status {run.returncode},", run.stderr.splitlines()[-1])
    print("nothing was written:", not os.path.exists(os.path.join(FOLDER, "none.mlir")))
    run = rewrite(server, [same], "none.mlir", "--rounds=1")
    print(f"the same again: status {run.returncode}")
    print(progress(run))
    server.shutdown()
    server.server_close()
    run = rewrite(server, [right], "none.mlir", "--llm-wait=1")
    print(f"no server: status {run.returncode},", run.stderr.splitlines()[-1])


if __name__ == "__main__":
    main()
