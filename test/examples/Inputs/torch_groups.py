"""Checks which ops examples/frontends/hone_torch.py gives to Hone or to torch, forward and
backward, and the numbers against torch's."""

import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, sys.argv[1])
import hone_torch


def show(what, function, *inputs, **options):
    torch._dynamo.reset()
    backend = hone_torch.Backend(**options)
    ours, theirs = torch.compile(function, backend=backend, dynamic=False)(*inputs), function(*inputs)
    torch.testing.assert_close(ours, theirs, rtol=2e-2, atol=2e-2)
    [graph] = backend.graphs
    print(f"{what}: {graph['functions']}")


torch.manual_seed(0)
x, r, w, v = (torch.randn(16, 16, dtype=torch.float16) / 4 for _ in range(4))
b = torch.randn(16, dtype=torch.float16)
show("chain", lambda x, w, b: F.gelu(torch.addmm(b, x, w)) * 2, x, w, b)
show("residual", lambda x, w, r: r + x @ w, x, w, r)
show("reshaped", lambda x, w, r: (x @ w).view(4, 4, 16) + r.view(4, 4, 16), x, w, r)
show("gate", lambda x, w, v: F.silu(x @ w) * (x @ v), x, w, v)
show("two readers", lambda x, w: (F.relu(x @ w), (x @ w).sum()), x, w)
show("read twice", lambda x, w: (lambda y: (F.relu(y), y + 1))(x @ w), x, w)
show("converging", lambda x, w: (lambda y: F.relu(y) + y * 2)(x @ w), x, w)
show("around", lambda x, w: (lambda y: y + y.sum(0))(x @ w), x, w)
show("second product", lambda x, w, v: (x @ w + 1) @ v, x, w, v)
show("transposed", lambda x, w, v: x.t() @ w.t() + (x @ v.t()).t(), x, w, v)
show("integers", lambda x, w: (x @ w) * 0.5, torch.ones(4, 4, dtype=torch.int64), torch.ones(4, 4, dtype=torch.int64))

# A tensor of another layout than the one that was compiled for is copied.
torch.testing.assert_close(hone_torch.lay_out(w.t(), w.stride()), w.t())
print("laid out:", hone_torch.lay_out(w.t(), w.stride()).stride(), hone_torch.lay_out(w, w.stride()) is w)

# Training: products of both graphs.
torch._dynamo.reset()
layer = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 16))
x = torch.randn(8, 16)
layer(x).square().sum().backward()
expected = [p.grad.clone() for p in layer.parameters()]
layer.zero_grad()
backend = hone_torch.Backend()
torch.compile(layer, backend=backend, dynamic=False)(x).square().sum().backward()
for parameter, gradient in zip(layer.parameters(), expected):
    torch.testing.assert_close(parameter.grad, gradient, rtol=1e-4, atol=1e-4)
print("training:", [len(graph["functions"]) for graph in backend.graphs])
