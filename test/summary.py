#!/usr/bin/env python3
"""Prints `N passed, N failed, N skipped` of lit's xunit reports together; fails if a test
failed, or one of the reports has no test that passed."""

import sys
import xml.etree.ElementTree as ElementTree


def main():
    passed = failed = skipped = 0
    is_empty = False
    for report in sys.argv[1:]:
        before = passed
        for case in ElementTree.parse(report).iter("testcase"):
            if case.find("failure") is not None:
                failed += 1
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
        is_empty |= passed == before
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    # No test at all is not a success.
    return 1 if failed or is_empty else 0


if __name__ == "__main__":
    sys.exit(main())
