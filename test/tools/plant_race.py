"""Plants a race in kernel IR: reads it from standard input, writes it with one thing moved
or left out, and fails where there is no such thing.

late-await    consumers multiply the contents of a slot, and only then wait for the copy engine
early-store   the copy engine stores a tile that other threads are still writing
no-barrier    threads read elements that others have copied without waiting for them
"""

import re
import sys


def late_await(lines):
    for at, line in enumerate(lines):
        if "kernel.await" in line and "kernel.mma.fence" in lines[at + 1]:
            end = next(i for i in range(at, len(lines)) if "kernel.mma.wait" in lines[i])
            return lines[:at] + lines[at + 1 : end + 1] + [line] + lines[end + 1 :]


def early_store(lines):
    for at, line in enumerate(lines):
        if "kernel.store.async" in line:
            last = max(i for i in range(at) if "kernel.group.barrier" in lines[i])
            return lines[:last] + lines[last + 1 :]


def no_barrier(lines):
    """The barrier of the loop over K, which begins after the first wait."""
    for at, line in enumerate(lines):
        if "kernel.copy.wait" in line and re.search(r"kernel\.barrier$", lines[at + 1]):
            if any("scf.for" in before for before in lines[:at]):
                return lines[: at + 1] + lines[at + 2 :]


plants = {"late-await": late_await, "early-store": early_store, "no-barrier": no_barrier}
changed = plants[sys.argv[1]](sys.stdin.read().splitlines())
if changed is None:
    sys.exit(f"expected a place for {sys.argv[1]}, but found none")
print("\n".join(changed))
