#!/usr/bin/env python3
"""Checks that the rooms' arrows go one way, by their #include lines.

usage: include_direction.py ROOT          check the tree
       include_direction.py --table ROOT  print the rooms, their sizes and their arrows
       include_direction.py --moves ROOT  count the moves of a file into a wrong room that are faults
       include_direction.py --self-test   check that the check can fail

Only direct includes are looked at: a room whose includes are all allowed, of rooms whose
includes are all allowed, cannot see more than the table says.
"""

import os
import re
import sys
from collections import Counter

import planted

# ---- The arrows -------------------------------------------------------------------------
# room: the rooms it includes, besides itself. An arrow that no #include needs any more is a
# fault, too, so that separated rooms stay apart. hone-c is the C interface's headers.

ROOMS = {
    "hone-c": set(),
    "Text": set(),
    "Command": {"Text", "hone-c"},
    "Arithmetic": set(),
    "Schedule": {"Text", "Arithmetic"},
    "Numerics": {"Arithmetic", "Schedule"},
    "Runtime": {"hone-c"},
    "Guards": {"Runtime"},
    "Assemble": set(),
    "Device": {"Schedule", "Runtime", "hone-c"},
    "Measure": {"Schedule", "Numerics", "Device", "Runtime"},
    "Database": {"Text", "Schedule", "Numerics"},
    "Space": {"Schedule"},
    "Model": {"Text", "Schedule", "Space"},
    "Sources": {"Schedule", "Numerics", "Database", "Space", "Model"},
    "Search": {"Text", "Schedule", "Numerics", "Database", "Space"},
    "Policy": {"Text", "Command", "Schedule", "Database", "Space", "Model", "Search"},
    "Lab": {"Numerics", "Model", "Sources", "Search", "Policy"},
    "Chat": {"Text", "Schedule", "Numerics", "Space", "Search"},
    "dialects": {"Arithmetic", "Schedule", "Runtime"},  # #kernel.plan holds a LaunchPlan
    "Simulate": {"Text", "Arithmetic", "Schedule", "Numerics", "dialects", "Runtime", "Guards"},
    "Jit": {"Arithmetic", "hone-c"},
    "Emulate": {"dialects", "Runtime", "Simulate", "hone-c"},
    "passes": {"Text", "Schedule", "dialects", "hone-c"},
    "passes/Match": {"Schedule", "dialects", "passes"},
    "passes/Match/Quantized": {"passes", "passes/Match"},
    "passes/Match/Rows": {"Schedule", "dialects", "passes"},
    "passes/Reorder": {"dialects", "passes", "passes/Match"},
    "passes/Memory": {"dialects", "passes"},
    "passes/Build": {"Schedule", "Runtime", "Guards", "dialects", "passes", "passes/Build/Host"},
    "passes/Build/Host": {"Schedule", "dialects"},
    "passes/Build/MmaSync": {"Schedule", "dialects", "passes/Build"},
    "passes/Build/WarpSpecialized": {"Schedule", "Guards", "dialects", "passes", "passes/Build", "passes/Rewrite"},
    "passes/Rewrite": {"Schedule", "dialects"},
    "passes/Lower": {"Arithmetic", "Schedule", "dialects", "passes"},
    "passes/Rest": {"Arithmetic", "Schedule", "dialects", "passes", "passes/Memory", "passes/Build", "passes/Lower"},
    "passes/Emit": {"Schedule", "Assemble", "Runtime", "dialects", "passes", "passes/Memory", "passes/Build"},
    "Driver": {"Text", "Schedule", "dialects", "passes", "passes/Rewrite", "Runtime", "Simulate"},
    "Export": {"dialects", "passes", "passes/Memory", "Driver", "Jit", "hone-c"},
    "Reference": {"Text", "Schedule", "Numerics", "Measure", "dialects", "passes", "passes/Memory", "Driver", "Jit", "Emulate"}
    | {"Arithmetic", "hone-c"},
    "Matmul": {"Text", "Schedule", "Numerics", "Device", "Measure", "Database", "Assemble", "Runtime", "dialects", "passes"}
    | {"Arithmetic", "passes/Build", "passes/Emit", "Simulate", "Driver", "Reference", "hone-c"},
    "Workers": {"Text", "Schedule", "Numerics", "Device", "Measure", "Database", "Space", "Search", "Assemble", "passes"}
    | {"Simulate", "Driver", "Jit", "Reference", "Matmul"},
    "Check": {"hone-c", "Text", "Command", "Schedule", "Space", "Measure", "dialects", "Simulate", "passes", "Driver"}
    | {"Reference", "Matmul", "Workers", "Plugin"},
    "Bench": {"Text", "Command", "Schedule", "Numerics", "Runtime", "Device", "Measure", "Space", "Sources"}
    | {"Search", "Policy", "dialects", "Jit", "passes", "passes/Build/Host", "Driver", "Reference", "Matmul"}
    | {"Workers", "Plugin"},
    "Report": {"Text", "Command", "Schedule", "Assemble", "Database", "dialects", "Simulate", "passes", "Matmul"}
    | {"Bench"},
    "Corpus": {"Text", "Schedule", "Database", "Space", "dialects", "Simulate", "Jit", "Driver", "Matmul", "Bench"},
    "Tuner": {"hone-c", "Text", "Command", "Numerics", "Database", "Space", "Sources", "Search", "Policy", "Chat"}
    | {"Schedule", "dialects", "Simulate", "passes", "passes/Rewrite", "Driver", "Matmul", "Workers", "Check", "Bench"}
    | {"Report", "Plugin"},
    "Plugin": {"Text", "Schedule", "Database", "Sources", "dialects", "passes", "Driver", "hone-c"},
    "CAPI": {"Schedule", "dialects", "Driver", "Jit", "Plugin", "hone-c"},
    "tools/hone": {"Text", "Command", "Schedule", "Assemble", "Measure", "Policy", "Chat", "dialects", "Simulate"}
    | {"passes", "Driver", "Export", "Matmul", "Workers", "Check", "Bench", "Report", "Corpus", "Tuner", "Plugin"},
    "tools/hone-opt": {"Text", "Schedule", "Plugin", "Tuner", "hone-c"},
    "tools/hone-lab": {"Text", "Command", "Schedule", "Numerics", "Device", "Database", "Sources", "Search"}
    | {"Policy", "Lab", "Driver", "Matmul", "Workers", "Bench", "Tuner", "Plugin", "tools/hone"},
}

