"""usage: stock.py PIPELINE.md HEADING FILE [OPTION...] > lowered.mlir

Lowers FILE with stock mlir-opt, by the order of passes that the first shell block below HEADING
in the documentation has. OPTIONs are mlir-opt's own.
"""

import re
import subprocess
import sys

text = open(sys.argv[1], encoding="utf-8").read()
_, found, section = text.partition(f"\n### {sys.argv[2]}\n")
if not found:
    sys.exit(f"expected a section '{sys.argv[2]}' in {sys.argv[1]}")
order = re.search(r"--pass-pipeline='(builtin\.module\(.*?\))'", section, re.S)
if not order:
    sys.exit(f"expected a pipeline below '{sys.argv[2]}'")
command = ["mlir-opt", sys.argv[3], f"--pass-pipeline={order[1]}", *sys.argv[4:]]
sys.exit(subprocess.run(command, check=False).returncode)
