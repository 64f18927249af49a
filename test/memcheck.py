#!/usr/bin/env python3
"""Runs a program under Valgrind. Input, output and exit status are the program's, until
Valgrind finds an error. Then this script ends by a signal, which no test takes for an error
that it expects.

usage: memcheck.py SUPPRESSIONS PROGRAM [ARGUMENT...]
"""

import os
import signal
import subprocess
import sys
import tempfile


def main():
    suppressions, *command = sys.argv[1:]
    with tempfile.NamedTemporaryFile(mode="r", prefix="memcheck-", suffix=".log") as log:
        status = subprocess.run(
            # Most code runs once, at the start, so translating it takes the time.
            ["valgrind", "--quiet", "--num-callers=40", "--child-silent-after-fork=yes", "--vex-iropt-level=1",
             f"--suppressions={suppressions}", f"--log-file={log.name}", *command],
            check=False,
        ).returncode
        said = log.read()
    if said:
        sys.stderr.write(f"memcheck: {' '.join(command)}\n{said}")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGABRT)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
