"""Transformer blocks from torch, by Hone: checks the numbers, and times them.

    python blocks_torch.py gpt2 --batch=4 --tokens=128 --width=768 --type=f16 --time

The error of a block is that against the same block in f64, which may be twice torch's own
error. Times are of the device, under a CUDA graph.
"""

import argparse
import copy
import json
import pathlib
import statistics
import sys

import torch
import torch.nn.functional as F
from torch import nn

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))  # unless the wheel is installed
import hone_torch

# ---- Blocks ------------------------------------------------------------------------------------


class Attention(nn.Module):
    def __init__(self, width, heads, tokens, bias, rotary, fused):
        super().__init__()
        self.heads, self.rotary, self.fused = heads, rotary, fused
        self.into, self.out = nn.Linear(width, 3 * width, bias), nn.Linear(width, width, bias)
        self.register_buffer("mask", torch.ones(tokens, tokens, dtype=torch.bool).tril())
        size = width // heads
        angles = torch.arange(tokens)[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def rotate(self, x):
        """Rotary position embedding, of halves."""
        a, b = x.chunk(2, -1)
        return torch.cat([a * self.cos - b * self.sin, b * self.cos + a * self.sin], -1)

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = (t.view(batch, tokens, self.heads, -1).transpose(1, 2) for t in self.into(x).split(width, -1))
        if self.rotary:
            q, k = self.rotate(q), self.rotate(k)
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5)
            y = torch.where(self.mask, scores, float("-inf")).softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(batch, tokens, width))


class Gpt2(nn.Module):
    def __init__(self, width, heads, tokens, fused):
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, tokens, bias=True, rotary=False, fused=fused)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.down(F.gelu(self.up(self.second(x)), approximate="tanh"))


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * self.weight


class Llama(nn.Module):
    def __init__(self, width, heads, tokens, fused):
        super().__init__()
        self.first, self.second = RmsNorm(width), RmsNorm(width)
        self.attention = Attention(width, heads, tokens, bias=False, rotary=True, fused=fused)
        hidden = 8 * width // 3 // 64 * 64
        self.gate, self.up = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        x = x + self.attention(self.first(x))
        y = self.second(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


BLOCKS = {"gpt2": Gpt2, "llama": Llama}
TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}

# ---- Right, and how fast -----------------------------------------------------------------------


def check(block, exact, x, compiled):
    """The largest errors of Hone's and of torch's results, in units of the results' deviation."""
    reference = exact(x.double())
    hone, torch_ = ((f(x).double() - reference).abs().max() / reference.std() for f in (compiled, block))
    return hone.item(), torch_.item()


def time_graphs(functions, x, rounds=20, launches=50):
    """Microseconds a call: medians over rounds in which the functions take turns. The results
    of the graphs are compared with those of the calls."""
    graphs, results, stream = {}, {}, torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for name, function in functions.items():
            for _ in range(3):
                function(x)
            stream.synchronize()
            graphs[name] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graphs[name], stream=stream):
                results[name] = function(x)
        times = {name: [] for name in functions}
        for _ in range(rounds):
            for name, graph in graphs.items():
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                graph.replay()
                begin.record(stream)
                for _ in range(launches):
                    graph.replay()
                end.record(stream)
                end.synchronize()
                times[name].append(begin.elapsed_time(end) * 1000 / launches)
        for name, function in functions.items():
            torch.testing.assert_close(
                results[name], function(x), rtol=1e-2, atol=1e-2, msg=lambda text: f"{name} in a graph: {text}"
            )
    return {name: (statistics.median(t), min(t), max(t)) for name, t in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("block", choices=BLOCKS)
    for name, default in (("batch", 4), ("tokens", 128), ("width", 768), ("heads", 12)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--type", choices=TYPES, default="f16")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--attention", choices=("fused", "spelled-out"), default="fused",
                        help="one op of torch's, or two products and a softmax")  # fmt: skip
    parser.add_argument("--rest", choices=("inductor", "hone"), default="inductor",
                        help="the compiler of other ops than products")  # fmt: skip
    parser.add_argument("--measure", action="store_true", help="take a product only where Inductor's code is slower")
    parser.add_argument("--arch", help="hone-pipeline's; the default fits the device")
    parser.add_argument("--options", default="", help="further ones of hone-pipeline")
    parser.add_argument("--time", action="store_true", help="also compare times with torch, under a CUDA graph")
    args = parser.parse_args()

    torch.manual_seed(0)
    exact = BLOCKS[args.block](args.width, args.heads, args.tokens, args.attention == "fused")
    block = copy.deepcopy(exact).to(args.device, TYPES[args.type]).requires_grad_(False)
    exact = copy.deepcopy(block).double()
    x = torch.randn(args.batch, args.tokens, args.width).to(args.device, TYPES[args.type])
    if args.rest == "hone":
        backend, options = hone_torch.Backend(args.arch, args.options), None
    else:
        backend = hone_torch.backend
        options = {"hone.arch": args.arch or "", "hone.pipeline": args.options, "hone.measure": args.measure}
    compiled = torch.compile(block, backend=backend, dynamic=False, options=options)
    hone, own = check(block, exact, x, compiled)
    print(json.dumps(backend.graphs, indent=1) if args.rest == "hone" else hone_torch.report())
    print(f"error {hone:.2e} hone, {own:.2e} torch")
    if args.time:
        functions = {"hone": compiled, "torch eager": block, "torch.compile": torch.compile(block, dynamic=False)}
        functions["max-autotune"] = torch.compile(block, dynamic=False, mode="max-autotune-no-cudagraphs")
        for name, (median, low, high) in time_graphs(functions, x).items():
            print(f"{median:8.1f} us {name} ({low:.1f} to {high:.1f})")
    if not hone <= 2 * own:
        sys.exit(f"error: expected an error of at most {2 * own:.2e}, but got {hone:.2e}")


if __name__ == "__main__":
    main()
