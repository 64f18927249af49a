"""Compares every op of python/hone_torch/aten.py with torch, on the host, and checks that an
unsupported op is named."""

import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, sys.argv[1])
import hone_torch
from hone_torch import aten

TOLERANCES = {torch.float32: 2e-5, torch.float16: 5e-3, torch.bfloat16: 4e-2}


def cases(x, y, w, b, mask, ends):
    """x and y are 4 x 6 x 8, w is 8 x 16, b has 16 elements, mask is 6 x 8; four groups of 24 rows have ends."""
    flat, positive = x.reshape(24, 8), x.abs() + 0.5
    yield "products", (flat @ w, torch.addmm(b, flat, w), torch.addmm(flat @ w, flat, w), x @ y.transpose(1, 2))
    yield "strided", (x.transpose(0, 1) @ y.permute(1, 2, 0)[:, :, :3], x[:, 1:3].reshape(8, 8) @ w)
    ones, stack = (torch.where(each > 0, 1.0, -1.0).bfloat16() for each in (flat, y))  # whose sums are exact
    yield "groups", (F.grouped_mm(ones, stack.transpose(1, 2), offs=ends), F.grouped_mm(ones.t(), ones, offs=ends))
    image, kernel = x.reshape(1, 8, 4, 6), w.reshape(4, 8, 2, 2)
    yield "windows", (F.conv2d(image, kernel, b[:4], padding=1), F.conv1d(x, kernel[:, :6, 0], stride=2, dilation=3))
    each, some = w.reshape(8, 1, 4, 4), w[:, :4].reshape(8, 4, 1, 1)
    yield "channels", (F.conv2d(image, each, padding=(1, 2), groups=8), F.conv2d(image, some, groups=2))
    yield "arithmetic", (x + y, x - y, x * y, x / positive, torch.add(x, y, alpha=2), torch.sub(x, y, alpha=0.5))
    yield "numbers", (x + 2, x - 0.5, 3 * x, x / 7, 1 - x, -x, x.abs(), torch.maximum(x, y), torch.minimum(x, y))
    yield "functions", (x.exp(), x.tanh(), x.erf(), positive.rsqrt(), positive.sqrt(), x.sin(), x.cos())
    yield "activations", (F.relu(x), x.sigmoid(), F.silu(x), F.gelu(x), F.gelu(x, approximate="tanh"))
    yield "logs", (positive.log(), positive.log1p(), (x * 1e-4).log1p(), (x.abs() * 1e30).log1p(), (x * 1e-4).expm1())
    yield "large", ((x * 1e3).expm1(), (x * -50).expm1(), (x * 0).expm1(), (x * 0).log1p())
    yield "clamps", (x.clamp(-0.5, 0.5), x.clamp(max=0.5), torch.clamp_min(x, 0.1), torch.clamp_max(x, 0.1))
    yield "comparisons", tuple(torch.where(c, x, y) for c in (x > y, x < y, x >= y, x <= y, x == y, x != y))
    yield "signs", tuple(torch.where(c, x, -1.0) for c in (x > 0, x < 0, x >= 0, x <= 0, x == 0, x != 0))
    yield "powers", (x**2, x**3, positive**0.5, positive**-0.5, positive**-1, positive**1.7, positive.reciprocal())
    yield "types", (x.float(), x.half(), x.bfloat16(), x.double() * 2, x * b[:8].float(), mask.to(x.dtype))
    yield "choices", (torch.where(mask, x, y), torch.where(mask, x, -1.0), x.masked_fill(mask, -1.0))
    yield "views", (x.unsqueeze(1).squeeze(1) + 1, x.unsqueeze(0).squeeze() + 1, x.clone().detach() + 1)
    yield "orders", (x.permute(2, 0, 1) + 1, w.t() + 1, x.reshape(4, 2, 3, 8).transpose(1, 2).reshape(4, 6, 8) + 1)
    yield "parts", (x[:, 1:5:2, -4:] + 1, x[:, 2] + 1, x.select(-1, -3) + 1, b.expand(3, 16) + 1)
    yield "splits", tuple(part + 1 for part in (*x.split(2, 1), *torch.split(x, [1, 5], 1), *x.chunk(2, -1)))
    yield "joined", (torch.cat([x, y], 1), torch.cat([x, y, x], -1), torch.full((2, 3), 1.5, dtype=x.dtype) + b[:3])
    yield "sums", (x.sum(-1), x.sum((0, 2), keepdim=True), x.mean(1), x.mean((0, 1)), x.amax(-1, keepdim=True))
    yield "softmax", (x.softmax(-1), x.softmax(1, dtype=torch.float32))
    yield "norms", (F.layer_norm(x, (8,)), F.layer_norm(x, (6, 8), y[0], y[1]))


def check(dtype, seen):
    torch.manual_seed(0)
    shapes = ((4, 6, 8), (4, 6, 8), (8, 16), (16,))
    inputs = [torch.randn(shape).to(dtype) for shape in shapes] + [torch.rand(6, 8) > 0.5]
    inputs.append(torch.tensor([5, 5, 23, 24], dtype=torch.int32))
    names = [name for name, _ in cases(*inputs)]
    backend = hone_torch.Backend()
    for at, name in enumerate(names):
        torch._dynamo.reset()
        compiled = torch.compile(lambda *args: tuple(cases(*args))[at][1], backend=backend, dynamic=False)
        for ours, theirs in zip(compiled(*inputs), tuple(cases(*inputs))[at][1], strict=True):
            tolerance = TOLERANCES[dtype]
            torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance, msg=lambda m: f"{name}: {m}")
    seen.update(word for graph in backend.graphs for function in graph["functions"] for word in function.split())
    print(f"{dtype}: {len(names)} groups of ops alike")


def expect_error(what, function, *inputs, **options):
    torch._dynamo.reset()
    try:
        torch.compile(function, backend=hone_torch.Backend(), **options)(*inputs)
    except Exception as error:
        print(f"{what}: {str(error).splitlines()[1]}")
    else:
        print(f"{what}: no error")


seen = set()
for dtype in TOLERANCES:
    check(dtype, seen)
# Inductor's graphs have reshape and convert_element_type.
expected = (str(op) for op in aten.EMITTERS if "aten." in str(op) and "reshape" not in str(op))
print("not seen:", sorted(op for op in expected if op not in seen))
expect_error("unknown", lambda x: x.cumsum(0) + 1, torch.ones(4, 4))
expect_error("dynamic", lambda x: x * 2, torch.ones(4, 4), dynamic=True)
expect_error("complex", lambda x: x * 2, torch.ones(4, dtype=torch.complex64))
expect_error("alpha", lambda a, b: torch.addmm(a, a, b, alpha=2), torch.ones(4, 4), torch.ones(4, 4))
expect_error("transposed", F.conv_transpose1d, torch.ones(1, 4, 8), torch.ones(4, 4, 3))
