"""The experts of a mixture layer as one function of Hone's, beside torch's grouped products.

    python mixture_torch.py qwen3 mixtral --tokens=4096,512,64 --csv=mixture.csv
    python mixture_torch.py small --device=cpu
    python mixture_torch.py qwen3 --lower=h200         # compiles alone

From tokens, their experts and weights to the weighted sums: rows are sorted by expert, gathered, multiplied by gate and
up at once, activated, multiplied by down, and added up. `sorted` begins with sorted rows. torch runs the same eagerly
and by torch.compile. All sides run in turns, on a GPU as graphs of launches over operands that exceed the L2 cache.
Errors are in deviations of the result in f64; twice torch's own and four roundings are allowed.
"""

import collections
import itertools
import statistics

import comparing

Sizes = collections.namedtuple("Sizes", "experts top width hidden")
LAYERS = {
    "qwen3": Sizes(128, 8, 2048, 768),
    "mixtral": Sizes(8, 2, 4096, 14336),
    "deepseek": Sizes(32, 4, 7168, 2048),  # on one of eight GPUs
    "small": Sizes(7, 2, 72, 56),
}
SIDES = "hone eager compiled".split()
TIMES = [f"{side}_{name}" for side in SIDES for name in ("us", "min", "max")]
COLUMNS = [*"layer tokens part".split(), *TIMES, *"over_eager over_compiled launches error allowed".split()]


def shapes_of(sizes, tokens, part):
    experts, top, width, hidden = sizes
    pairs = tokens * top
    routed = [((tokens, top), "i32"), ((tokens, top), "f32")]
    sorts = [((pairs,), "i32"), ((experts,), "i32"), ((pairs,), "f32")]
    factors = [((experts, width, 2 * hidden), "bf16"), ((experts, hidden, width), "bf16")]
    return [((tokens, width), "bf16"), *(routed if part == "routed" else sorts), *factors]


# ---- Hone's side -------------------------------------------------------------------------------


def route(f, chosen, weights, experts):
    """The tokens of the pairs sorted by expert, the ends of the experts, and the pairs' weights."""
    from hone_torch import linalg

    pairs = chosen.shape[0] * chosen.shape[1]
    rows, places, ends = (f.fresh() for _ in range(3))
    numbers = f"tensor<{pairs}xi32>"
    results = f"{numbers}, {numbers}, tensor<{experts}xi32>"
    f.lines.append(f"  {rows}, {places}, {ends} = hone.route {chosen.name} groups {experts} : {chosen.type} -> {results}")
    rows, places = (linalg.Value(name, (pairs,), "i32") for name in (rows, places))
    flat, out = f.reshape(weights, [pairs]), f.empty([pairs], "f32")
    at, weight = f.fresh(), f.fresh()
    body = [f"    {at} = arith.index_cast %in0 : i32 to index",
            f"    {weight} = tensor.extract {flat.name}[{at}] : {flat.type}",
            f"    linalg.yield {weight} : f32"]  # fmt: skip
    maps = [linalg.affine_map(1, ["d0"])] * 2
    return rows, linalg.Value(ends, (experts,), "i32"), f.generic(maps, ["parallel"], [places], out, body)


def text_of(sizes, tokens, part):
    from hone_torch import interface, linalg

    shapes = shapes_of(sizes, tokens, part)
    f = linalg.Buffers("main", [(shape, dtype, interface.strides_of(shape)) for shape, dtype in shapes])
    x, *routing, up, down = f.arguments
    rows, ends, weights = route(f, *routing, sizes.experts) if part == "routed" else routing
    both = f.grouped(linalg.Rows(x, rows), up, ends, "bf16")
    half = [rows.shape[0], sizes.hidden]
    gate, more = (f.slice(both, [0, at], half, [1, 1]) for at in (0, sizes.hidden))
    hidden = f.map("bf16", lambda s, g, u: s.mul(s.div(g, s.add(s.exp(s.neg(g)), s.constant(1.0))), u), gate, more)
    parts, none = f.grouped(hidden, down, ends, "bf16"), f.full(x.shape, 0.0, "bf16")
    text = (
        f"hone.scatter_rows {parts.name} to {rows.name} weights {weights.name} into {none.name} : "
        f"{parts.type}, {rows.type}, {weights.type} into {none.type}"
    )
    return f.finish([f.write(text, x.shape, "bf16")])


# ---- torch's sides -----------------------------------------------------------------------------


