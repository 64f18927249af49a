"""The functions of C++ sources in the style of `.clang-format`, and their lines.

A head ends with an opening brace. Its body ends at the first line with a closing brace below the
start of the head. So no parser is needed: types, namespaces and tables have their
words at the start or the end of the head.
"""

import re

TYPE = re.compile(r"(template <.*> )?(class|struct|union|enum)\b[^()=]*\{$")
TABLE = re.compile(r"(= |\])\{$")
NAME = re.compile(r"([\w:~]+|operator\S+) ?\(")


def find(lines):
    """Yields (name, number of the first line, lines), without the rows of tables in a body."""
    lines = [line.rstrip() for line in lines]
    indents, head, start, at = [0], "", 0, 0
    while at < len(lines):
        text = lines[at].strip()
        if len(indents) > 1 and lines[at].startswith(" " * indents[-2] + "}"):
            indents.pop()
            head = ""
        elif text and not text.startswith(("//", "#", "namespace", "}")) and not text.endswith(":"):
            start = start if head else at
            head = f"{head} {text}".strip()
            if TYPE.match(head):
                indents.append(indents[-1] + 2)
            elif text.endswith("{"):
                end = end_of(lines, at, indents[-1])
                if "(" in head and not TABLE.search(head):
                    name = NAME.search(head)
                    yield name.group(1) if name else head, start + 1, end + 1 - start - rows(lines[at + 1 : end])
                at = end
            if lines[at].endswith((";", "}", "{")):
                head = ""
        else:
            head = ""
        at += 1


def end_of(lines, at, indent):
    while at + 1 < len(lines) and not lines[at].startswith(" " * indent + "}"):
        at += 1
    return at


def rows(body):
    """The rows of the tables in a function's body."""
    count, first = 0, None
    for at, line in enumerate(body):
        indent = " " * (len(line) - len(line.lstrip()))
        if first is None and TABLE.search(line):
            first, wanted = at, indent + "}"
        elif first is not None and line.startswith(wanted):
            count, first = count + at - first - 1, None
    return count
