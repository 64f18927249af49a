#!/usr/bin/env python3
"""Checks that the kernel ops a page shows are those that the compiler writes, in order.

usage: kernel_ir.py PAGE SECTION < ir.mlir     SECTION: how the section's heading begins

Of both texts the kernel ops are kept, with the properties that do not depend on names: steps,
whether a read is transposed, counts of waits, matrices' alignment, rings and their places. The
page may leave ops out (it shows the first of several groups of copies), not add or reorder.
"""

import re
import sys

OP = re.compile(r"\bkernel\.(?!yield)[a-z.]+")
DETAILS = re.compile(
    r"\bstep \d+|\btransposed\b|wait \d+|align = \d+|\bat \d+|\d+ of \d+ x \d+ x \w+|-> <\w+, \"\w*\">"
)
BLOCK = re.compile(r"^```mlir\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHOWN_WITH_TYPES = ("kernel.ring", "kernel.matrix", "kernel.operand")


def ops(text):
    """The kernel ops of `text` as lists of words."""
    for line in text.splitlines():
        op = OP.search(line)
        if op:
            # The page leaves out the types of values.
            rest = line[op.start() :]
            if op[0] not in SHOWN_WITH_TYPES:
                rest = rest.split(" : ")[0]
            yield " ".join([op[0], *DETAILS.findall(rest)])


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    with open(arguments[0], encoding="utf-8") as page:
        sections = page.read().split("\n## ")
    section = next((text for text in sections if text.startswith(arguments[1])), None)
    if section is None:
        sys.exit(f"expected a section '{arguments[1]}' in the page, but got none")
    shown = [op for block in BLOCK.findall(section) for op in ops(block)]
    kernel = sys.stdin.read().split("gpu.func")[1]
    written = iter(ops(kernel))
    for number, op in enumerate(shown, 1):
        if not any(op == other for other in written):
            sys.exit(f"op {number} of the page: expected the compiler to write '{op}' here, but it does not")
    if len(shown) < 6:
        sys.exit(f"expected a section with a kernel, but got {len(shown)} ops")
    print(f"{len(shown)} ops as the compiler writes them")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
