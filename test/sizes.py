#!/usr/bin/env python3
"""Checks that the product's files, functions and folders are small enough to read.

usage: sizes.py ROOT         check the tree
       sizes.py --self-test  check that the check can fail
"""

import os
import sys

import functions
import planted

LINES = 420  # of a file
BODY = 65  # lines of a function, without the rows of its tables
SOURCES = 30  # of a folder, headers included
TOPS = ("include", "lib", "dialects", "passes", "tools")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def faults(root):
    for top in TOPS:
        for directory, _, names in os.walk(os.path.join(root, top)):
            below = os.path.relpath(directory, root).replace(os.sep, "/")
            sources = [name for name in sorted(names) if name.endswith((".cpp", ".h", ".c", ".td"))]
            if len(sources) > SOURCES:
                yield f"{below}: expected at most {SOURCES} sources, but got {len(sources)}; use folders for its parts"
            for name in sources:
                path, lines = f"{below}/{name}", lines_of(os.path.join(directory, name))
                if len(lines) > LINES:
                    yield f"{path}: expected at most {LINES} lines, but got {len(lines)}; use a second file"
                if name.endswith(".td"):
                    continue
                for function, first, count in functions.find(lines):
                    if count > BODY:
                        yield (
                            f"{path}:{first}: expected {function} to have at most {BODY} lines, but got {count}; "
                            "use a function for each of its parts"
                        )


def self_test():
    long, short = "\n" * (LINES + 1), "\n" * LINES
    body = "  int i = 0;\n" * (BODY - 1)
    table = "  static const int kRows[] = {\n" + "      1,\n" * BODY + "  };\n"
    member = "namespace {{\nclass C {{\npublic:\n  void run() {{\n{0}  }}\n}};\n}} // namespace\n"
    many = {f"lib/Room/File{number}.cpp": "" for number in range(SOURCES + 1)}
    cases = [
        ({"lib/Room/File.cpp": short, "test/Long.cpp": long}, ""),
        ({"lib/Room/File.cpp": long}, f"lines, but got {LINES + 1}"),
        ({"lib/Room/File.cpp": "template <typename T>\nstatic T f(\n    T t) {\n" + body + "}\n"}, ":1: expected f"),
        ({"lib/Room/File.h": member.format(body)}, ":4: expected run"),
        ({"lib/Room/File.cpp": "int f() {\n" + table + "  return 1;\n}\n"}, ""),
        ({"lib/Room/File.cpp": "int kRows[] = {\n" + body + "};\n\nint f() { return 1; }\n"}, ""),
        ({"dialects/Hone/Hone.td": long}, f"lines, but got {LINES + 1}"),
        (many, f"sources, but got {SOURCES + 1}"),
    ]
    return planted.self_test(cases, faults)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 2 or not os.path.isdir(os.path.join(sys.argv[1], "lib")):
        sys.exit(__doc__)
    found = list(faults(sys.argv[1]))
    print("\n".join(found) if found else "sizes: no fault")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