# Three parts, each of which includes only itself and the parts before it: the compiler
# (libhone.so and libhone_rt.so), the tuner (libhone_tune.so), the laboratory (hone-lab). The
# tools that link the first two stand with the tuner.
PARTS = {
    "compiler": ["hone-c", "Text", "Arithmetic", "Schedule", "Numerics", "Runtime", "Guards", "Assemble", "Database", "Space"]
    + ["Model", "Sources", "dialects", "Simulate", "Jit", "passes", "passes/Match", "passes/Match/Quantized",
       "passes/Match/Rows", "passes/Reorder"]
    + ["passes/Memory", "passes/Build"]
    + ["passes/Build/Host", "passes/Build/MmaSync", "passes/Build/WarpSpecialized", "passes/Rewrite", "passes/Lower"]
    + ["passes/Rest", "passes/Emit", "Driver", "Export", "Plugin", "CAPI"],
    "tuner": ["Command", "Device", "Measure", "Search", "Policy", "Chat", "Emulate", "Reference", "Matmul", "Workers", "Check", "Bench"]
    + ["Report", "Corpus", "Tuner", "tools/hone", "tools/hone-opt"],
    "laboratory": ["Lab", "tools/hone-lab"],
}
PART_OF = {room: part for part, rooms in PARTS.items() for room in rooms}

# Rooms without MLIR, and rooms without LLVM, too. No room includes a CUDA header.
NO_MLIR = {"Text", "Schedule", "Numerics", "Device", "Measure", "Database", "Space", "Model", "Sources", "Search"} | {
    "Arithmetic",
    "Command",
    "Policy",
    "Chat",
    "Assemble",
    "Runtime",
    "Guards",
    "hone-c",
}
NO_LLVM = {"Runtime", "Guards", "hone-c"}
# The header for programs that use MLIR's C interface.
OF_MLIR_C = "include/hone-c/Registration.h"
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
    if parts[0] == "passes":
        return "/".join(parts[:-1])
    if parts[0] in ("dialects", "hone-c"):
        return parts[0]
    if parts[0] == "tools" and len(parts) > 2:
        return "/".join(parts[:2])
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


