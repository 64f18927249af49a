#!/usr/bin/env python3
"""Finds turns of phrase that make comments, messages and pages hard to read.

usage: prose.py ROOT [FILE...]   check the tree, or files of it; FILE is relative to ROOT
       prose.py --self-test      check that the check can fail

Comments may have a pattern in MAX_SHARE of their lines; messages, names and pages in none.
"""

import ast
import os
import re
import sys
import textwrap
import tokenize
from bisect import bisect_left
from collections import Counter
from itertools import accumulate

import messages
import planted

MAX_SHARE = 0.02
SUFFIXES = (".mlir", ".py", ".test")

# ---- The patterns -----------------------------------------------------------------------
# Code in backticks and text in quotes are blanked before the search.

START = r"(?:^|(?<=[.:;!?|] )|(?<=^[-*] )|(?<=^\d\. ))"
PERSON = r"(?i:users?|readers?|callers?|persons?|people|authors?|maintainers?|engineers?|contributors?|you|we)"
OF_PERSON = PERSON + r"(?: (?:who|do|does|did|not|may|can|must|to|never))* \w+"
# Words before a "what" that asks: "decides what to do".
ASKING = r"(?i:says?|shows?|tells?|describes?|explains?|decides?|states?|lists?|see|asks?|about|matter|checks?|prints?)"
NOUN_OF_PLACE = r"(?:files?|sources?|tests?|librar(?:y|ies)|programs?|headers?|pages?|folders?|databases?)"
VERB = r"(?!was\b|has been\b)(?:has|have|had|does|do|did|may|can|could|must|will|would|[a-z]+[a-rt-z]s|[a-z]+ed)"


def unless(legitimate, pattern):
    """`pattern`, except where it is a part of `legitimate`."""
    return rf"(?P<legitimate>\b{legitimate})|{pattern}"


PATTERNS = {
    "relative clause without a noun": [
        START + r"(?:What|Who|Whose|Whoever|Whatever|Whichever)\b(?![^.;:]*\?)(?! if )",
        START + r"(?:That which|Those (?:that|of which|which|who|whose))\b",
        unless(ASKING + r" what\b(?:[^.;:|]*(?:,| and| or) what\b)*", r"\bwhat\b(?! (?:if|kind)\b)"),
        unless(PERSON + r" who\b", r"\bwho\b"),
        r"\b(?:whoever|that which)\b",
    ],
    "behind, beside, in the place of": [
        # Legitimate: code "behind" a switch, a file "beside" another, and the option of that name.
        r"\b[Bb]ehind\b(?! (?:an? |the |its |one )?(?:option|flag|macro|switch|interface)\b)",
        r"\b[Bb]eside\b(?!\{| (?:\w+ )?(?:\w+ )?" + NOUN_OF_PLACE + r"\b)",
        r"\b[Ii]n (?:the|its|their) place of\b",
    ],
    "program with a mind": [
        unless(OF_PERSON, r"\b(?:hears?|heard|knows|knew|minds|likes|wants|thinks|forgets|forgot|believes)\b"),
        unless(OF_PERSON, r"\b(?:not|never|must|may|can|to) (?:hear|know|mind|like|want|think|forget|believe)\b"),
        r"\bsa(?:y|ys|id) nothing\b|\b(?:has|have) in mind\b",
    ],
    "is no for is not": [
        r"(?<![Tt]here )\b(?:is|are|was|were) no (?!(?:\w+er|more|less|worse|such)\b)\w",
        r"\b(?:that|which|it) (?:is|are) none of\b",
    ],
    "spelling": [r"\bcan not\b|\bfor ever\b"],
    "nobody or nothing as a subject": [
        r"\b(?:[Nn]obody|[Ss]omebody|[Ee]verybody|[Aa]nybody|[Nn]o one|[Ss]omeone|[Ee]veryone|[Aa]nyone)\b",
        START + r"Nothing (?:else )?" + VERB + r"\b",
        r"\b(?:that|which|if|because|and|but|so|where|when|while|until|unless) nothing (?:else )?" + VERB + r"\b",
    ],
}
OF_MESSAGES = {"message of an expected event": [r"\bexpected [^,;]+ to (?:go on|succeed|work|run|end(?! in)|pass)\b"]}
OF_TITLES = {"title that asks": [r"^(?:What|Who|Whose|Where|When|Why|Which|How(?! to\b))\b|\?$"]}
# Words of identifiers: bounds are max and min, and a program receives results and has a pool of candidates.
OF_NAMES = {
    "name of a mind, or of a bound": [
        r"^(?:most|least)$|^k(?:Most|Least)(?![a-z])",
        r"(?:^|_|(?<=[a-z\d]))(?:[Hh]ears?|[Hh]eard|[Mm]inds?|[Ll]ikes|[Nn]obody|[Ss]omebody|[Ee]verybody|[Ww]hoever)(?![a-z])",
    ],
}
OF_CAPTIONS = {
    "caption that is no noun phrase": [
        r"[.;!]$",
        r"^(?:From|To|By|On|With|Of|In|As|For|And|But|If|Not|It|They|That|This)\b",
        r"^(?!All|Both|Half)\w+ (?:an?|the|its|their|each|every|all|whether|if)\b",
        r"^(?:(?! (?:that|which|whose|where|when|if) ).)* (?:is|are|was|were|has|have|does|do|can|may|must|will)\b",
    ]
}
ALL = PATTERNS | OF_MESSAGES | OF_TITLES | OF_CAPTIONS | OF_NAMES
OF_BANNERS = [PATTERNS, OF_MESSAGES, OF_TITLES, OF_CAPTIONS]
SEARCHES = {name: [re.compile(part) for part in parts] for name, parts in ALL.items()}


