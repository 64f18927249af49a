"""Checks which ops examples/frontends/hone_jax.py gives to Hone or to XLA, and the numbers against XLA's."""

import sys

import jax
import jax.numpy as jnp
import numpy as np

sys.path.insert(0, sys.argv[1])
import hone_jax
import xla_ffi


def show(what, function, *inputs):
    reports = []
    ours = jax.jit(hone_jax.accelerate(function, reports=reports))(*inputs)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(np.float32(a), np.float32(b), 2e-2, 2e-2),
                 ours, jax.jit(function)(*inputs))  # fmt: skip
    print(f"{what}: {reports[0]['functions']}")


keys = jax.random.split(jax.random.key(0), 4)
x, r, w, v = ((jax.random.normal(key, (16, 16)) / 4).astype(jnp.bfloat16) for key in keys)
show("chain", lambda x, w: jax.nn.silu(x @ w) * 2, x, w)
show("residual", lambda x, w, r: r + x @ w, x, w, r)
show("gate", lambda x, w, v: jax.nn.silu(x @ w) * (x @ v), x, w, v)
show("read twice", lambda x, w: (lambda y: (jax.nn.relu(y), y + 1))(x @ w), x, w)
show("around", lambda x, w: (lambda y: y + y.sum(0))(x @ w), x, w)
show("returned", lambda x, w: (lambda y: (y, y + 1))(x @ w), x, w)
show("a tree", lambda t: {"y": t["x"] @ t["w"], "x": t["x"], "one": 1.0}, {"x": x, "w": w})
show("gradient", jax.grad(lambda x, w: jax.nn.relu(x @ w).sum()), x, w)
stack, sizes = jnp.stack([w, v]), jnp.array([5, 11])
show("experts", lambda *args: jax.nn.silu(jax.lax.ragged_dot(*args)), x, stack, sizes)
show("batches", jax.vmap(jax.lax.ragged_dot), *map(jnp.stack, ([x, r], [stack, stack], [sizes, sizes])))
show("loop", lambda x, w: jax.lax.fori_loop(0, 2, lambda i, y: y @ w, x), x, w)
ours = hone_jax.accelerate(lambda x, w: x @ w)
print("not jitted:", bool(jnp.allclose(ours(x, w), x @ w, 2e-2, 2e-2)))
try:
    jax.jit(hone_jax.accelerate(lambda x, w: x @ w, arch="sm_80"))(x, w)
except Exception as error:
    print("elsewhere:", str(error).splitlines()[0][:60])


def fail(stream, pointers):
    raise RuntimeError(f"expected no call, but got {len(pointers)} buffers")


xla_ffi.register("fails", fail, "cpu")
try:
    jax.ffi.ffi_call("fails", [jax.ShapeDtypeStruct((2,), jnp.float32)])(jnp.ones(3))[0].block_until_ready()
except Exception as error:
    print("failing:", str(error).splitlines()[0])
