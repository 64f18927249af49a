"""Mixtures of experts from torch, by Hone: checks the numbers, and times them.

    python experts_torch.py mixtral qwen3 --device=cuda --measure --time --json=experts.json

A layer routes tokens to experts, sorts them by expert, and multiplies groups of rows: gate and up at once, then down.
The numbers of rows stay on the device, so a CUDA graph is captured once, and replayed for each draw of tokens. Errors
are against a loop over the experts in f64; they may be twice torch's own.
"""

import argparse
import collections
import json
import pathlib
import statistics
import sys

import torch
import torch.nn.functional as F
from torch import nn

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))  # unless the wheel is installed
import hone_torch
from hone_torch import measure, ragged

Sizes = collections.namedtuple("Sizes", "experts top width hidden")
LAYERS = {"mixtral": Sizes(8, 2, 4096, 14336), "qwen3": Sizes(128, 8, 2048, 768)}
SMALL = {"mixtral": Sizes(8, 2, 64, 96), "qwen3": Sizes(32, 8, 64, 48)}
SKEWS = (0, 1, 8)  # how much a draw prefers one expert, in units of a score's deviation


class Experts(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.sizes, (experts, _, width, hidden) = sizes, sizes
        self.router = nn.Parameter(torch.randn(experts, width) / width**0.5)
        self.up = nn.Parameter(torch.randn(experts, width, 2 * hidden) / width**0.5)
        self.down = nn.Parameter(torch.randn(experts, hidden, width) / hidden**0.5)

    def forward(self, x):
        """The sums over experts, and the weights and numbers of each token's experts."""
        weights, chosen = (x @ self.router.t()).float().softmax(-1).topk(self.sizes.top)
        weights = weights / weights.sum(-1, keepdim=True)
        expert, order = chosen.flatten().sort(stable=True)
        counts = torch.zeros(self.sizes.experts, dtype=torch.int32, device=x.device)
        ends = counts.scatter_add(0, expert, torch.ones_like(expert, dtype=torch.int32)).cumsum(0, dtype=torch.int32)
        gate, up = F.grouped_mm(x[order // self.sizes.top], self.up, offs=ends).chunk(2, -1)
        rows = F.grouped_mm(F.silu(gate) * up, self.down, offs=ends)
        # Each token reads its rows in their order: index_add would add them in any order.
        places = torch.empty_like(order).scatter(0, order, torch.arange(len(order), device=x.device))
        parts = rows[places].view(*chosen.shape, -1) * weights[..., None]
        return parts.sum(1).to(x.dtype), weights, chosen


def errors(layer, x, result):
    """Of the sums, in units of their deviation, for the result's own routing; and of the routing."""
    y, weights, chosen = result
    scores = (x.double() @ layer.router.double().t()).softmax(-1)
    exact_weights = scores.gather(-1, chosen)
    missed = scores.topk(layer.sizes.top).values.sum(-1) - exact_weights.sum(-1)
    exact_weights /= exact_weights.sum(-1, keepdim=True)
    exact = torch.zeros(x.shape, dtype=torch.float64, device=x.device)
    for expert in range(layer.sizes.experts):
        token, place = (chosen == expert).nonzero(as_tuple=True)
        gate, up = (x[token].double() @ layer.up[expert].double()).chunk(2, -1)
        rows = (F.silu(gate) * up) @ layer.down[expert].double()
        exact.index_add_(0, token, rows * weights[token, place, None])
    routing = torch.maximum(missed.max(), (weights - exact_weights).abs().max())
    return ((y.double() - exact).abs().max() / exact.std()).item(), routing.item()


def draw(layer, tokens, skew):
    """Tokens that prefer the last expert."""
    router = layer.router[-1].float()
    x = torch.randn(tokens, layer.sizes.width).to(router.device)
    return (x + skew * router / router.square().sum()).to(layer.router.dtype)


def captured(function, x):
    """On a GPU, a graph for all numbers that `x` will have."""
    if not x.is_cuda:
        return lambda: function(x)
    for _ in range(3):
        function(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = function(x)

    def call():
        graph.replay()
        return result

    return call


def check(layer, compiled, tokens):
    """A record for each draw; numbers are compared with those of a graph that was captured for the first."""
    records, x = [], draw(layer, tokens, SKEWS[0])
    call = captured(compiled, x)
    for skew in SKEWS:
        x.copy_(draw(layer, tokens, skew))
        result = call()
        counts = result[2].flatten().bincount(minlength=layer.sizes.experts)
        (error, routing), (own, own_routing) = errors(layer, x, result), errors(layer, x, layer(x))
        is_right = error <= 2 * own and routing <= 2 * own_routing + 1e-3
        records.append({"skew": skew, "rows": [counts.min().item(), counts.max().item()], "error": error,
                        "torch_error": own, "routing_error": routing, "is_right": is_right})  # fmt: skip
    return records


def times(sides, x):
    """Microseconds: median, lowest and highest of turns."""
    calls, is_captured = {side: [lambda f=f: f(x)] for side, f in sides.items()}, not ragged.reads_ends(x.device)
    turns = measure.in_turns(calls, x.device, seconds=2, rounds=20, is_captured=is_captured)
    return {side: (statistics.median(each), min(each), max(each)) for side, each in turns.items()}


def run(name, tokens, options):
    torch.manual_seed(0)
    sizes = (SMALL if options.device == "cpu" else LAYERS)[name]
    with torch.device(options.device):
        layer = Experts(sizes).to(torch.bfloat16).requires_grad_(False)
    settings = {"hone.measure": options.measure, "hone.pipeline": options.options, "fx_graph_cache": False}
    sides = {"hone": torch.compile(layer, backend=hone_torch.backend, dynamic=False, options=settings)}
    record = {"layer": name, "tokens": tokens, **sizes._asdict()}
    record["draws"] = check(layer, sides["hone"], tokens)
    report = hone_torch.report(clear=True)
    taken, left = ([each for each in entries if "_grouped_mm" in each.op] for entries in (report.taken, report.left))
    record["products"] = str(report).splitlines()
    print(f"{name}, {tokens} tokens, {sizes}: {len(taken)} of {len(taken + left)} grouped products by Hone")
    for each in record["draws"]:
        low, high = each["rows"]
        print(f"experts of {low} to {high} rows: error {each['error']:.2e} hone, {each['torch_error']:.2e} torch")
    if options.time:
        print("\n".join(record["products"]))
        sides |= {"torch eager": layer, "torch.compile": torch.compile(layer, dynamic=False)}
        record["us"] = times(sides, draw(layer, tokens, SKEWS[1]))
        for side, (median, low, high) in record["us"].items():
            print(f"{median:8.1f} us {side} ({low:.1f} to {high:.1f})", flush=True)
    return record


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("layers", nargs="+", choices=LAYERS)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="small layers on the CPU")
    parser.add_argument("--tokens", help="N,...; 4096 on a GPU, 24 on the CPU")
    parser.add_argument("--measure", action="store_true", help="take a product only where Inductor's code is slower")
    parser.add_argument("--options", default="", help="further ones of hone-pipeline")
    parser.add_argument("--time", action="store_true", help="also compare times with torch, under CUDA graphs")
    parser.add_argument("--json", type=pathlib.Path, help="a file for a list of records")
    options = parser.parse_args()
    tokens = options.tokens or ("24" if options.device == "cpu" else "4096")
    with torch.no_grad():
        records = [run(name, int(each), options) for name in options.layers for each in tokens.split(",")]
    if options.json:
        options.json.write_text(json.dumps(records, indent=1) + "\n")
    if wrong := [record["layer"] for record in records if not all(each["is_right"] for each in record["draws"])]:
        sys.exit(f"error: expected errors of at most twice torch's, but got more for {', '.join(wrong)}")


if __name__ == "__main__":
    main()
