"""Tests of the common parts of python/hone_torch: text of linalg, groups, and the C interface."""

import array
import ctypes
import sys

sys.path.insert(0, sys.argv[1])
from hone_torch import interface as hone
from hone_torch import linalg, products


def floats(count, function):
    return array.array("f", (function(i) for i in range(count)))


def address(numbers):
    return numbers.buffer_info()[0]


# 2 x 3 times 3 x 4, and 1 more.
f = linalg.Function("product", [((2, 3), "f32"), ((3, 4), "f32")])
total = f.contract("mk,kn->mn", *f.arguments, "f32")
text = f.finish([f.map("f32", lambda s, x: s.add(x, s.constant(1.0)), total)])
types = (((2, 3), "f32"), ((3, 4), "f32"), ((2, 4), "f32"))
product = hone.compile(text, "product", types, "host")
a, b, c = floats(6, lambda i: i), floats(12, lambda i: i % 5), floats(8, lambda i: -1)
product([address(a), address(b), address(c)])
print("product:", *(f"{x:g}" for x in c))
print("compiled once:", hone.compile(text, "product", types, "host") is product)
print("remarks:", "m = 2, n = 4, k = 3" in product.remarks)

# For a GPU: one launch, and nothing on the host.
halves = linalg.Function("halves", [((64, 64), "f16"), ((64, 64), "f16"), ((4, 16, 64), "f16")])
x, w, r = halves.arguments
y = halves.reshape(halves.contract("mk,nk->mn", x, w, "f16"), (4, 16, 64))
text = halves.finish([halves.map("f16", lambda s, p, q: s.add(s.tanh(p), q), y, r)])
types = (*((v.shape, v.dtype) for v in halves.arguments), ((4, 16, 64), "f16"))
kernel = hone.compile(text, "halves", types, "sm_90a")
print("host work:", kernel.host_work(), kernel.lowered.count("call @honeLaunch"), "gpu.alloc" in kernel.lowered)

# Two products in a row: the value between them is in memory of the caller.
chain = linalg.Function("chain", [((64, 64), "f16"), ((64, 64), "f16")])
x, w = chain.arguments
for _ in range(3):
    x = chain.contract("mk,kn->mn", x, w, "f16")
text = chain.finish([x])
types = (((64, 64), "f16"),) * 3
kernel = hone.compile(text, "chain", types, "sm_90a")
print("workspace:", kernel.workspace, kernel.allocates(), product.workspace)
seen = []
kernel.call = lambda *places: seen.extend((ctypes.c_int64 * 5).from_address(place)[:] for place in places)
kernel([256, 512, 768], workspace=1024)
print("descriptors:", [place[0] for place in seen], seen[-1])
summed = linalg.Function("summed", [((64, 64), "f16")])
text = summed.finish([summed.reduce(summed.arguments[0], [1], "add", "f16")])
types = (((64, 64), "f16"), ((64,), "f16"))
print("host work:", bool(hone.compile(text, "summed", types, "sm_90a").host_work()))

numbers = linalg.Function("numbers", [((2,), "i32")])
for what, call in (
    ("refused", lambda: hone.compile("func.func @f(", "f", (), "host")),
    ("no arch", lambda: hone.compile(text, "summed", types, "z80")),
    ("no function", lambda: hone.compile(text, "nobody", types, "host")),
    ("arguments", lambda: product([0])),
    ("no workspace", lambda: kernel([256, 512, 768])),
    ("scalar op", lambda: numbers.map("i32", lambda s, x: s.tanh(x), *numbers.arguments)),
):
    try:
        call()
        print(f"{what}: no error")
    except hone.Error as error:
        print(f"{what}:", " ".join(str(error).split())[:100])

# Shapes.
print("segments:", linalg.segments((2, 3, 4), (6, 4)), linalg.segments((6, 1), (2, 3)))
print("broadcast:", linalg.broadcast_shapes([(3, 1), (2, 1, 4), ()]))
print("literals:", linalg.literal(float("-inf"), "f32"), linalg.literal(1e99, "f32"), linalg.literal(0.5, "f64"))

# Groups: a product, a bias, a view, and an op that reads both; then one that leaves early.
graph = {"p": [], "bias": ["p"], "view": ["bias"], "both": ["view", "bias"], "sum": ["both"], "q": ["sum"], "s": ["q"]}
kinds = {"p": "product", "q": "product", "sum": "other", "view": "view"}


def users(node):
    return [user for user in graph if node in graph[user]] or ["returned"]


def groups(may_leave=lambda node: True):
    found = []

    def take(candidates):
        found.append(candidates)
        return candidates[0]

    kind_of = lambda node: kinds.get(node, "elementwise")
    products.take_groups(list(graph), graph.get, users, kind_of, take, may_leave)
    return found


print("groups:", *groups())
print("kept in:", *groups(lambda node: node != "both"))
print("inputs:", products.inputs_of_group(["both", "sum"], graph.get))
