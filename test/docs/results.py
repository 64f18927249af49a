#!/usr/bin/env python3
"""Compares the figures of docs/Results.md and README.md with the measurements in data/.

usage: results.py ROOT               compare
       results.py --uncovered ROOT   list the figures of Results.md that are not compared
       results.py --self-test ROOT   check that the comparison can fail: change each figure in turn

results_checks.py has the checks and their values. A figure agrees if it is the value rounded to the
digits that the page shows.
"""

import os
import re
import sys

from results_checks import RESULTS, checks_of

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
DECIMAL = re.compile(r"(?<![\w.^-])(?<!CUDA )(?<!cuBLASLt )\d+\.\d+(?![\w.])")

# ---- Pages ------------------------------------------------------------------------------


def cells_of(line):
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


class Page:
    """tables[heading, first header] is the header and {line number: cells}; texts[heading] a section's prose."""

    def __init__(self, text):
        self.lines, self.tables, self.texts = text.split("\n"), {}, {}
        heading, header, fenced = "", None, False
        for at, line in enumerate(self.lines):
            fenced ^= line.startswith("```")
            if fenced or line.startswith(("```", "    ", "|-")):
                continue
            if title := re.match(r"#+ (.*)", line):
                heading = title[1]
            elif not line.startswith("|"):
                header = None
                self.texts[heading] = " ".join(f"{self.texts.get(heading, '')} {line}".split())
            elif not header:
                header = cells_of(line)
                for index, name in enumerate(header):  # A second `f16` is `f16 (2)`.
                    header[index] += f" ({header[:index].count(name) + 1})" if name in header[:index] else ""
                rows = self.tables[heading, header[0]] = header, {}
            else:
                rows[1][at] = cells_of(line)

    def find(self, check):
        """The line and the index of a cell, the match of a sentence, or None."""
        if check.table is None:
            pattern = f"({NUMBER.pattern})".join(map(re.escape, check.row.split("{}")))
            return re.search(pattern, self.texts.get(check.heading, ""))
        header, rows = self.tables.get((check.heading, check.table), ([], {}))
        names = check.row.split(" | ")
        found = [at for at, row in rows.items() if row[: len(names)] == names]
        return (found[0], header.index(check.column)) if len(found) == 1 and check.column in header else None

    def figures(self, check):
        found = self.find(check)
        if not found or check.table is None:
            return found and found.groups()
        return NUMBER.findall(cells_of(self.lines[found[0]])[found[1]])


# ---- The comparison ---------------------------------------------------------------------


def agrees(shown, value):
    digits = len(shown.partition(".")[2])
    return abs(float(shown.replace(",", "")) - value) <= 0.5 * 10**-digits + 1e-9


def faults(page, checks):
    for check in checks:
        shown, values = page.figures(check), check.values
        if shown is None or len(shown) != len(values) or not all(map(agrees, shown, values)):
            where = " / ".join(filter(None, (check.page, check.heading, check.table, check.row, check.column)))
            wanted = ", ".join(f"{value:.6g}" for value in values)
            yield f"{where}: expected {wanted} by data/, but got {', '.join(shown or ['nothing'])}"


def uncovered(page, checks):
    """By section: its number of compared figures, and the cells and decimals of sentences that no check has."""
    found = [(check, page.find(check)) for check in checks if check.page == RESULTS]
    cells = {place for check, place in found if check.table is not None}
    names = {(place[0], len(check.row.split(" | "))) for check, place in found if check.table is not None}
    cells |= {(line, index) for line, most in names for index in range(most)}
    for heading, text in page.texts.items():
        spans = [match.span() for check, match in found if check.table is None and check.heading == heading]
        rest = [
            f"{row[0]}, {header[index]}: {row[index]}"
            for (section, _), (header, rows) in page.tables.items()
            for at, row in rows.items()
            for index in range(1, len(row))
            if section == heading and NUMBER.search(row[index]) and (at, index) not in cells
        ]
        prose = re.sub(r"`[^`]*`", lambda code: " " * len(code[0]), text)
        for one in DECIMAL.finditer(prose):
            if not any(start <= one.start() < end for start, end in spans):
                rest.append(f"...{text[max(0, one.start() - 50) : one.end()]}")
        yield heading, sum(check.heading == heading for check, _ in found), rest


def self_test(pages, checks):
    for check in checks:
        page, found = pages[check.page], pages[check.page].find(check)
        changed = Page("\n".join(page.lines))
        text = page.texts[check.heading] if check.table is None else page.lines[found[0]]
        if check.table is None:
            at = found.end(1) - 1
        else:
            ends = [bar.start() for bar in re.finditer(r"\|", text)]
            at = [one.end() for one in NUMBER.finditer(text, ends[found[1]], ends[found[1] + 1])][-1] - 1
        text = text[:at] + str((int(text[at]) + 5) % 10) + text[at + 1 :]
        if check.table is None:
            changed.texts[check.heading] = text
        else:
            changed.lines[found[0]] = text
        if not list(faults(changed, [check])):
            sys.exit(f"expected a fault in '{text}', but got none")
    if not list(faults(Page(""), checks[:1])):
        sys.exit("expected a fault in an empty page, but got none")
    print("planted faults found")


def main(arguments):
    modes = ("--uncovered", "--self-test")
    if not arguments or (arguments[0] in modes) != (len(arguments) == 2):
        sys.exit(__doc__)
    root, checks, pages = arguments[-1], list(checks_of(arguments[-1])), {}
    for name in {check.page for check in checks}:
        with open(os.path.join(root, name), encoding="utf-8") as file:
            pages[name] = Page(file.read())
    wrong = [fault for name, page in pages.items() for fault in faults(page, [c for c in checks if c.page == name])]
    if wrong:
        return "\n".join(wrong)
    if arguments[0] == "--self-test":
        return self_test(pages, checks)
    if arguments[0] == "--uncovered":
        for heading, covered, rest in uncovered(pages[RESULTS], checks):
            if covered or rest:
                print(f"{heading}: {covered} compared, {len(rest)} not", *rest, sep="\n  ")
        return None
    cells = sum(check.table is not None for check in checks)
    print(f"{cells} cells agree, and {sum(len(check.values) for check in checks if check.table is None)} in sentences")
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
