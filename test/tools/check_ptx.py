#!/usr/bin/env python3
"""Assembles the PTX of every gpu.binary in IR and fails where it is not fit to run.

usage: check_ptx.py --print < ir.mlir                              print the PTX, check nothing
       check_ptx.py PTXAS [--allow-spills] [--dump DIR] < ir.mlir

The IR is hone-emit's output, in any number of modules. Of each kernel's PTX is expected
  - no function that is declared and not defined: ptxas takes it, the driver does not;
  - that ptxas accepts it for the architecture it names;
  - that no kernel spills registers (unless allowed);
  - that ptxas overlaps the products of tensor cores (it says C75xx where it does not).
One line per kernel says its registers and spills; the last line counts.
"""

import os
import re
import subprocess
import sys
import tempfile

ASSEMBLY = re.compile(r'assembly = "((?:[^"\\]|\\.)*)"', re.DOTALL)
ESCAPE = re.compile(r'\\([0-9A-Fa-f]{2}|["\\])')
KERNEL = re.compile(r"Compiling entry function '(\w+)' for '(\w+)'")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")


def images(text):
    """The PTX texts in MLIR text: strings with \\XX escapes."""
    for match in ASSEMBLY.finditer(text):
        yield ESCAPE.sub(lambda e: e[1] if len(e[1]) == 1 else chr(int(e[1], 16)), match[1]).rstrip("\0")


def assemble(ptxas, ptx, dump, number):
    """ptxas's report on one image, and whether it took it."""
    target = re.search(r"^\.target\s+(\w+)", ptx, re.MULTILINE)
    if not target:
        return "expected PTX with a .target, but got none", False
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(dump or scratch, f"image-{number}.ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(ptx)
        command = [ptxas, "-v", f"-arch={target[1]}", path, "-o", os.path.join(scratch, "image.cubin")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr, done.returncode == 0


def kernels(report):
    """(name, arch, registers, stack bytes, spilled bytes) of each kernel in the report."""
    parts = KERNEL.split(report)
    for name, arch, rest in zip(parts[1::3], parts[2::3], parts[3::3]):
        stack, stores, loads = (int(n) for n in SPILLS.search(rest).groups())
        yield name, arch, int(REGISTERS.search(rest)[1]), stack, stores + loads


def main(arguments):
    allow_spills = "--allow-spills" in arguments
    arguments = [a for a in arguments if a != "--allow-spills"]
    dump = None
    if "--dump" in arguments:
        at = arguments.index("--dump")
        dump = arguments[at + 1]
        os.makedirs(dump, exist_ok=True)
        del arguments[at : at + 2]
    if len(arguments) != 1:
        sys.exit(__doc__)
    if arguments == ["--print"]:
        for ptx in images(sys.stdin.read()):
            print(ptx)
        return 0
    faults = count = 0
    for number, ptx in enumerate(images(sys.stdin.read())):
        for name in re.findall(r"^\.extern\s+\.func.*?(\w+)\s*(?=\(|$)", ptx, re.MULTILINE):
            print(f"image {number}: expected no call of a library, but got {name}")
            faults += 1
        report, accepted = assemble(arguments[0], ptx, dump, number)
        if not accepted:
            print(f"image {number}: expected PTX that ptxas accepts, but got: {report.strip()}")
            faults += 1
            continue
        if "warning" in report:
            print(f"image {number}: {report.strip()}")
        for line in report.splitlines():
            if "(C75" in line:
                print(f"image {number}: {line.strip()} SERIALIZED")
                faults += 1
        for name, arch, registers, stack, spilled in kernels(report):
            count += 1
            spills = spilled > 0 or stack > 0
            faults += spills and not allow_spills
            print(f"{name} {arch}: {registers} registers, {stack} bytes of stack, {spilled} bytes spilled" + (" SPILLS" if spills else ""))
    print(f"{count} kernels, {faults} faults")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