def sort(chosen, weights, experts):
    import torch

    expert, order = chosen.flatten().sort(stable=True)
    counts = torch.zeros(experts, dtype=torch.int32, device=chosen.device)
    ends = counts.scatter_add(0, expert.long(), torch.ones_like(expert)).cumsum(0, dtype=torch.int32)
    return (order // chosen.shape[1]).int(), ends, weights.flatten()[order]


def products(x, rows, ends, weights, up, down):
    import torch
    from torch.nn import functional as F

    gate, more = F.grouped_mm(x[rows], up, offs=ends).chunk(2, -1)
    parts = F.grouped_mm(F.silu(gate) * more, down, offs=ends) * weights[:, None]
    return torch.zeros(x.shape, dtype=torch.float32, device=x.device).index_add(0, rows, parts.float()).to(x.dtype)


def exactly(x, rows, ends, weights, up, down):
    import torch
    from torch.nn import functional as F

    sums, ends = torch.zeros(x.shape, dtype=torch.float64, device=x.device), ends.tolist()
    for group, (begin, end) in enumerate(zip([0, *ends], ends)):
        own = rows[begin:end]
        gate, more = (x[own].double() @ up[group].double()).chunk(2, -1)
        parts = (F.silu(gate) * more) @ down[group].double()
        sums.index_add_(0, own, parts * weights[begin:end, None])
    return sums


def inputs_of(sizes, tokens, device):
    """Tokens, their experts and weights, and the experts' matrices. Some experts are chosen more often."""
    import torch

    experts, top, width, hidden = sizes
    x, up, down = (torch.randn(shape, device=device, dtype=torch.bfloat16)
                   for shape in ((tokens, width), (experts, width, 2 * hidden), (experts, hidden, width)))  # fmt: skip
    scores = torch.randn(tokens, experts, device=device) + torch.randn(experts, device=device) / 2
    weights, chosen = scores.softmax(-1).topk(top)
    return x, chosen.int(), weights / weights.sum(-1, keepdim=True), up / width**0.5, down / hidden**0.5


# ---- Measurement -------------------------------------------------------------------------------


def lower(name, tokens, part, options):
    from hone_torch import interface

    pipeline = interface.pipeline(options.lower, options.pipeline)
    lowered, remarks = interface.session().run(text_of(LAYERS[name], tokens, part), pipeline)
    copies = remarks.count("reads a copy of the rows of its index")
    print(f"{name} {tokens} {part}: {lowered.count('call @honeLaunch')} launches, {copies} copies of rows")


def measured(name, tokens, part, options):
    import torch
    from hone_torch import interface, op

    sizes = LAYERS[name]
    x, chosen, weights, up, down = inputs_of(sizes, tokens, options.device)
    sorts = sort(chosen, weights, sizes.experts)
    exact = exactly(x, *sorts, up, down)
    tensors = [x, *((chosen, weights) if part == "routed" else sorts), up, down]
    layouts = tuple((tuple(range(len(shape))), interface.strides_of(shape), ())
                    for shape, _ in shapes_of(sizes, tokens, part))  # fmt: skip
    spec = op.Spec(text_of(sizes, tokens, part), layouts, "bfloat16", options.pipeline, "").dump()
    launch = op.launch_of(spec, op.arch_of(torch.device(options.device)))

    def routed(tensors):
        return products(tensors[0], *sort(*tensors[1:3], sizes.experts), *tensors[3:])

    eager = routed if part == "routed" else lambda tensors: products(*tensors)

    sides = {"hone": lambda tensors: launch(tensors, x.shape, []), "torch": eager}
    errors = comparing.errors_of(sides, tensors, exact)
    sides["compiled"] = torch.compile(eager, dynamic=False)
    times = list(comparing.times_of(sides, tensors, options))
    ratios = [statistics.median(b / a for a, b in zip(times[0], each)) for each in times[1:]]
    count = launch.function.lowered.count("call @honeLaunch")
    turns = comparing.turns_of(times)
    return [name, tokens, part, *turns, *(f"{ratio:.3f}" for ratio in ratios), count, *errors]


def main():
    parser = comparing.parser_of(__doc__, seconds=0.5)
    parser.add_argument("layers", nargs="+", choices=LAYERS)
    parser.add_argument("--tokens", default="64,512,4096", help="numbers of tokens")
    parser.add_argument("--parts", default="sorted,routed")
    parser.add_argument("--lower", metavar="ARCH", help="compile for an arch, and run nothing")
    options = parser.parse_args()
    rows = []
    names, tokens, parts = options.layers, options.tokens.split(","), options.parts.split(",")
    for name, count, part in itertools.product(names, map(int, tokens), parts):
        if options.lower:
            lower(name, count, part, options)
            continue
        rows.append(measured(name, count, part, options))
        print(*rows[-1], sep="\t", flush=True)
    if options.lower:
        return
    comparing.write(options.csv, COLUMNS, rows)
    comparing.refuse_errors(rows, names=3)


if __name__ == "__main__":
    main()
