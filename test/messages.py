#!/usr/bin/env python3
"""Lists the texts of errors and remarks of the product, and its other texts for users.

usage: messages.py ROOT OUTPUT   write one `path:line: text` a line, sorted; - is stdout

A message is made of the string literals of one statement that calls a function of CALLS, or
that has a literal with the beginning of an error or with four words in a row: reasons of
remarks, sentences of laws, help. Values between two literals are shown as {}.
"""

import os
import re
import sys

PRODUCT = ("dialects", "include", "lib", "passes", "tools")
TESTS = ("cmake", "test")
SUFFIXES = (".c", ".cpp", ".h", ".td")

# The functions whose literals are messages: MLIR's, LLVM's and our own.
CALLS = re.compile(
    r"\b(emit(?:Op)?(?:Error|Remark|Warning)|notifyMatchFailure|createStringError|missed"
    r"|(?:fail|failAt|failure|fault|malformed|unusable|remark|complain|reject|warn)(?=\())\b"
)
BEGINNING = re.compile(r"(?:expected|cannot|can not|could not|failed|missing|unknown|unsupported|invalid|no) [a-z'{]")
WORDS = re.compile(r"[a-z]{2,}(?: [a-z][a-z'-]*,?){3,}")
# Literals that are not messages: a programmer's, and spellings of the input.
NO_MESSAGE = re.compile(
    r"\b(?:(?:List)?Option|(?:static_)?assert|llvm_unreachable|cl::(?:desc|opt)|starts_with|consume_front)\b"
)

# The most frequent ones come first.
TOKEN = re.compile(
    r"(?P<include>^[ \t]*#[ \t]*include[^\n]*)|(?P<space>\s+)|(?P<other>[A-QS-Za-z_]\w*|[(){}\[\],;:.<>=&*+-])"
    r'|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<raw>R"(?P<mark>\w*)\(.*?\)(?P=mark)")'
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\")|(?P<char>(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+')|(?P<rest>\w+|.)",
    re.DOTALL | re.MULTILINE,
)
KINDS = {"mark": "raw", "rest": "other"}


def tokens(text):
    """The (kind, line, text) of every token of C, C++ or TableGen, except white space."""
    line = 1
    for match in TOKEN.finditer(text):
        kind = KINDS.get(match.lastgroup, match.lastgroup)
        if kind != "space":
            yield kind, line, match[0]
        if kind != "other":
            line += match[0].count("\n")


def sources(root, tops, suffixes=SUFFIXES):
    """The paths below the folders `tops`, relative to `root`."""
    for top in tops:
        for directory, folders, files in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(files):
                if name.endswith(suffixes):
                    yield os.path.relpath(os.path.join(directory, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def statement_message(statement):
    """The (line, text) of the message of a statement's tokens, or None."""
    code = " ".join(text for kind, _, text in statement if kind == "other")
    first = next((at for at, token in enumerate(statement) if token[0] == "string"), None)
    if first is None or NO_MESSAGE.search(code.replace(" : : ", "::")):
        return None
    text, line, is_adjacent = "", statement[first][1], True
    for kind, _, token in statement[first:]:
        if kind == "string":
            text += ("" if is_adjacent else "{}") + token[1:-1]
        is_adjacent = kind == "string"
    literals = [token[1:] for kind, _, token in statement if kind == "string"]
    is_call = CALLS.search(code.replace(" (", "(")) and re.search(r"[a-z]{2} [a-z{']", text)
    return (line, text) if is_call or any(BEGINNING.match(one) or WORDS.search(one) for one in literals) else None


def messages(root, tops=PRODUCT):
    """Yields (path, line, text) for every message of the sources."""
    for path in sources(root, tops):
        statement = []
        for token in tokens(read(root, path)):
            if token[2] in (";", "{", "}"):
                found = statement_message(statement)
                if found:
                    yield path, *found
                statement = []
            elif token[0] not in ("comment", "include"):
                statement.append(token)


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    root, output = arguments
    lines = sorted(f"{path}:{line}: {text}\n" for path, line, text in messages(root))
    with open(output, "w", encoding="utf-8") if output != "-" else sys.stdout as file:
        file.writelines(lines)
    print(f"messages: {len(lines)}", file=sys.stderr)
    return 0 if lines else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
