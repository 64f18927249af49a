"""usage: fits.py LINES COLUMNS < text; fails where the text needs a larger screen, or is none."""

import sys

most_lines, most_columns = map(int, sys.argv[1:])
lines = sys.stdin.read().splitlines()
widest = max(map(len, lines), default=0)
if not 2 < len(lines) <= most_lines or widest > most_columns:
    sys.exit(f"expected {most_lines} lines of {most_columns} columns at most, "
             f"but got {len(lines)} of {widest}")
