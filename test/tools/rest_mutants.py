#!/usr/bin/env python3
"""Mistakes in kernels of the rest, each of which the proof has to find.

usage: rest_mutants.py HONE-OPT FILE [EVERY]

Builds the kernels of FILE, makes one mistake at a time in the text of a kernel or
of its plan, and lets hone-verify-kernel judge them in one run; of so many as EVERY
says, one. Changes that leave a kernel right are not made: operands of ops that
commute, unused parameters, the blocks of a grid that share all points.
"""

import re
import subprocess
import sys


def run(arguments, text):
    done = subprocess.run(arguments, input=text, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def balanced(text, at):
    """The end of the brackets that begin at `at`."""
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] in "[{(") - (text[end] in "]})")
        if depth == 0:
            return end + 1
    raise ValueError("brackets that do not end")


class Kernel:
    """One alternative of a plan with its kernel and function."""

    def __init__(self, head, tables, lines, plan, function):
        self.head, self.tables, self.lines = head, tables, lines
        self.plan, self.function = plan, function

    def text(self, lines=None, plan=None):
        plan = ", ".join('"%s"' % line for line in plan or self.plan)
        return "\n".join(
            ["module {", self.head % plan]
            + self.tables
            + (lines or self.lines)
            + ["  }", self.function, "}"]
        )


def kernels_of(text):
    lines = text.split("\n")
    aliases = dict(re.findall(r"^(#\w+) = (.*)$", text, re.M))
    functions, globals_ = {}, []
    for i, line in enumerate(lines):
        match = re.match(r"  func\.func private @(hone_rest_\w+)\(", line)
        if match:
            end = next(j for j in range(i, len(lines)) if lines[j] == "  }")
            body = "\n".join(lines[i : end + 1])
            for alias in sorted(aliases, key=len, reverse=True):
                body = re.sub(re.escape(alias) + r"\b", aliases[alias], body)
            functions[match[1]] = body
        if line.startswith("  memref.global"):
            globals_.append(line)
    module = next(i for i, line in enumerate(lines) if "gpu.module" in line)
    head = lines[module]
    start = head.index("{hone.plans = {") + len("{hone.plans = ")
    plans = {}
    inside = head[start + 1 : balanced(head, start) - 1]
    for name, plan in re.findall(r'(\w+) = #kernel\.plan<("[^"]*"(?:, "[^"]*")*)>', inside):
        plans[name] = re.findall(r'"([^"]*)"', plan)
    target = head[: start + 1]
    tables = [line for line in lines[module:] if "llvm.mlir.global" in line]
    for i, line in enumerate(lines):
        match = re.match(r"    gpu\.func @((hone_rest_[0-9a-f]+)_\w+)\(", line)
        if not match:
            continue
        end = next(j for j in range(i, len(lines)) if lines[j] == "    }")
        for name, plan in plans.items():
            parts, current = [], None
            for entry in plan[2:]:
                if entry.startswith("alternative"):
                    parts.append([])
                parts[-1].append(entry)
            for part in parts:
                if "launch " + match[1] in part:
                    yield Kernel(
                        target + name + " = #kernel.plan<%s>}} {",
                        tables,
                        lines[i : end + 1],
                        plan[:2] + part,
                        "\n".join(globals_ + [functions[match[2]]]),
                    )


def constants_of(lines):
    """Integer constants by name, with their types."""
    found = {}
    for line in lines:
        match = re.match(r"\s*(%\S+) = arith\.constant (-?\d+) : (\w+)$", line)
        if match:
            found[match[1]] = (int(match[2]), match[3])
    return found


OPS = {
    "arith.addf": "arith.subf", "arith.subf": "arith.addf", "arith.mulf": "arith.addf",
    "arith.divf": "arith.mulf", "arith.maximumf": "arith.minimumf", "arith.ori": "arith.andi",
    "arith.addi": "arith.subi", "arith.divui": "arith.remui", "arith.remui": "arith.divui",
    "arith.andi": "arith.ori", "arith.shli": "arith.shrui", "arith.shrui": "arith.shli",
}
COMMUTE = (
    "addf", "mulf", "addi", "muli", "andi", "ori", "max", "min", "cmpi eq", "cmpi ne",
)
CONVERSIONS = {
    "arith.sitofp": "arith.uitofp", "arith.extsi": "arith.extui", "arith.shrsi": "arith.shrui",
    "arith.maxsi": "arith.maxui", "arith.maximumf": "arith.maxnumf",
}
ANSWERS = {
    "ult": "uge", "ule": "ugt", "ugt": "ule", "uge": "ult", "eq": "ne", "ne": "eq",
    "slt": "sge", "sgt": "sle", "olt": "oge", "ogt": "olt",
}