def target_of(directory, header):
    """The room of `header` as a file in `directory` includes it, or None."""
    sibling = os.path.normpath(os.path.join(directory, header)).replace(os.sep, "/")
    return room_of(header) or (room_of(sibling) if header.startswith("..") else None)


def fault_of(room, directory, header):
    """Why a file of `room` in `directory` may not include `header`, or None."""
    target = target_of(directory, header)
    if target is None:
        return upstream_fault(room, header)
    if target not in ROOMS:
        return f"expected a known room, but got {target}; add it to ROOMS in test/include_direction.py"
    order = list(PARTS)
    if order.index(PART_OF[target]) > order.index(PART_OF[room]):
        return f"expected {room} of the {PART_OF[room]} to include nothing of the {PART_OF[target]}, but got {target}"
    if target != room and target not in ROOMS[room]:
        return f"expected {room} to include only {', '.join(sorted(ROOMS[room])) or 'itself'}, but got {target}"
    return None


def sources(root):
    """The source files of the tree, each with its directory below the root."""
    for top in ("include", "lib", "dialects", "passes", "tools"):
        for directory, _, files in os.walk(os.path.join(root, top)):
            below = os.path.relpath(directory, root).replace(os.sep, "/")
            for name in sorted(files):
                if name.endswith((".h", ".hpp", ".c", ".cpp", ".inc", ".def")):
                    yield os.path.join(directory, name), below


def includes_of(file):
    """The numbers and the headers of a file's #include lines."""
    with open(file, encoding="utf-8") as source:
        return [(number, match[2]) for number, match in enumerate(map(INCLUDE.match, source), 1) if match]


def check(root):
    """The faults of the tree, its arrows, and the number of #include lines that were looked at."""
    faults, arrows, lines = [], set(), 0
    for file, below in sources(root):
        path = f"{below}/{os.path.basename(file)}"
        room = room_of(path)
        if room not in ROOMS:
            faults.append(f"{path}: expected a known room, but got {room}; add it to ROOMS in test/include_direction.py")
            continue
        for number, header in includes_of(file):
            lines += 1
            arrows.add((room, target_of(below, header)))
            fault = fault_of(room, below, header)
            if fault and not (path == OF_MLIR_C and header.startswith("mlir-c/")):
                faults.append(f"{path}:{number}: {fault} ({header})")
    return faults, arrows, lines


def belongs(root, room, directory, folder, headers):
    """Whether a .cpp with these includes, of a file in `folder`, has a header of `room` in
    `directory`. A pass that shares no code needs the list of passes alone."""
    siblings = [header for header in headers if os.path.exists(os.path.join(folder, header))]
    if siblings:
        return os.path.samefile(folder, os.path.join(root, directory))
    targets = {target_of(directory, header) for header in headers} - {None}
    if room == "CAPI":
        targets.add(room)  # its headers are hone-c
    return not targets or room in targets or (room.startswith("passes/") and "passes/Passes.h.inc" in headers)


def programs(root):
    """Each .cpp, with its directory below the root, its room and its headers."""
    for file, below in sources(root):
        if file.endswith(".cpp"):
            yield file, below, room_of(f"{below}/x.cpp"), [header for _, header in includes_of(file)]


def misplaced(root):
    """The .cpp files without a header of their own room, as faults."""
    return [
        f"{below}/{os.path.basename(file)}: expected a header of its room, {room}, but found none"
        for file, below, room, headers in programs(root)
        if not belongs(root, room, below, os.path.dirname(file), headers)
    ]


def moves(root):
    """Moves each .cpp, in thought, into every other room, and prints the moves that no check sees."""
    folders, loose, count = {}, Counter(), 0
    for _, below in sources(root):
        if not below.startswith("include/"):
            folders.setdefault(room_of(f"{below}/x.cpp"), below)
    for file, below, home, headers in programs(root):
        for room, folder in folders.items():
            if room == home:
                continue
            count += 1
            if not any(fault_of(room, folder, header) for header in headers):
                loose[f"{below}/{os.path.basename(file)}"] += belongs(root, room, folder, os.path.dirname(file), headers)
    loose = +loose
    for path, rooms in loose.items():
        print(f"{path}: fits into {rooms} other rooms")
    print(f"moves: {count} of a file into another room, {count - sum(loose.values())} are faults")
    return 0 if count and sum(loose.values()) <= count // 100 else 1


