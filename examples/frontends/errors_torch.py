"""Errors of f32 products on a GPU against f64: torch's, and Hone's three ways to compute them.

    python errors_torch.py

A line has the norm of the error over that of the result, and the largest error of an element over
the product of its factors' absolute values.
"""

import pathlib
import sys

import torch

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))  # unless the wheel is installed
from hone_torch import inductor, op

SHAPES = ((512, 512, 64), (512, 512, 1024), (512, 512, 8192), (256, 256, 131072), (1, 4096, 4096), (1, 1001, 4096))
DRAWS = {
    "normal": lambda x: x,
    "uniform": lambda x: torch.rand_like(x),
    "wide": lambda x: x * torch.exp(3 * torch.randn_like(x)),
    "relu": lambda x: x.relu(),
    "tiny": lambda x: x * 1e-38,
    "infinite": lambda x: x.masked_fill(x > 4, torch.inf),
}


def by_hone(a, b, f32):
    spec = inductor.spec_of_matmul(*((tuple(t.shape), t.stride(), t.dtype) for t in (a, b)), f"f32={f32}")
    return op.product([a, b], [a.shape[0], b.shape[1]], [], spec)


def main():
    torch.manual_seed(0)
    for draw, change in DRAWS.items():
        for m, n, k in SHAPES:
            a, b = change(torch.randn(m, k, device="cuda")), torch.randn(k, n, device="cuda")
            b = b if draw in ("tiny", "infinite") else change(b)
            exact, sizes = a.double() @ b.double(), a.double().abs() @ b.double().abs()
            results = {"torch": a @ b, **{f32: by_hone(a, b, f32) for f32 in ("exact", "tf32x3", "tf32")}}
            words = []
            for side, result in results.items():
                error = (result.double() - exact)[exact.isfinite()]
                norm = (error.norm() / exact[exact.isfinite()].norm()).item()
                largest = (error.abs() / sizes[exact.isfinite()]).max().item()
                words.append(f"{side} {norm:.1e} {largest:.1e}")
            print(f"{draw:8} {m} x {n} x {k}: {'; '.join(words)}", flush=True)


if __name__ == "__main__":
    main()
