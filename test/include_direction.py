#!/usr/bin/env python3
"""Checks that the rooms' arrows go one way, by their #include lines.

usage: include_direction.py ROOT          check the tree
       include_direction.py --self-test   check that the check can fail

Only direct includes are looked at: a room whose includes are all allowed, of rooms whose
includes are all allowed, cannot see more than the table says.
"""

import os
import re
import sys
import tempfile

# ---- The arrows -------------------------------------------------------------------------
# room: the rooms it may include, besides itself. hone-c is the C interface's headers.

MODEL = {"Text", "Schedule", "Device", "Measure", "Database", "Search", "Policy", "Chat", "Assemble"}
ROOMS = {
    "hone-c": set(),
    "Text": set(),
    "Schedule": set(),
    "Runtime": {"hone-c"},
    "Guards": {"Runtime"},
    "Assemble": set(),
    "Device": {"Schedule", "Runtime", "hone-c"},
    "Measure": {"Schedule", "Device", "Runtime", "hone-c"},
    "Database": {"Text", "Schedule", "Measure"},
    "Search": {"Text", "Schedule", "Measure", "Database"},
    "Policy": {"Text", "Schedule", "Measure", "Database", "Search"},
    "Chat": {"Text", "Schedule", "Measure", "Database", "Search"},
    "dialects": {"Schedule"},
    "Simulate": {"Text", "Schedule", "dialects", "Runtime", "Guards", "Measure"},
    "Jit": {"Schedule", "dialects", "Runtime", "hone-c"},
    "Emulate": {"Schedule", "dialects", "Runtime", "Simulate", "Measure", "hone-c"},
    "passes": {"Text", "Schedule", "dialects", "Runtime", "Guards", "Assemble", "Simulate", "hone-c"},
    "Evaluate": MODEL | {"dialects", "passes", "Runtime", "Simulate", "Emulate", "Jit", "hone-c"},
    "Tuner": MODEL | {"dialects", "passes", "Runtime", "Simulate", "Emulate", "Jit", "Evaluate", "hone-c"},
    "Export": {"Schedule", "dialects", "passes", "Runtime", "Jit", "Evaluate", "hone-c"},
    "Plugin": MODEL
    | {"dialects", "passes", "Runtime", "Simulate", "Emulate", "Jit", "Evaluate", "Tuner", "hone-c"},
    "CAPI": MODEL
    | {"dialects", "passes", "Runtime", "Simulate", "Emulate", "Jit", "Evaluate", "Export", "Tuner", "Plugin", "hone-c"},
    "tools": MODEL
    | {"dialects", "passes", "Runtime", "Simulate", "Emulate", "Jit", "Evaluate", "Export", "Tuner", "Plugin", "CAPI"}
    | {"hone-c"},
}

# Rooms that know no MLIR, and rooms that know no LLVM either. No room knows a CUDA header.
NO_MLIR = MODEL | {"Runtime", "Guards", "hone-c"}
NO_LLVM = {"Runtime", "Guards", "hone-c"}
CUDA = re.compile(r"^(cuda|cublas|nvml|nvrtc)\w*\.h$")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def room_of(path):
    """The room of a path below the root, or None: the way #includes spell it, or a file's."""
    parts = path.split("/")
    if parts[0] == "include":
        parts = parts[1:]
    # A public header of these is installed, and known to others, below hone/.
    if parts[0] == "hone" and len(parts) > 2 and parts[1] in ("dialects", "passes"):
        parts = parts[1:]
    if parts[0] in ("dialects", "passes", "tools", "hone-c"):
        return parts[0]
    if parts[0] in ("lib", "hone") and len(parts) > 2:
        return parts[1]
    return None


def upstream_fault(room, header):
    """Why `room` may not include the upstream `header`, or None."""
    top = header.split("/")[0]
    if CUDA.match(os.path.basename(header)):
        return "expected no CUDA header (the driver is opened at run time)"
    if top in ("mlir", "mlir-c") and room in NO_MLIR:
        return f"expected no MLIR in {room}"
    if top in ("llvm", "llvm-c") and room in NO_LLVM:
        return f"expected no LLVM in {room}"
    return None


