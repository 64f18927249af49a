"""Whole models from torch, with products by Hone inside Inductor: compile times, numbers and times.

    python models_torch.py gpt2 vit decoder1 decoder16 --type=f16
    python models_torch.py resnet32 convnext32 unet2 --type=f16 --channels-last

Each model is compiled by torch.compile, by its max-autotune, and with Hone. Times are of the device,
under CUDA graphs, in turns. Run it twice: the second compilation finds the caches.
"""

import argparse
import copy
import time

import torch
import torch.nn.functional as F
from torch import nn

import blocks_torch
import vision_torch
from blocks_torch import RmsNorm, hone_torch


class Encoder(nn.Module):
    """Layers of GPT-2, or of a vision transformer: the same without a mask and after patches."""

    def __init__(self, layers, tokens, is_causal):
        super().__init__()
        self.patches = None if is_causal else nn.Linear(3 * 16 * 16, 768)
        self.layers = nn.ModuleList(blocks_torch.Gpt2(768, 12, tokens, True) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(768), nn.Linear(768, 50257 if is_causal else 1000, bias=False)

    def forward(self, x):
        x = x if self.patches is None else self.patches(x)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


class DecoderLayer(nn.Module):
    """A step of one token with a cache of keys and values."""

    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads = heads
        self.first, self.second = RmsNorm(width), RmsNorm(width)
        self.into, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.gate_up, self.down = nn.Linear(width, 2 * hidden, bias=False), nn.Linear(hidden, width, bias=False)

    def forward(self, x, keys, values):
        batch, _, width = x.shape
        q, k, v = (t.view(batch, 1, self.heads, -1).transpose(1, 2) for t in self.into(self.first(x)).split(width, -1))
        keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        y = F.scaled_dot_product_attention(q, keys, values)
        x = x + self.out(y.transpose(1, 2).reshape(batch, 1, width))
        gate, up = self.gate_up(self.second(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class Decoder(nn.Module):
    """16 layers of 2048: about a billion parameters."""

    def __init__(self, layers=16, width=2048, heads=32, hidden=8192):
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(width, heads, hidden) for _ in range(layers))
        self.norm, self.head = RmsNorm(width), nn.Linear(width, 32000, bias=False)

    def forward(self, x, keys, values):
        for i, layer in enumerate(self.layers):
            x = layer(x, keys[i], values[i])
        return self.head(self.norm(x))


def caches(batch):
    return [torch.randn(16, batch, 32, 511, 64) for _ in range(2)]


MODELS = {
    "gpt2": lambda: (Encoder(12, 512, True), [torch.randn(4, 512, 768)]),
    "vit": lambda: (Encoder(12, 196, False), [torch.randn(32, 196, 768)]),
    "decoder1": lambda: (Decoder(), [torch.randn(1, 1, 2048), *caches(1)]),
    "decoder16": lambda: (Decoder(), [torch.randn(16, 1, 2048), *caches(16)]),
    **vision_torch.MODELS,
}


def measure(name, args):
    dtype, options = blocks_torch.TYPES[args.type], {"hone.database": args.database}
    torch.manual_seed(0)
    with torch.device("cuda"):
        model, inputs = MODELS[name]()
    model, inputs = model.eval().to(dtype).requires_grad_(False), [x.to(dtype) for x in inputs]
    if args.channels_last:
        last = {"memory_format": torch.channels_last}
        model, inputs = model.to(**last), [x.to(**last) if x.dim() == 4 else x for x in inputs]
    sides = {
        "hone": torch.compile(model, backend=hone_torch.backend, dynamic=False, options=options),
        "torch.compile": torch.compile(model, dynamic=False),
        "max-autotune": torch.compile(model, dynamic=False, mode="max-autotune-no-cudagraphs"),
    }
    if args.no_autotune:
        sides.pop("max-autotune")
    exact = copy.deepcopy(model).double()(*(x.double() for x in inputs))
    with torch.no_grad():
        for side, function in sides.items():
            begin = time.perf_counter()
            error = (function(*inputs).double() - exact).norm() / exact.norm()
            torch.cuda.synchronize()
            print(f"{name} {side}: compiled in {time.perf_counter() - begin:.1f} s, error {error.item():.2e}", flush=True)
        del exact
        report = hone_torch.report(clear=True)
        print("\n".join(sorted(set(str(report).splitlines()))))
        functions = {side: lambda _, f=function: f(*inputs) for side, function in sides.items()}
        for side, (median, low, high) in blocks_torch.time_graphs(functions, None, launches=10).items():
            print(f"{median:8.1f} us {name} {side} ({low:.1f} to {high:.1f})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", choices=MODELS)
    parser.add_argument("--type", choices=blocks_torch.TYPES, default="f16")
    parser.add_argument("--channels-last", action="store_true", help="images and filters of four dimensions")
    parser.add_argument("--no-autotune", action="store_true", help="without Inductor's max-autotune")
    parser.add_argument("--database", default="", help="measured schedules, of hone_torch.tune")
    args = parser.parse_args()
    for name in args.models:
        measure(name, args)


if __name__ == "__main__":
    main()
