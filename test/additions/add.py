#!/usr/bin/env python3
"""Adds a toy to a copy of the product, by the steps of a section of CONTRIBUTING.md, and runs it.

usage: add.py ADDITION ROOT BUILD LLVM OUT    LLVM: its prefix
       add.py --files ADDITION ROOT [PAGE]    compare the files alone; PAGE: instead of CONTRIBUTING.md

Inputs/ADDITION.patch has the toy's lines. Its hunks have no numbers: the lines that it keeps and
removes must be once in the file. Inputs/ADDITION.cpp is a program that uses the toy.

The files of the patch are those that the section names: all of its numbered steps, one of those
after "one of", and others of its list. Changed files are compiled as the build does, under their
own names (-ivfsoverlay), but not optimized. Together with the program they are linked with the
built library. None of their symbols replaces one of the library.
"""

import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tidy

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
# heading; files to compile although they have no change; the name of an op
ADDITIONS = {
    "kernel-op": ("To add a kernel op", [], "kernel.pause"),
    "matcher": ("To add a matcher", [], None),
    "decision": (
        "To add a decision",
        ["lib/Schedule/MmaSyncDefault.cpp", "lib/Schedule/ExactF32Default.cpp", "passes/Build/MmaSync/BuildMmaSync.cpp"],
        None,
    ),
    "schedule-source": ("To add a schedule source", [], None),
    "element-type": ("To add an element type", [], None),
}
# A file with the flags of a program that includes MLIR.
LIKE_PROGRAM = "tools/hone-opt/hone-opt.cpp"


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def write(text, *parts):
    path = os.path.join(*parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


# ---- The section ------------------------------------------------------------------------


def steps_of(page, heading):
    """The items of the section's lists, each with whether it is numbered."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", page, re.MULTILINE | re.DOTALL)
    if not found:
        sys.exit(f"expected the section '{heading}', but got none")
    items = re.findall(r"^(\d+\.|-) (.*\n(?:  .*\n)*)", found[1], re.MULTILINE)
    return [(text, mark != "-") for mark, text in items]


def paths_in(text):
    """The paths of product files in the code of a step; NAME in one stands for any name."""
    words = re.findall(r"`([\w./*-]+)`", text)
    return [word for word in words if re.match(r"(?:dialects|include|lib|passes|tools|cmake)/.*\.\w+$", word)]


def matches(path, pattern):
    return re.fullmatch(re.escape(pattern).replace("NAME", r"\w+").replace(r"\*", r"[^/]*"), path)


def compare(root, page, heading, touched):
    """Yields the differences between a section's files and those that a toy touches."""
    listed = []
    for step, is_needed in steps_of(page, heading):
        paths = paths_in(step)
        listed += paths
        used = [path for path in paths if any(matches(file, path) for file in touched)]
        if is_needed and paths and (len(used) != 1 if "one of" in step.lower() else used != paths):
            unused = ", ".join(path for path in paths if path not in used)
            yield f"expected a toy that touches the files of the step, but got none for {unused}: {step.strip()}"
    for path in touched:
        if not any(matches(path, pattern) for pattern in listed):
            yield f"expected '{path}' in the section '{heading}', but got {', '.join(listed)}"
    for path in listed:
        if "NAME" not in path and not glob.glob(os.path.join(root, path)):
            yield f"expected the file '{path}' of the section '{heading}', but got none"


# ---- The patch --------------------------------------------------------------------------


def hunks_of(patch):
    """{file: its hunks}, each hunk the text before and after."""
    files = {}
    for part in re.split(r"^=== ", patch, flags=re.MULTILINE)[1:]:
        path, _, body = part.partition("\n")
        files[path] = []
        for hunk in re.split(r"^@@\n", body, flags=re.MULTILINE):
            lines = hunk.splitlines(keepends=True)
            before, after = ("".join(line[1:] for line in lines if line[0] in marks) for marks in (" -", " +"))
            files[path].append((before, after))
    return files


def patched(root, path, hunks):
    if not hunks[0][0]:
        if os.path.exists(os.path.join(root, path)):
            sys.exit(f"expected no file '{path}', which the toy adds")
        return hunks[0][1]
    text = read(root, path)
    for before, after in hunks:
        if text.count(before) != 1:
            sys.exit(f"expected these lines once in '{path}', but got them {text.count(before)} times:\n{before}")
        text = text.replace(before, after)
    return text


# ---- The program ------------------------------------------------------------------------


def run(command, cwd):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def generate_op(op, root, out, llvm):
    """Writes the code of one op alone, so that no other file of the dialect is compiled again."""
    folders = [os.path.join(top, below) for top in (os.path.join(out, "tree"), root) for below in ("", "dialects/Kernel")]
    include = [word for folder in [*folders, os.path.join(llvm, "include")] for word in ("-I", folder)]
    only = f"-op-include-regex=^{re.escape(op)}$"
    source = os.path.join(root, "dialects/Kernel/Kernel.td")
    for what, name in (("decls", "Toy.h.inc"), ("defs", "Toy.cpp.inc")):
        run([os.path.join(llvm, "bin/mlir-tblgen"), f"-gen-op-{what}", only, source, *include, "-o", f"{out}/{name}"], out)
    text = '#include "dialects/Kernel/Kernel.h"\n#define GET_OP_CLASSES\n#include "Toy.h.inc"\n'
    return ["-I", out, "-include", write(text, out, "Toy.h")]


def flags_for(path, flags):
    """The flags of a file, or of a neighbour of a new one, without optimization."""
    folder = os.path.dirname(path)
    words = flags.get(path) or next(words for name, words in sorted(flags.items()) if os.path.dirname(name) == folder)
    words = words[next(at for at, word in enumerate(words) if "clang" in word) :]
    if "-include-pch" in words:  # it was compiled with -O3, so no pass runs but those that must
        return words + ["-mllvm", "-opt-bisect-limit=0", "-mllvm", "-opt-bisect-verbose=0"]
    return words + ["-O0"]


def build(addition, root, build_folder, llvm, out):
    _, more, op = ADDITIONS[addition]
    changed = {path: patched(root, path, hunks) for path, hunks in hunks_of(read(INPUTS, f"{addition}.patch")).items()}
    roots = [
        {"name": os.path.join(root, path), "type": "file", "external-contents": write(text, out, "tree", path)}
        for path, text in changed.items()
    ]
    overlay = write(json.dumps({"version": 0, "use-external-names": False, "roots": roots}), out, "overlay.yaml")
    flags = tidy.compiled(root, build_folder)
    compiler = flags_for(LIKE_PROGRAM, flags)[0]
    extra = ["-ivfsoverlay", overlay, "-Werror=switch", *(generate_op(op, root, out, llvm) if op else [])]

    def compile_one(path):
        source, like = (path, LIKE_PROGRAM) if os.path.isabs(path) else (os.path.join(root, path), path)
        if not os.path.exists(source):  # the driver does not look into the overlay
            source = os.path.join(out, "tree", path)
        output = os.path.join(out, path.replace("/", "_") + ".o")
        run([*flags_for(like, flags), *extra, "-c", source, "-o", output], build_folder)
        return output

    sources = [path for path in [*changed, *more] if path.endswith(".cpp")] + [os.path.join(INPUTS, f"{addition}.cpp")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, sources))
    program, local = os.path.join(out, "program"), write("{ local: *; };\n", out, "local.map")
    folders = [os.path.join(build_folder, "lib"), os.path.join(llvm, "lib")]
    link = [word for folder in folders for word in (f"-L{folder}", f"-Wl,-rpath,{folder}")]
    libraries = ["-lhone", "-lhone_rt", "-lMLIR", "-lLLVM"]
    run([compiler, *objects, *link, *libraries, "-fuse-ld=lld", f"-Wl,--version-script={local}", "-o", program], out)
    return run([program], out)


def main(arguments):
    only_files = arguments[:1] == ["--files"]
    arguments = arguments[only_files:]
    if len(arguments) not in ((2, 3) if only_files else (5,)) or arguments[0] not in ADDITIONS:
        sys.exit(__doc__)
    addition, (root, *others) = arguments[0], map(os.path.abspath, arguments[1:])
    page = others[0] if only_files and others else os.path.join(root, "CONTRIBUTING.md")
    touched = list(hunks_of(read(INPUTS, f"{addition}.patch")))
    faults = list(compare(root, read(page), ADDITIONS[addition][0], touched))
    print("\n".join(faults) if faults else f"{addition}: {len(touched)} files, as listed")
    if not faults and not only_files:
        print(build(addition, root, *others), end="")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