def blanked(text):
    """`text` of the same length, without code, quotations and the targets of links."""
    return re.sub(r"`[^`]*`|\"[^\"]*\"|\]\([^)]*\)|\w*\.\w+\([^)]*\)", lambda quoted: "x" * len(quoted[0]), text)


def found(text, groups):
    """Yields (offset, pattern) for every pattern of `groups` in `text`."""
    for name in [name for group in groups for name in group]:
        matches = [match for search in SEARCHES[name] for match in search.finditer(text)]
        yield from ((at, name) for at in sorted({m.end() for m in matches if not m.groupdict().get("legitimate")}))


# ---- Paragraphs -------------------------------------------------------------------------
# A paragraph is a list of (line, text), so that a pattern is found across the end of a line.

BANNER = re.compile(r"^(?://|/\*|\*)?===-+ (?P<file>\S+)(?: - (?P<caption>.*?))?(?: -\*-|-\*-| --+| ?-+===)")
NO_PROSE = re.compile(r"NOLINT|clang-format o|Part of Hone, |SPDX-|^\s*[A-Z][A-Z0-9_-]+:|expected-\w+|===-|-{20}|-\*-$")


def paragraphs(lines):
    """Joins adjacent lines of (line, text); an indented line, as of a table, stands alone."""
    last, was_alone = [], False
    for line, text in lines:
        is_alone = text.startswith("    ") or "|" in text or not text.strip()
        if is_alone or was_alone or not last or line != last[-1][0] + 1 or re.match(r" *(?:[-*]|\d+\.) ", text):
            yield last
            last = []
        was_alone = is_alone
        last.append((line, text.strip()))
    yield last


def comment_lines(path, text, tokens):
    """Yields (line, text) for every line of a comment, a docstring or a description of TableGen."""
    if path.endswith(".test"):
        yield from enumerate(text.split("\n"), 1)
    elif path.endswith(".py"):
        for token in tokenize.generate_tokens(iter(text.splitlines(True)).__next__):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string.lstrip("#!")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
                for at, line in enumerate(node.body[0].value.value.split("\n")):
                    yield node.body[0].lineno + at, line
    for kind, line, token in tokens:
        if kind == "comment" and not token.startswith(("//===", "/*===")):
            for at, part in enumerate(token.split("\n")):
                yield line + at, re.sub(r"^\s*(?:/{2,}!?<?|/\*+|\*(?!/))|\*/$", "", part)
    if path.endswith(".td"):
        for block in re.finditer(r"(?:description|summary) = (?:\[\{(.*?)\}\]|\"([^\"]*)\")", text, re.DOTALL):
            start = text.count("\n", 0, block.start())
            yield from ((start + at, part) for at, part in page_lines(textwrap.dedent(block[1] or block[2])))


def page_lines(text):
    """Yields (line, text) of the prose of a page: no code, and no heads of tables."""
    is_code, lines = False, text.split("\n")
    for line, (part, after) in enumerate(zip(lines, lines[1:] + [""]), 1):
        is_code ^= part.lstrip().startswith("```")
        if not is_code and not part.startswith(("    ", "```")) and not after.startswith("|-"):
            yield line, part


def check_lines(lines, groups):
    """Yields (line, pattern, text) for the patterns in paragraphs of `lines`."""
    for paragraph in paragraphs(sorted(lines)):
        text, ends = " ".join(part for _, part in paragraph), list(accumulate(len(part) + 1 for _, part in paragraph))
        for offset, name in found(blanked(text), groups):
            yield paragraph[bisect_left(ends, offset)][0], name, text[max(0, offset - 60) : offset + 40]


def check_names(tokens):
    """Yields (line, pattern, identifier) for the identifiers of C and C++."""
    lines = {token: line for kind, line, token in reversed(tokens) if kind == "other" and len(token) > 3}
    for token, line in lines.items():
        yield from ((line, name, token) for _, name in found(token, [OF_NAMES]))


# ---- The tree ---------------------------------------------------------------------------


