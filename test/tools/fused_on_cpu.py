"""Runs each function of a file on this CPU as it is, and as hone-match leaves it: with each
hone.matmul of integers written out as a sum of products, and its epilogue after it. Results are
compared bit for bit.

usage: fused_on_cpu.py HONE_OPT MLIR_LIB_DIR FILE [PASSES]

PASSES, a pass pipeline, runs ahead of both. Shapes are static, results are i8, i32 or f32."""

import random
import re
import subprocess
import sys

ORDER = (
    "builtin.module(one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},"
    "func.func(convert-linalg-to-loops),lower-affine,expand-strided-metadata,lower-affine,"
    "convert-scf-to-cf,convert-math-to-llvm,convert-math-to-libm,arith-expand,convert-arith-to-llvm,"
    "convert-index-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"
    "reconcile-unrealized-casts)"
)
MATMUL = re.compile(
    r"(%\w+) = hone\.matmul ins\((col )?(%\w+)(?:\[([\w, ]+)\])?, (col )?(%\w+)(?:\[([\w, ]+)\])? : "
    r"(tensor<[^>]+>), (tensor<[^>]+>)\) outs\((%\w+) : (tensor<[^>]+>)\) init\((zero|read)\) "
    r"acc\(i32\)(?: epilogue(?:\((.*?) : (.*?)\))? \{\n\s*\^bb0\((.*?)\):\n(.*?)hone\.yield (%\w+) : (\w+)\n\s*\})?"
    r" -> tensor<[^>]+>",
    re.S,
)


def run(command, text):
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"error: {' '.join(command)}\n{done.stderr}")
    return done.stdout


def shape_of(tensor):
    return re.fullmatch(r"tensor<((?:\d+x)*)(\w+)>", tensor).groups()


def affine_map(loops, letters):
    return f"affine_map<({', '.join(loops)}) -> ({', '.join(letters)})>"


def write_out(match, number):
    """The generics that a hone.matmul stands for."""
    result, col_a, a, dims_a, col_b, b, dims_b, type_a, type_b, c, type_c = match.groups()[:11]
    init, operands, types, arguments, body, yielded, element = match.groups()[11:]
    extents, _ = shape_of(type_c)
    batches = "bhij"[: extents.count("x") - 2]
    letters = []
    for dims, tensor, matrix in (
        (dims_a, type_a, "km" if col_a else "mk"),
        (dims_b, type_b, "nk" if col_b else "kn"),
    ):
        has_batch = shape_of(tensor)[0].count("x") > 2
        letters.append(dims.replace(", ", "") if dims else (batches if has_batch else "") + matrix)
    of_c, loops, wide = batches + "mn", batches + "mnk", f"tensor<{extents}i32>"
    kinds = ", ".join(['"parallel"'] * len(of_c))
    start = c if init == "read" else f"%zero{number}"
    maps = ", ".join(affine_map(loops, each) for each in (*letters, of_c))
    text = f"""%zero{number} = arith.constant dense<0> : {wide}
    %sums{number} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}, "reduction"]}}
        ins({a}, {b} : {type_a}, {type_b}) outs({start} : {wide}) {{
    ^bb0(%x: i8, %y: i8, %before: i32):
      %l = arith.extsi %x : i8 to i32
      %r = arith.extsi %y : i8 to i32
      %p = arith.muli %l, %r : i32
      %s = arith.addi %before, %p : i32
      linalg.yield %s : i32
    }} -> {wide}
"""
    if body is None:
        return text + f"    {result} = tensor.cast %sums{number} : {wide} to {wide}"
    named = re.findall(r"(%\w+)\[([\w, ]*)\]", operands or "")
    maps = [affine_map(of_c, of_c)] + [affine_map(of_c, dims.split(", ") if dims else []) for _, dims in named]
    inputs = ", ".join([f"%sums{number}"] + [name for name, _ in named])
    return text + f"""    {result} = linalg.generic {{indexing_maps = [{', '.join(maps + maps[:1])}], iterator_types = [{kinds}]}}
        ins({inputs} : {', '.join([wide] + ([types] if types else []))}) outs({c} : {type_c}) {{
    ^bb0({arguments}, %old{number}: {element}):
{body}linalg.yield {yielded} : {element}
    }} -> {type_c}"""


