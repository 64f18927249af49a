#!/usr/bin/env python3
"""Prints `N passed, N failed, N skipped` of lit's xunit report; fails if a test failed."""

import sys
import xml.etree.ElementTree as ElementTree


def main():
    passed = failed = skipped = 0
    for case in ElementTree.parse(sys.argv[1]).iter("testcase"):
        if case.find("failure") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    # No test at all is not a success.
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
