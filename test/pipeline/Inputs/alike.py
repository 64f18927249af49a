"""usage: alike.py EXPECTED GOT TOLERANCE

Compares the numbers that two programs printed with printMemrefF32, relative to the largest.
"""

import re
import sys

NUMBER = r"-?\d+\.?\d*(?:e[+-]?\d+)?|-?nan|-?inf"


def numbers(path):
    """The shapes and elements that were printed; addresses differ."""
    text = re.sub(r"base@ = \S+", "", open(path, encoding="utf-8").read())
    return [[float(word) for word in re.findall(NUMBER, part)] for part in text.split("Unranked")[1:]]


expected, got = numbers(sys.argv[1]), numbers(sys.argv[2])
if not expected or [len(part) for part in expected] != [len(part) for part in got]:
    sys.exit(f"expected {[len(part) for part in expected]} numbers, but got {[len(part) for part in got]}")
for number, (left, right) in enumerate(zip(expected, got)):
    allowed = float(sys.argv[3]) * max(abs(value) for value in left)
    worst = max(abs(a - b) for a, b in zip(left, right))
    if not worst <= allowed:
        sys.exit(f"output {number}: expected a difference of at most {allowed}, but got {worst}")
print(f"{len(expected)} outputs alike")