def check(root, wanted=()):
    """The faults as (kind, path, line, pattern, text), and the number of comment lines."""
    faults, count = [], 0
    for path in messages.sources(root, messages.PRODUCT + messages.TESTS, messages.SUFFIXES + SUFFIXES):
        if wanted and path not in wanted:
            continue
        text = messages.read(root, path)
        tokens = [] if path.endswith((".py", ".test")) else list(messages.tokens(text))
        lines = [(line, part) for line, part in comment_lines(path, text, tokens) if not NO_PROSE.search(part)]
        count += sum(bool(part.strip()) for _, part in lines)
        faults += [("comment", path, *fault) for fault in check_lines(lines, [PATTERNS])]
        banner = BANNER.match(text)
        if banner and banner["caption"]:
            caption = blanked(banner["caption"].strip())
            faults += [("comment", path, 1, name, caption) for _, name in found(caption, OF_BANNERS)]
        if path.endswith((".c", ".cpp", ".h")):
            faults += [("name", path, *fault) for fault in check_names(tokens)]
    for path, line, text in messages.messages(root):
        if not wanted or path in wanted:
            for offset, name in found(blanked(text), [PATTERNS, OF_MESSAGES]):
                faults.append(("message", path, line, name, text[max(0, offset - 60) : offset + 40]))
    pages = [os.path.join("docs", name) for name in sorted(os.listdir(os.path.join(root, "docs")))]
    pages += [name for name in ("README.md", "CONTRIBUTING.md") if os.path.exists(os.path.join(root, name))]
    for path in pages:
        if path.endswith(".md") and (not wanted or path in wanted):
            lines = list(page_lines(messages.read(root, path)))
            faults += [("page", path, *fault) for fault in check_lines(lines, [PATTERNS])]
            titles = [(at, part.lstrip("# ")) for at, part in lines if re.match(r"# |##.*\?$", part)]
            faults += [("page", path, at, name, part) for at, part in titles for _, name in found(part, [OF_TITLES])]
    return sorted(set(faults), key=lambda fault: fault[1:]), count


def report(faults, count):
    """Prints the faults and their totals; returns whether there are too many."""
    for _, path, line, name, text in faults:
        print(f"{path}:{line}: {name}: {text}")
    for (kind, name), total in sorted(Counter((fault[0], fault[3]) for fault in faults).items()):
        print(f"{kind}s: {total} {name}")
    lines = len({fault[1:3] for fault in faults if fault[0] == "comment"})
    print(f"comments: {lines} of {count} lines, {100 * lines / max(count, 1):.2f} %")
    return lines > MAX_SHARE * count or any(fault[0] != "comment" for fault in faults)


# ---- The check of the check -------------------------------------------------------------

GOOD = {
    "lib/Good.cpp": """//===- Good.cpp - Places of the values that a step reads -----------------===//
// Decides what to do with an operand, and what it costs. A user who wants less
// passes an option; the code is behind a flag, beside the header file. Nothing
// is written. `what` and `behind` are names.
void f() { return failure("expected a tile, but got '" + text + "'; use 64"); }
""",
    "docs/Good.md": "# How to build\n\nA user knows [this](#what-is-built).\n\n```\nwhat is behind\n```\n",
    "README.md": "# Hone\n",
}
# file, the line planted at its end, the pattern
PLANTED = [
    ("lib/Good.cpp", "// Is cut. What does not fit is left out.", "relative clause without a noun"),
    ("lib/Good.cpp", "// Stores the part of what was", "relative clause without a noun"),
    ("lib/Good.cpp", "// read: a barrier for who asks.", "relative clause without a noun"),
    ("lib/Good.cpp", "// The store comes behind the loop.", "behind, beside, in the place of"),
    ("lib/Good.cpp", "/* A bound beside the sum. */", "behind, beside, in the place of"),
    ("lib/Good.cpp", "int x; ///< the tile that the builder knows", "program with a mind"),
    ("lib/Good.cpp", "// Skips an index that is no loop.", "is no for is not"),
    ("lib/Good.cpp", "// They are no loops.", "is no for is not"),
    ("lib/Good.cpp", "// It can not end.", "spelling"),
    ("lib/Good.cpp", "int most = 1;", "name of a mind, or of a bound"),
    ("lib/Good.cpp", "void hearAll();", "name of a mind, or of a bound"),
    ("lib/Good.cpp", "class LearnedMind;", "name of a mind, or of a bound"),
    ("lib/Good.cpp", 'void g() { emitError("expected somebody to measure"); }', "nobody or nothing as a subject"),
    ("lib/Good.cpp", 'void g() { emitError("expected the pass to succeed"); }', "message of an expected event"),
    ("lib/New.h", "//===- New.h - How tiles move ---------------===//", "title that asks"),
    ("lib/New.h", "//===- New.h - Calls a function ---------------===//", "caption that is no noun phrase"),
    ("lib/New.py", '"""Reads what is left."""', "relative clause without a noun"),
    ("lib/New.td", 'let description = [{ A copy, and who waits. }];', "relative clause without a noun"),
    ("docs/Good.md", "It reads what the host wrote.", "relative clause without a noun"),
    ("docs/Good.md", "## Is it fast?", "title that asks"),
]


def self_test():
    return planted.self_test(planted.with_lines(GOOD, PLANTED), lambda root: {fault[3] for fault in check(root)[0]})


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    return 1 if report(*check(arguments[0], set(arguments[1:]))) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
