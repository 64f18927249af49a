"""usage: stock.py PIPELINE.md HEADING FILE [OPTION...] > lowered.mlir

Lowers FILE with stock mlir-opt, by the pipeline that the first shell block below HEADING in the
documentation has; $order in it is the documentation's order of passes. OPTIONs are mlir-opt's own.
"""

import re
import subprocess
import sys

text = open(sys.argv[1], encoding="utf-8").read()
_, found, section = text.partition(f"\n### {sys.argv[2]}\n")
if not found:
    sys.exit(f"expected a section '{sys.argv[2]}' in {sys.argv[1]}")
order = re.search(r"^order='(.*?)'", text, re.S | re.M)
pipeline = re.search(r'--pass-pipeline="(builtin\.module\(.*?\))"', section, re.S)
if not order or not pipeline:
    sys.exit(f"expected an order of passes, and a pipeline below '{sys.argv[2]}'")
pipeline = pipeline[1].replace("$order", order[1])
command = ["mlir-opt", sys.argv[3], f"--pass-pipeline={pipeline}", *sys.argv[4:]]
sys.exit(subprocess.run(command, check=False).returncode)
