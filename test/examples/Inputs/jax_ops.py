"""Compares every primitive of examples/frontends/lax.py with XLA, on the host, and checks that an
unsupported primitive is named."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax as jlax

sys.path.insert(0, sys.argv[1])
import hone_jax
import lax

TOLERANCES = {jnp.float32: 2e-5, jnp.float16: 5e-3, jnp.bfloat16: 4e-2}


def cases(x, y, w, b, mask):
    """x and y are 4 x 6 x 8, w is 8 x 16, b has 16 elements, mask is 6 x 8."""
    positive, numbers = jnp.abs(x) + 0.5, mask.astype(jnp.int32)
    yield "products", (x @ w + b, jnp.einsum("bqd,bkd->bqk", x, y), jnp.einsum("bqd,bkd->kbq", x, y), b @ b)
    rows, stack, sizes = x.reshape(24, 8), jnp.concatenate([w, -w, w]).reshape(3, 8, 16), jnp.array([5, 0, 19])
    ragged = lambda a, b: jlax.ragged_dot(a, b, sizes)
    yield "groups", (ragged(rows, stack), *jax.grad(lambda *args: jnp.square(ragged(*args)).sum(), (0, 1))(rows, stack))
    yield "arithmetic", (x + y, x - y, x * y, x / positive, 1 - x, 2 * x, -x, jnp.maximum(x, y), jnp.minimum(x, 0.5))
    yield "functions", (jnp.exp(x), jnp.tanh(x), jlax.erf(x), jlax.erfc(x), jlax.rsqrt(positive), jnp.sqrt(positive))
    yield "more", (jnp.log(positive), jnp.sin(x), jnp.cos(x), jnp.square(x), x**3, jnp.copy(x), jlax.stop_gradient(x))
    yield "activations", (jax.nn.relu(x), jax.nn.sigmoid(x), jax.nn.silu(x), jax.nn.gelu(x), jax.nn.gelu(x, False))
    yield "types", (x.astype(jnp.float32), x.astype(jnp.float16), x.astype(jnp.bfloat16), mask.astype(x.dtype))
    yield "choices", (jnp.where(mask, x, y), jnp.where(x > y, x, -1.0), jnp.where(x <= y, 1.0, y))
    yield "orders", (jnp.where(x < y, x, y), jnp.where(x >= y, x, y), jnp.where(x == x, x, y), jnp.where(x != x, x, y))
    yield "views", (x.reshape(24, 8) + 1, x[:, None] + 1, jnp.squeeze(x[:1]) + 1, x.transpose(2, 0, 1) + 1)
    yield "scalars", ((b @ b).reshape(1, 1) + 1, x[:1, 1:2, 2:3].reshape(()) + 1)
    yield "parts", (x[:, 1:5:2, 3:] + 1, *(part + 1 for part in jnp.split(x, 2, -1)), jnp.concatenate([x, y, x], 1))
    yield "broadcast", (jnp.broadcast_to(b, (3, 16)) + 1, jnp.full((2, 3), 1.5, x.dtype) + b[:3], x * numbers)
    yield "sums", (x.sum(-1), x.mean((0, 2)), x.max(1), jax.nn.softmax(x, -1))
    yield "gradient", (jax.grad(lambda v: (jnp.tanh(v @ w) * b).sum() + jnp.exp(v).sum())(x),)


def check(dtype, seen):
    keys = jax.random.split(jax.random.key(0), 5)
    shapes = ((4, 6, 8), (4, 6, 8), (8, 16), (16,))
    inputs = [jax.random.normal(key, shape).astype(dtype) for key, shape in zip(keys, shapes)]
    inputs.append(jax.random.bernoulli(keys[4], 0.5, (6, 8)))
    names, reports = [name for name, _ in cases(*inputs)], []
    for at, name in enumerate(names):
        function = lambda *args: tuple(cases(*args))[at][1]
        ours = jax.jit(hone_jax.accelerate(function, rest="hone", reports=reports))(*inputs)
        for a, b in zip(ours, jax.jit(function)(*inputs), strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape), f"{name}: {a.dtype}{a.shape} {b.dtype}{b.shape}"
            a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
            np.testing.assert_allclose(a, b, rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype], err_msg=name)
    seen.update(word for report in reports for function in report["functions"] for word in function.split())
    print(f"{dtype.__name__}: {len(names)} groups of primitives alike")


def expect_error(what, function, *inputs):
    try:
        jax.jit(hone_jax.accelerate(function, rest="hone"))(*inputs)
    except Exception as error:
        print(f"{what}: {str(error).splitlines()[0]}")
    else:
        print(f"{what}: no error")


seen = set()
for dtype in TOLERANCES:
    check(dtype, seen)
print("not seen:", sorted(set(lax.EMITTERS) - seen))
expect_error("unknown", lambda x: jnp.cumsum(x) + 1, jnp.ones(4))
expect_error("complex", lambda x: x * 2, jnp.ones(4, jnp.complex64))
expect_error("loop", lambda x: jlax.fori_loop(0, 3, lambda i, v: v * 2, x), jnp.ones(4))
