"""Models, draws and comparisons of the checks of torch.compile(backend="hone")."""

import sys

import torch
from torch import nn

import hone_torch

DEVICE = sys.argv[1]
TAKE_ALL = {"hone.measure": False}
MEASURE_ALL = {"hone.min_gain": -2.0}


def compiled(model, take=TAKE_ALL, **options):
    torch._dynamo.reset()
    hone_torch.report(clear=True)
    return torch.compile(model, backend="hone", options=take, **options)


def mlp(dtype=torch.float32, device=DEVICE):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64)).to(device, dtype)


def draw(*shape, dtype=torch.float32, device=DEVICE):
    return torch.randn(*shape).to(device, dtype)


def error(ours, theirs, exact):
    """Of ours, in units of torch's own and a rounding."""
    scale = exact.std()
    ours, theirs = ((each.double() - exact).abs().max() / scale for each in (ours, theirs))
    return (ours / (theirs + 1e-6)).item()


def check(what, right, detail=""):
    print(f"{what}: {'right' if right else 'wrong'} {detail}".rstrip(), flush=True)


def pairs(*sides):
    """The tensors of two results."""
    return zip(*((each,) if torch.is_tensor(each) else each for each in sides))


def ops():
    return ", ".join(entry.op for entry in hone_torch.report().taken)
