"""usage: fits.py LINES COLUMNS < text; fails if the text is empty, needs a larger screen,
or its usage line names the program twice."""

import sys

most_lines, most_columns = map(int, sys.argv[1:])
lines = sys.stdin.read().splitlines()
widest = max(map(len, lines), default=0)
if not 2 < len(lines) <= most_lines or widest > most_columns:
    sys.exit(f"expected {most_lines} lines of {most_columns} columns at most, "
             f"but got {len(lines)} of {widest}")
for line in lines:
    words = line.split()
    if words[:1] == ["usage:"] and words[1] in words[2:]:
        sys.exit(f"expected the program once, but got '{line}'")
