"""usage: compile_headers.py INCLUDE COMPILER LLVM_INCLUDE [HEADER...]

Compiles every header below INCLUDE, or those that are named, by itself and by its installed
name: as C if it is of the C interface, else as C++. Two at a time. A header whose text begins
with the include of another one compiles that one alone, too, so it is not compiled again.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

include, compiler, llvm_include = sys.argv[1:4]
headers = sys.argv[4:] or sorted(
    os.path.relpath(os.path.join(directory, name), include)
    for directory, _, names in os.walk(include)
    for name in names
    if name.endswith(".h")
)


def compile_alone(header):
    """The first error of a header, or None."""
    language = ["-x", "c", "-std=c11"] if header.startswith("hone-c/") else ["-x", "c++", "-std=c++17"]
    flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", f"-I{include}", "-isystem", llvm_include]
    result = subprocess.run(
        [compiler, *language, *flags, "-"], input=f'#include "{header}"\n',
        capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return None
    errors = [line for line in result.stderr.splitlines() if "error:" in line]
    return f"{header}: {errors[0] if errors else result.stderr}"


def included_first(header):
    """The name in a header's first directive after its guard, if that includes a file."""
    with open(os.path.join(include, header)) as file:
        text = file.read()
    first = re.match(r"(?:\s|//.*)*#ifndef (\w+)\n#define \1\n\s*#include \"(.*)\"", text)
    return first and header.startswith("hone-c/") == first.group(2).startswith("hone-c/") and first.group(2)


firsts = {included_first(header) for header in headers}
with ThreadPoolExecutor(2) as pool:
    faults = [fault for fault in pool.map(compile_alone, sorted(set(headers) - firsts)) if fault]
print("\n".join(faults) if faults else f"{len(headers)} headers compile alone")
sys.exit(bool(faults) or not headers)