def unnamed(root):
    """The rooms that lib/README.md does not describe, as faults."""
    with open(os.path.join(root, "lib/README.md"), encoding="utf-8") as page:
        named = set(re.findall(r"^- `([\w/-]+)`: ", page.read(), re.MULTILINE))
    return [f"lib/README.md: expected a line for the room {room}, but found none" for room in ROOMS if room not in named]


def print_table(root):
    """Files, lines and included rooms of each room, as text."""
    files, lines, arrows = Counter(), Counter(), Counter()
    for path, below in sources(root):
        room = room_of(f"{below}/{os.path.basename(path)}")
        files[room] += 1
        with open(path, encoding="utf-8") as source:
            for line in source:
                lines[room] += 1
                match = INCLUDE.match(line)
                target = match and target_of(below, match[2])
                if target and target != room:
                    arrows[room, target] += 1
    print(f"{'room':<30}{'files':>6}{'lines':>8}  includes of")
    for room in ROOMS:
        seen = ", ".join(f"{target} {arrows[room, target]}" for target in ROOMS if arrows[room, target])
        print(f"{room:<30}{files[room]:>6}{lines[room]:>8}  {seen}".rstrip())
    for part, rooms in PARTS.items():
        across = Counter()
        for (room, target), count in arrows.items():
            if room in rooms and PART_OF[target] != part:
                across[PART_OF[target]] += count
        seen = ", ".join(f"{target} {across[target]}" for target in PARTS if across[target])
        print(f"{part:<30}{sum(files[r] for r in rooms):>6}{sum(lines[r] for r in rooms):>8}  {seen}".rstrip())
    print(f"{'all':<30}{sum(files.values()):>6}{sum(lines.values()):>8}  {len(arrows)} arrows")


def unused(arrows):
    """The arrows of ROOMS that are not among `arrows`, as faults."""
    return [
        f"ROOMS[{room!r}]: expected an #include of {target}, but found none; remove the arrow"
        for room, targets in ROOMS.items()
        for target in sorted(targets)
        if (room, target) not in arrows
    ]


# ---- The check of the check -------------------------------------------------------------