def wrong_numbers(line, indent, constants):
    """Every integer constant that the line reads, one more and one less."""
    for use in re.finditer(r"%c-?\w+", line):
        if use[0] not in constants:
            continue
        value, kind = constants[use[0]]
        others = [value + 1, value - 1]
        if "shfl" in line and value in (1, 2, 4, 8, 16):
            # One more is another way to reach every lane.
            others = [value // 2 or 2]
        for other in others if kind != "i1" else []:
            yield "number", [
                "%s%%mutant = arith.constant %d : %s" % (indent, other, kind),
                line[: use.start()] + "%mutant" + line[use.end() :],
            ]


def wrong_ops(line):
    for name, other in OPS.items():
        if name + " " in line:
            yield "op", [re.sub(r" overflow<\w+>", "", line.replace(name + " ", other + " "))]
    match = re.search(r"arith\.cmp[if] (\w+), (%\w+), (%\w+)", line)
    if match and match[1] in ANSWERS:
        yield "answer", [line.replace(match[1] + ",", ANSWERS[match[1]] + ",", 1)]
        if match[1] == "ogt" and not match[3].startswith("%c"):
            yield "tie", [line.replace("ogt,", "oge,")]
    match = re.search(r"= (\S+(?: \w+,)?) (%\w+), (%\w+)( overflow<\w+>)? : ", line)
    if match and match[2] != match[3] and "shfl" not in line:
        if not any(name in match[1].replace(",", "") for name in COMMUTE):
            yield "order", [line[: match.start(2)] + match[3] + ", " + match[2] + line[match.end(3) :]]
        yield "operand", [line[: match.start(3)] + match[2] + line[match.end(3) :]]
    match = re.search(r"= arith\.select (%\w+), (%\w+), (%\w+)", line)
    if match:
        yield "order", [line[: match.start(2)] + match[3] + ", " + match[2] + line[match.end(3) :]]


def wrong_accesses(line, indent, lines):
    match = re.search(r"getelementptr (%arg\d+)\[", line)
    if match:
        bases = {base for each in lines for base in re.findall(r"getelementptr (%arg\d+)\[", each)}
        for other in sorted(bases - {match[1]}):
            yield "array", [line.replace(match[1] + "[", other + "[")]
    match = re.search(r"getelementptr %\w+\[(\d+)\]", line)
    if match:
        yield "slot", [line.replace("[%s]" % match[1], "[%d]" % (int(match[1]) + 1))]
    if "llvm.store" in line:
        yield "lost", []
        if "!llvm.ptr<1>" in line:
            yield "twice", [line, line]
    match = re.search(r"\{alignment = (\d+) : i64\}", line)
    if match:
        yield "alignment", [line.replace(match[0], "{alignment = %d : i64}" % (2 * int(match[1])))]
    if line.strip().startswith("scf.if"):
        yield "mask", [indent + "%mutant = arith.constant true", indent + "scf.if %mutant {"]


def wrong_promises(line):
    """Promises on which LLVM may rely, without a proof that they hold."""
    match = re.search(r"= arith\.(?:add|sub|mul|div|neg|trunc|ext|max\w+)f %\w+(, %\w+)?", line)
    if match and "fastmath" not in line:
        yield "promise", [line[: match.end()] + " fastmath<nnan>" + line[match.end() :]]
    if "= llvm.load" in line and "ptr<1>" in line:
        yield "promise", [line.replace(" : !llvm.ptr", " invariant : !llvm.ptr", 1) if "{" not in line
                          else line.replace(" {align", " invariant {align", 1)]
    if "llvm.getelementptr" in line and "ptr<1>" in line:
        yield "promise", [line.replace("getelementptr ", "getelementptr nuw ")]
    match = re.search(r"tid\.x range <i32, 0, (\d+)>", line)
    if match:
        yield "promise", [line.replace(match[1] + ">", "%d>" % (int(match[1]) - 1))]


def wrong_conversions(line):
    for name, other in CONVERSIONS.items():
        if name + " " in line and "i1 " not in line:
            yield "convert", [line.replace(name + " ", other + " ")]
    match = re.search(r"= arith\.truncf %\w+", line)
    if match:
        yield "convert", [line[: match.end()] + " downward" + line[match.end() :]]
    match = re.search(r"getelementptr .*, (i8|i16|i32|f16|bf16|f32|f64)$", line)
    if match:
        other = {"i8": "i16", "f16": "f32", "bf16": "f32", "i16": "i32"}.get(match[1], "i16")
        yield "width", [line[: match.start(1)] + other]


def moved_barriers(lines, i):
    """A barrier one line up, or down, past one of the accesses that it separates."""
    if lines[i].strip() != "kernel.barrier":
        return
    for other in (i - 1, i + 1):
        if re.search(r"llvm\.(load|store)|scf|^ *}", lines[other]):
            moved = list(lines)
            moved[i], moved[other] = moved[other], moved[i]
            yield moved


def wrong_tiles(lines):
    """Shapes of chunks on loops that have none: on those over chunks, which are not in another."""
    indents = [len(line) - len(line.lstrip()) for line in lines if re.match(r"\s*(%\S+ = )?scf\.for ", line)]
    for i, line in enumerate(lines):
        opening = [each for each in lines[:i] if len(each) - len(each.lstrip()) == min(indents, default=0)]
        if indents and line == " " * min(indents) + "}" and "scf.for " in opening[-1]:
            for tile in ("1, 2, 0", "2, 1, 0"):
                yield i, "tile", [line + " {hone.tile = array<i64: %s>}" % tile]


def kernel_mistakes(lines):
    """Mistakes in one line: (line, kind, lines in its place)."""
    constants = constants_of(lines)
    for i, line in enumerate(lines):
        indent = re.match(r"\s*", line)[0]
        match = re.match(r"(\s*%\S+ = arith\.constant )\S+( : (?:f\d+|bf16))$", line)
        vector = re.match(r"(\s*%\S+ = arith\.constant dense<)\S+(> : vector<\d+x\w+>)$", line)
        tile = re.search(r"hone\.tile = array<i64: (\d+), (\d+), (\d+)>", line)
        if line.strip() in ("kernel.barrier", "kernel.depend.wait"):
            yield i, "barrier", []
        elif vector:
            yield i, "float", [vector[1] + "-2.500000e+00" + vector[2]]
        elif tile:
            parts = [int(part) for part in tile.groups()]
            for part in range(3):
                for other in (0, parts[part] + 1, 2 * parts[part]):
                    wrong = [*parts[:part], other, *parts[part + 1 :]]
                    text = "hone.tile = array<i64: %d, %d, %d>" % tuple(wrong)
                    yield i, "tile", [line.replace(tile[0], text)]
        elif match:
            yield i, "float", [match[1] + "-2.500000e+00" + match[2]]
        elif "arith.constant" not in line and "gpu.func" not in line:
            for mistakes in (
                wrong_numbers(line, indent, constants),
                wrong_ops(line),
                wrong_accesses(line, indent, lines),
                wrong_promises(line),
                wrong_conversions(line),
            ):
                for kind, new in mistakes:
                    yield i, kind, new


def wrong_grids(line):
    first = line[5:].split(" ;")[0]
    others = ["0"]
    if "min(" not in first:
        others += ["(%s) - 1" % first, "(%s) + 1" % first]
    for other in others:
        yield "grid", "grid " + other + " ; 1 ; 1"
    yield "grid", "grid " + first + " ; 2 ; 1"


def wrong_guards(line):
    parts = line[12:].split(" && ")
    for part in parts:
        left = [other for other in parts if other != part]
        weaker = re.sub(r"% \d+ ==", "% 2 ==", part)
        yield "guard", "alternative " + (" && ".join(left) or "1")
        yield "guard", "alternative " + " && ".join(left + ["(%s || p0 > 0)" % part])
        if "% 2" not in part and weaker != part:
            yield "guard", "alternative " + " && ".join(left + [weaker])


def wrong_params(line, plan):
    kind, value = line.split()[1:3]
    for other in sorted({each.split()[2] for each in plan if each.startswith("param " + kind + " ")}):
        # Extents that one loop runs along are equal.
        isOwn = value[:2] == other[:2] or "s" in value + other or kind == "ptr"
        if other != value and isOwn:
            yield "param", "param %s %s" % (kind, other)
    yield "param", "param %s %s + 1" % (kind, value)


def plan_mistakes(plan, lines):
    used = [
        len(re.findall(r"%arg" + str(i) + r"\b", "\n".join(lines))) > 1 for i in range(64)
    ]
    params = [i for i, line in enumerate(plan) if line.startswith("param ")]
    for i, line in enumerate(plan):
        mistakes = []
        if line.startswith("grid "):
            mistakes = wrong_grids(line)
        elif line.startswith("block "):
            count = int(line.split()[1])
            mistakes = [("block", "block %d ; 1 ; 1" % other) for other in (count - 32, count + 32)]
        elif line.startswith("alternative ") and line != "alternative 1":
            mistakes = wrong_guards(line)
        elif line.startswith("param ") and used[params.index(i)]:
            mistakes = wrong_params(line, plan)
        for kind, new in mistakes:
            yield i, kind, new


def mutants_of(kernel):
    for i, kind, new in [*kernel_mistakes(kernel.lines), *wrong_tiles(kernel.lines)]:
        lines = kernel.lines[:i] + new + kernel.lines[i + 1 :]
        yield kind, kernel.lines[i].strip(), kernel.text(lines=lines)
    for i in range(len(kernel.lines)):
        for lines in moved_barriers(kernel.lines, i):
            yield "moved", "line %d" % i, kernel.text(lines=lines)
    for i, kind, new in plan_mistakes(kernel.plan, kernel.lines):
        plan = kernel.plan[:i] + [new] + kernel.plan[i + 1 :]
        yield kind, new, kernel.text(plan=plan)


def main():
    tool, path = sys.argv[1:3]
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    arch = "arch=h200"
    passes = ["--hone-outline-rest=" + arch, "--hone-build-rest=" + arch, "--canonicalize"]
    code, text, complaint = run([tool, path] + passes, "")
    if code:
        sys.exit(complaint)
    kernels = list(kernels_of(text))
    # A kernel of no elements is never launched, so that no mistake in it counts.
    full = [kernel for kernel in kernels if not re.search(r"memref<(\d+x)*0x", kernel.function)]
    mutants = [mutant for kernel in full for mutant in mutants_of(kernel)][::every]
    # The good ones come first: if the proof refuses them, it has found nothing.
    texts = [kernel.text() for kernel in kernels] + [text for _, _, text in mutants]
    starts, line = {}, 1
    for number, text in enumerate(texts):
        starts[line] = number
        line += text.count("\n") + 2
    judged = run(
        [tool, "--split-input-file", "--hone-verify-kernel", "-o", "/dev/null"],
        "\n// -----\n".join(texts),
    )[2]
    found, malformed = set(), set()
    for line in judged.split("\n"):
        # Parse errors name the marker before their part, others the line itself.
        match = re.match(r"within split at \S+?:(\d+) offset .*error: ", line)
        marker = int(match[1]) + 1 if match else 0
        match = match or re.match(r"\S+?:(\d+):\d+: error: ", line)
        if not match:
            continue
        at = max(marker, int(match[1]))
        number = starts[max(start for start in starts if start <= at)]
        isFinding = re.search(r"\[[a-z-]+; ", line) or "error: launch plan: " in line
        (found if isFinding else malformed).add(number)
    refused = [number for number in range(len(kernels)) if number in found | malformed]
    kinds = {}
    for number, (kind, line, _) in enumerate(mutants, len(kernels)):
        counts = kinds.setdefault(kind, [0, 0, 0])
        where = 0 if number in found else 1 if number in malformed else 2
        counts[where] += 1
        if where == 2:
            print("accepted: %s: %s" % (kind, line))
    for kind, counts in sorted(kinds.items()):
        print("%s: %d found, %d malformed, %d accepted" % (kind, *counts))
    total = [sum(counts[i] for counts in kinds.values()) for i in range(3)]
    print("%d kernels, %d refused" % (len(kernels), len(refused)))
    print("all: %d found, %d malformed, %d accepted" % tuple(total))


if __name__ == "__main__":
    main()