def fault_of(room, directory, header):
    """Why a file of `room` in `directory` may not include `header`, or None."""
    sibling = os.path.normpath(os.path.join(directory, header)).replace(os.sep, "/")
    target = room_of(header) or (room_of(sibling) if header.startswith("..") else None)
    if target is None:
        return upstream_fault(room, header)
    if target not in ROOMS:
        return f"expected a known room, but got {target}; add it to ROOMS in test/include_direction.py"
    if target != room and target not in ROOMS[room]:
        return f"expected {room} to include only {', '.join(sorted(ROOMS[room])) or 'itself'}, but got {target}"
    return None


def check(root):
    """The faults of the tree and the number of #include lines that were looked at."""
    faults, lines = [], 0
    for top in ("include", "lib", "dialects", "passes", "tools"):
        for directory, _, files in os.walk(os.path.join(root, top)):
            below = os.path.relpath(directory, root).replace(os.sep, "/")
            for name in sorted(files):
                if not name.endswith((".h", ".hpp", ".c", ".cpp", ".inc", ".def")):
                    continue
                path = f"{below}/{name}"
                room = room_of(path)
                if room not in ROOMS:
                    faults.append(f"{path}: expected a known room, but got {room}; add it to ROOMS in test/include_direction.py")
                    continue
                with open(os.path.join(directory, name), encoding="utf-8") as source:
                    for number, line in enumerate(source, 1):
                        match = INCLUDE.match(line)
                        if not match:
                            continue
                        lines += 1
                        fault = fault_of(room, below, match[2])
                        if fault:
                            faults.append(f"{path}:{number}: {fault} ({match[2]})")
    return faults, lines


# ---- The check of the check -------------------------------------------------------------

GOOD = {
    "include/hone/Schedule/Schedule.h": '#include "llvm/ADT/StringRef.h"\n#include <vector>\n',
    "dialects/Hone/Hone.h": '#include "hone/Schedule/Schedule.h"\n#include "mlir/IR/Dialect.h"\n',
    "passes/Match.cpp": '#include "dialects/Hone/Hone.h"\n#include "Match.h"\n',
    "lib/Runtime/Launch.cpp": '#include "hone-c/Runtime.h"\n#include <dlfcn.h>\n',
    "tools/hone/Run.cpp": '#include "passes/Passes.h"\n#include "hone/Jit/Jit.h"\n',
}
# file, the line planted at its end, a word of the fault
PLANTED = [
    ("include/hone/Schedule/Schedule.h", '#include "mlir/IR/Builders.h"', "no MLIR in Schedule"),
    ("include/hone/Schedule/Schedule.h", '#include "dialects/Hone/Hone.h"', "but got dialects"),
    ("dialects/Hone/Hone.h", '#include "passes/Passes.h"', "but got passes"),
    ("dialects/Hone/Hone.h", '#include "hone/passes/Passes.h"', "but got passes"),
    ("dialects/Hone/Hone.h", '  #  include "../../passes/Passes.h"', "but got passes"),
    ("passes/Match.cpp", '#include "hone/Tuner/Tuner.h"', "but got Tuner"),
    ("passes/Match.cpp", "#include <hone/Device/Device.h>", "but got Device"),
    ("lib/Evaluate/Workers.cpp", '#include "hone/Plugin/Sources.h"', "but got Plugin"),
    ("lib/Runtime/Launch.cpp", '#include "llvm/Support/Error.h"', "no LLVM in Runtime"),
    ("lib/Runtime/Launch.cpp", "#include <cuda.h>", "no CUDA header"),
    ("lib/Search/Search.cpp", '#include "mlir/IR/Builders.h"', "no MLIR in Search"),
    ("lib/Attic/Old.cpp", "#include <vector>", "expected a known room, but got Attic"),
]


def write(root, path, text):
    os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
    with open(os.path.join(root, path), "w", encoding="utf-8") as file:
        file.write(text)


def self_test():
    for path, line, wanted in [(None, None, None), *PLANTED]:
        with tempfile.TemporaryDirectory() as root:
            for name, text in GOOD.items():
                write(root, name, text)
            if path:
                write(root, path, GOOD.get(path, "") + line + "\n")
            faults, _ = check(root)
            if len(faults) != (1 if path else 0) or (wanted and wanted not in faults[0]):
                print(f"self-test: expected {wanted!r} for {line!r} in {path}, but got {faults}")
                return 1
    print(f"self-test: {len(PLANTED)} planted violations found")
    return 0


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        return self_test()
    faults, lines = check(sys.argv[1])
    print("\n".join(faults) if faults else f"include directions: {lines} lines, no fault")
    if not lines:
        print(f"expected a source tree, but found no #include below {sys.argv[1]}")
    return 1 if faults or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
