"""Transformer blocks from JAX, by Hone: checks the numbers, and times them.

    python blocks_jax.py llama --batch=4 --tokens=128 --width=768 --type=bf16 --time

The error of a block is that against the same block in f32, which may be twice XLA's own error.
Times are those of one program with twenty blocks, each of which reads the one before it; XLA makes
a CUDA graph of it.
"""

import argparse
import functools
import json
import statistics
import sys
import time

import jax
import jax.numpy as jnp

import hone_jax

TYPES = {"f16": jnp.float16, "bf16": jnp.bfloat16, "f32": jnp.float32}

# ---- Blocks ------------------------------------------------------------------------------------


def draw(key, width, hidden):
    """Weights of both blocks; each uses a part of them."""
    shapes = {"into": (width, 3 * width), "out": (width, width), "gate": (width, hidden), "up": (width, hidden),
              "down": (hidden, width)}  # fmt: skip
    keys = dict(zip(shapes, jax.random.split(key, len(shapes))))
    weights = {name: jax.random.normal(keys[name], shape) * shape[0] ** -0.5 for name, shape in shapes.items()}
    biases = {f"{name}_bias": jnp.linspace(-0.1, 0.1, shape[1]) for name, shape in shapes.items()}
    return {**weights, **biases, "first": jnp.ones(width), "second": jnp.ones(width)}


def layer_norm(x, scale):
    wide = x.astype(jnp.float32)
    centred = wide - wide.mean(-1, keepdims=True)
    return (centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)).astype(x.dtype) * scale


def rms_norm(x, scale):
    wide = x.astype(jnp.float32)
    return (wide * jax.lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-5)).astype(x.dtype) * scale


def rotate(x):
    """Rotary position embedding, of halves."""
    tokens, size = x.shape[1], x.shape[-1]
    steps = 10000.0 ** (-jnp.arange(0, size, 2) / size)
    angles = (jnp.arange(tokens)[:, None] * steps)[:, None]
    cos, sin = jnp.cos(angles).astype(x.dtype), jnp.sin(angles).astype(x.dtype)
    a, b = jnp.split(x, 2, -1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def attention(qkv, heads, turn):
    batch, tokens, width = qkv.shape[0], qkv.shape[1], qkv.shape[2] // 3
    q, k, v = (part.reshape(batch, tokens, heads, -1) for part in jnp.split(qkv, 3, -1))
    q, k = turn(q), turn(k)
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * (width // heads) ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones((tokens, tokens), bool)), scores, -jnp.inf)
    weights = jax.nn.softmax(scores.astype(jnp.float32), -1).astype(v.dtype)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(batch, tokens, width)


def gpt2(w, x, heads):
    qkv = layer_norm(x, w["first"]) @ w["into"] + w["into_bias"]
    x = x + (attention(qkv, heads, lambda t: t) @ w["out"] + w["out_bias"])
    hidden = jax.nn.gelu(layer_norm(x, w["second"]) @ w["up"] + w["up_bias"])
    return x + (hidden @ w["down"] + w["down_bias"])


def llama(w, x, heads):
    x = x + attention(rms_norm(x, w["first"]) @ w["into"], heads, rotate) @ w["out"]
    y = rms_norm(x, w["second"])
    return x + (jax.nn.silu(y @ w["gate"]) * (y @ w["up"])) @ w["down"]


BLOCKS = {"gpt2": gpt2, "llama": llama}

# ---- Right, and how fast -----------------------------------------------------------------------


def errors(results, reference):
    """The largest errors, in units of the reference's deviation."""
    return [(jnp.abs(y.astype(jnp.float32) - reference).max() / reference.std()).item() for y in results]


def time_stacks(stacks, w, x, depth, rounds=20, calls=10):
    """Microseconds a block: medians over rounds in which the functions take turns."""
    times = {name: [] for name in stacks}
    for _ in range(rounds):
        for name, stack in stacks.items():
            stack(w, x).block_until_ready()
            begin = time.perf_counter()
            for _ in range(calls):
                y = stack(w, x)
            y.block_until_ready()
            times[name].append((time.perf_counter() - begin) * 1e6 / calls / depth)
    return {name: (statistics.median(t), min(t), max(t)) for name, t in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("block", choices=BLOCKS)
    for name, default in (("batch", 4), ("tokens", 128), ("width", 768), ("heads", 12)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--type", choices=TYPES, default="f16")
    parser.add_argument("--rest", choices=("jax", "hone"), default="jax", help="the compiler of other ops than products")
    parser.add_argument("--arch", help="hone-pipeline's; the default fits the device")
    parser.add_argument("--options", default="", help="further ones of hone-pipeline")
    parser.add_argument("--time", action="store_true", help="also compare times with XLA")
    args = parser.parse_args()

    hidden = 4 * args.width if args.block == "gpt2" else 8 * args.width // 3 // 64 * 64
    keys = jax.random.split(jax.random.key(0))
    w = jax.tree.map(lambda t: t.astype(TYPES[args.type]), draw(keys[0], args.width, hidden))
    x = jax.random.normal(keys[1], (args.batch, args.tokens, args.width)).astype(TYPES[args.type])
    block, reports = functools.partial(BLOCKS[args.block], heads=args.heads), []
    ours = hone_jax.accelerate(block, args.arch, args.rest, args.options, reports)
    with jax.default_matmul_precision("highest"):
        reference = jax.jit(block)(*jax.tree.map(lambda t: t.astype(jnp.float32), (w, x)))
    hone, own = errors((jax.jit(ours)(w, x), jax.jit(block)(w, x)), reference)
    print(json.dumps(reports[0], indent=1))
    print(f"error {hone:.2e} hone, {own:.2e} xla")
    if args.time:
        depth = 20
        stacks = {
            name: jax.jit(lambda w, x, f=f: functools.reduce(lambda y, _: f(w, y), range(depth), x))
            for name, f in (("hone", ours), ("xla", block))
        }
        for name, (median, low, high) in time_stacks(stacks, w, x, depth).items():
            print(f"{median:8.1f} us {name} ({low:.1f} to {high:.1f})")
    if not hone <= (limit := max(2 * own, 1e-5)):  # in f32 the reference is XLA's own
        sys.exit(f"error: expected an error of at most {limit:.2e}, but got {hone:.2e}")


if __name__ == "__main__":
    main()
