"""usage: contains.py WHOLE PART...

Checks that one file contains the bytes of others.
"""

import sys

with open(sys.argv[1], "rb") as file:
    whole = file.read()
for path in sys.argv[2:]:
    with open(path, "rb") as file:
        if file.read().rstrip(b"\0") not in whole:
            sys.exit(f"expected {sys.argv[1]} to contain {path}")
print(len(sys.argv) - 2, "files")