GOOD = {
    "include/hone/Schedule/Schedule.h": '#include "llvm/ADT/StringRef.h"\n#include <vector>\n',
    "dialects/Hone/Hone.h": '#include "hone/Schedule/Schedule.h"\n#include "mlir/IR/Dialect.h"\n',
    "passes/Match/Match.cpp": '#include "dialects/Hone/Hone.h"\n#include "Match.h"\n',
    "passes/Rest/BuildRest.cpp": '#include "passes/Build/BuildKernel.h"\n#include "hone/passes/Passes.h"\n',
    "lib/Runtime/Launch.cpp": '#include "hone-c/Runtime.h"\n#include <dlfcn.h>\n',
    "include/hone-c/Registration.h": '#include "mlir-c/IR.h"\n',
    "tools/hone/Run.cpp": '#include "passes/Passes.h"\n#include "hone/Driver/Compile.h"\n',
}
# file, the line planted at its end, a word of the fault
PLANTED = [
    ("include/hone/Schedule/Schedule.h", '#include "mlir/IR/Builders.h"', "no MLIR in Schedule"),
    ("include/hone/Schedule/Schedule.h", '#include "dialects/Hone/Hone.h"', "but got dialects"),
    ("dialects/Hone/Hone.h", '#include "passes/Passes.h"', "but got passes"),
    ("dialects/Hone/Hone.h", '#include "hone/passes/Passes.h"', "but got passes"),
    ("dialects/Hone/Hone.h", '  #  include "../../passes/Passes.h"', "but got passes"),
    ("tools/hone/Run.cpp", '#include "tools/hone-lab/Lab.h"', "but got tools/hone-lab"),
    ("passes/Match/Match.cpp", '#include "hone/Tuner/Tuner.h"', "but got Tuner"),
    ("passes/Match/Match.cpp", "#include <hone/Device/Device.h>", "but got Device"),
    ("passes/Match/Match.cpp", '#include "hone/Simulate/Simulate.h"', "but got Simulate"),
    ("passes/Match/Match.cpp", '#include "hone/Driver/Pipeline.h"', "but got Driver"),
    ("passes/Match/Match.cpp", '#include "passes/Build/BuildKernel.h"', "but got passes/Build"),
    ("passes/Memory/Buffers.cpp", '#include "passes/Rest/Rest.h"', "but got passes/Rest"),
    ("passes/Build/BuildKernel.cpp", '#include "passes/Rewrite/Rewrite.h"', "but got passes/Rewrite"),
    ("passes/Build/BuildKernel.cpp", '#include "../Lower/LowerKernel.h"', "but got passes/Lower"),
    ("passes/Support.cpp", '#include "passes/Match/Match.h"', "but got passes/Match"),
    ("passes/Old/Old.cpp", "#include <vector>", "expected a known room, but got passes/Old"),
    ("lib/Simulate/Passes/VerifyKernel.cpp", '#include "passes/Support.h"', "but got passes"),
    ("lib/Driver/Compile.cpp", '#include "hone/Reference/Program.h"', "but got Reference"),
    ("lib/Export/Export.cpp", '#include "hone/Reference/Program.h"', "but got Reference"),
    ("lib/CAPI/CAPI.cpp", '#include "hone/Reference/Program.h"', "but got Reference"),
    ("lib/Numerics/Tolerance.cpp", '#include "hone/Measure/Timing.h"', "but got Measure"),
    ("lib/Search/Search.cpp", '#include "hone/Measure/Timing.h"', "but got Measure"),
    ("lib/Simulate/Values/Values.cpp", '#include "hone/Measure/Timing.h"', "but got Measure"),
    ("lib/Workers/Workers.cpp", '#include "hone/Plugin/Sources.h"', "but got Plugin"),
    ("lib/Workers/Workers.cpp", '#include "hone/Bench/BenchRun.h"', "but got Bench"),
    ("lib/Matmul/GemmData.cpp", '#include "hone/Workers/Workers.h"', "but got Workers"),
    ("lib/Reference/Program.cpp", '#include "hone/Matmul/Entrant.h"', "but got Matmul"),
    ("lib/Check/CheckCases.cpp", '#include "hone/Bench/BenchRun.h"', "but got Bench"),
    ("lib/Runtime/Launch.cpp", '#include "llvm/Support/Error.h"', "no LLVM in Runtime"),
    ("lib/Runtime/Launch.cpp", "#include <cuda.h>", "no CUDA header"),
    ("include/hone-c/Hone.h", '#include "mlir-c/IR.h"', "no MLIR in hone-c"),
    ("include/hone-c/Registration.h", '#include "mlir/IR/Dialect.h"', "no MLIR in hone-c"),
    ("lib/Search/Search.cpp", '#include "mlir/IR/Builders.h"', "no MLIR in Search"),
    ("lib/Numerics/Tolerance.cpp", '#include "mlir/IR/Builders.h"', "no MLIR in Numerics"),
    ("lib/Attic/Old.cpp", "#include <vector>", "expected a known room, but got Attic"),
]


def self_test():
    if not any("'dialects'" in fault for fault in unused(set())) or unused({(a, b) for a in ROOMS for b in ROOMS[a]}):
        print("self-test: expected an arrow that nothing uses to be a fault, and no other")
        return 1
    return planted.self_test(planted.with_lines(GOOD, PLANTED), lambda root: check(root)[0])


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--table":
        return print_table(sys.argv[2])
    if len(sys.argv) == 3 and sys.argv[1] == "--moves":
        return moves(sys.argv[2])
    if len(sys.argv) != 2 or (sys.argv[1].startswith("--") and sys.argv[1] != "--self-test"):
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        return self_test()
    faults, arrows, lines = check(sys.argv[1])
    faults += unused(arrows) + unnamed(sys.argv[1]) + misplaced(sys.argv[1])
    print("\n".join(faults) if faults else f"include directions: {lines} lines, no fault")
    if not lines:
        print(f"expected a source tree, but found no #include below {sys.argv[1]}")
    return 1 if faults or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
