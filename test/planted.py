"""Self-tests of the checks of the source tree: faults that are planted in a small tree.

A case is the tree, {path: text}, and the words of its only fault; a tree without a fault has "".
"""

import os
import sys
import tempfile


def with_line(tree, path, line):
    """`tree` with one more line at the end of a file, which may be new."""
    return {**tree, path: tree.get(path, "") + line + "\n"}


def with_lines(tree, plants):
    """The cases of `tree` itself, and of each (path, line, fault) of `plants`."""
    return [(tree, ""), *((with_line(tree, path, line), fault) for path, line, fault in plants)]


def write(root, tree):
    for path, text in tree.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)


def self_test(cases, check):
    """Whether `check`, which lists the faults of a tree below a folder, finds that of each case:
    the status of the program."""
    for tree, wanted in cases:
        with tempfile.TemporaryDirectory() as root:
            write(root, tree)
            found = list(check(root))
        if not (len(found) == 1 and wanted in found[0] if wanted else not found):
            print(f"self-test: expected the fault {wanted!r} alone, but got {found}, in {tree}", file=sys.stderr)
            return 1
    print(f"self-test: {sum(bool(wanted) for _, wanted in cases)} planted faults found")
    return 0