def literal(tensor):
    extents, element = shape_of(tensor)
    count = 1
    for extent in extents.split("x")[:-1]:
        count *= int(extent)
    draw = {
        "i8": lambda: str(random.randint(-128, 127)),
        "i32": lambda: str(random.randint(-100000, 100000)),
        "f32": lambda: f"{random.uniform(0.0001, 0.01):.9e}",
    }[element]
    text = [draw() for _ in range(count)]
    sizes = [int(extent) for extent in extents.split("x")[:-1]]
    for size in reversed(sizes[1:]):
        text = ["[" + ", ".join(text[i : i + size]) + "]" for i in range(0, len(text), size)]
    return f"dense<[{', '.join(text)}]> : {tensor}"


def main_of(text):
    """A main that calls every function on random data and prints the result."""
    body, names = "", []
    for name, arguments, result in re.findall(r"func\.func @(\w+)\((.*?)\) -> (tensor<[^>]+>) {", text):
        values, types = [], re.findall(r": (tensor<[^>]+>|\w+)", arguments)
        for i, kind in enumerate(types):
            value = literal(kind) if kind.startswith("tensor") else f"{random.randint(-9, 9)} : {kind}"
            values.append(f"%{name}{i}")
            body += f"  %{name}{i} = arith.constant {value}\n"
        extents, element = shape_of(result)
        shown = "f32" if element == "f32" else "i32"
        body += f"  %{name} = func.call @{name}({', '.join(values)}) : ({', '.join(types)}) -> {result}\n"
        wide = f"%{name}"
        if element == "i8":
            wide = f"%{name}_wide"
            body += f"  {wide} = arith.extsi %{name} : {result} to tensor<{extents}i32>\n"
        body += f"""  %{name}_any = tensor.cast {wide} : tensor<{extents}{shown}> to tensor<*x{shown}>
  func.call @printMemref{shown.upper()}(%{name}_any) : (tensor<*x{shown}>) -> ()\n"""
        names.append(name)
    return names, f"""
func.func private @printMemrefI32(tensor<*xi32>) attributes {{llvm.emit_c_interface}}
func.func private @printMemrefF32(tensor<*xf32>) attributes {{llvm.emit_c_interface}}
func.func @main() {{
{body}  return
}}
"""


def execute(text, library):
    lowered = run(["mlir-opt", f"--pass-pipeline={ORDER}"], text)
    libraries = ",".join(f"{library}/libmlir_{each}_utils.so" for each in ("runner", "c_runner"))
    command = ["mlir-runner", "-e", "main", "--entry-point-result=void", f"--shared-libs={libraries}"]
    printed = run(command, lowered)
    return [part.split("data =", 1)[1] for part in printed.split("Unranked Memref")[1:]]


def main():
    hone_opt, library, file = sys.argv[1:4]
    random.seed(1)
    with open(file) as source:
        text = source.read()
    if len(sys.argv) > 4:
        text = run(["mlir-opt", f"--pass-pipeline={sys.argv[4]}"], text)
    text = run(["mlir-opt"], text).replace("module {", "", 1).rstrip().rstrip("}")
    names, caller = main_of(text)
    text += caller
    matched = run([hone_opt, "--hone-match=arch=h200"], text)
    counts = [len(MATMUL.findall(part)) for part in matched.split("func.func @")[1:-1]]
    numbers = iter(range(10**6))
    written = MATMUL.sub(lambda match: write_out(match, next(numbers)), matched)
    if "hone." in written:
        sys.exit(f"error: expected every hone.matmul to be written out, but got\n{written}")
    prepare = "builtin.module(func.func(convert-elementwise-to-linalg))"
    before, after = (execute(run(["mlir-opt", f"--pass-pipeline={prepare}"], each), library) for each in (text, written))
    for name, count, old, new in zip(names, counts, before, after):
        different = len(set(re.findall(r"-?[\d.e+]+", new)))
        print(f"{name}: {count} products, {'same' if old == new else 'not the same'}, {different} different values")


main()
