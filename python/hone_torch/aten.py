"""Writes ops of an FX graph of ATen ops as linalg.

`EMITTERS` has a function for each op that is known: it takes the linalg.Function, the node, and
the node's arguments, tensors as linalg.Value. `KINDS` says which of them are products, which fuse
into a product, and which only rename elements.
"""

import math
import operator

import torch
from torch.fx import Node

from . import channels, linalg, products
from .interface import Error
from .linalg import Value

aten = torch.ops.aten

DTYPES = {
    torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
    torch.bool: "i1", torch.int32: "i32", torch.int64: "i64",
}  # fmt: skip

EMITTERS, KINDS, emits = products.tables()


def size_of(size):
    """An extent or a stride: a number, or a linalg.Extent for a symbol."""
    if isinstance(size, torch.SymInt):
        size = size.node.expr
        size = int(size) if size.is_number else linalg.Extent(size)
    return size


def hint_of(size):
    """A number: that of the example for a symbol."""
    return size if isinstance(size, int) else size.node.hint


def type_of(node):
    """The (shape, element type) of a node's result, which must be a tensor."""
    fake = node.meta.get("val")
    if not isinstance(fake, torch.Tensor):
        raise Error(f"expected a tensor, but got {fake} of '{node.name}'")
    if fake.dtype not in DTYPES:
        raise Error(f"expected elements of {', '.join(DTYPES.values())}, but got {fake.dtype} of '{node.name}'")
    return tuple(map(size_of, fake.shape)), DTYPES[fake.dtype]


def emit(function, values, node):
    """Writes one node; `values` maps nodes to linalg.Value, or tuples of them."""
    if node.target not in EMITTERS:
        raise Error(f"expected an op that the exporter knows, but got '{node.target}' of '{node.name}'")
    args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda n: Box(values.get(n)))
    args, kwargs = unbox(args), unbox(kwargs)
    values[node] = EMITTERS[node.target](function, node, *args, **kwargs)


class Box:
    """Keeps map_arg, which looks into tuples, out of a value."""

    def __init__(self, value):
        self.value = value


def unbox(arg):
    if isinstance(arg, Box):
        return arg.value
    if isinstance(arg, (list, tuple)):
        return [unbox(each) for each in arg]
    return {key: unbox(each) for key, each in arg.items()} if isinstance(arg, dict) else arg


# ---- Products --------------------------------------------------------------------------------


@emits(products.PRODUCT, aten.mm.default)
def mm(f, node, a, b):
    if isinstance(a, linalg.Rows):
        return f.grouped(a, b, None, a.dtype)
    return f.contract("mk,kn->mn", a, b, a.dtype)


@emits(products.PRODUCT, aten.bmm.default)
def bmm(f, node, a, b):
    return f.contract("bmk,bkn->bmn", a, b, a.dtype)


@emits(products.PRODUCT, aten.addmm.default)
def addmm(f, node, bias, a, b, *, beta=1, alpha=1):
    if (alpha, beta) != (1, 1):
        raise Error(f"expected alpha and beta of '{node.name}' to be 1, but got {alpha} and {beta}")
    shape, _ = type_of(node)
    bias = f.convert(bias, linalg.wide(a.dtype))
    if bias.shape != shape:
        bias = f.broadcast(bias, shape, range(2 - len(bias.shape), 2))
    return f.contract("mk,kn->mn", a, b, a.dtype, init=bias)  # rounded once, as cuBLAS does


@emits(products.PRODUCT, aten._grouped_mm.default)
def grouped_mm(f, node, a, b, offs=None, bias=None, out_dtype=None):
    if offs is None or bias is not None or (len(a.shape), len(b.shape)) not in ((2, 3), (2, 2)):
        raise Error(f"expected '{node.name}' to multiply a matrix of groups of rows by a matrix for each, or groups of "
                    f"columns by rows, without a bias, but got {linalg.spell(a.shape)[:-1]} by "
                    f"{linalg.spell(b.shape)[:-1]}")  # fmt: skip
    return f.grouped(a, b, offs, type_of(node)[1])


@emits(products.PRODUCT, aten.convolution.default)
def convolution(f, node, x, filters, bias, steps, padding, dilation, is_transposed, output_padding, groups):
    """On values in the order of convolutions.py."""
    dtype = type_of(node)[1]
    if 1 < groups < x.shape[-1]:
        result = multiply_groups(f, x, filters, groups, linalg.wide(dtype) if bias else dtype)
    else:
        if f.needs_lines and channels.has_few_channels(node):
            x, filters = channels.widen(f, x, filters, steps[-1], padding[-1], dilation[-1], node.meta["val"].itemsize)
            steps, padding = [*steps[:-1], 1], [*padding[:-1], 0]
        x = f.pad(x, [0, *padding, 0])
        if groups > 1:
            filters = f.reshape(filters, (*filters.shape[:-2], filters.shape[-1]))
        result = f.convolve(x, filters, steps, dilation, is_depthwise=groups > 1)
    if bias is not None:
        result = f.map(result.dtype, lambda s, v, b: s.add(v, b), result, f.reshape(bias, (bias.shape[0],)))
    return f.convert(result, dtype)


def multiply_groups(f, x, filters, groups, dtype):
    """A convolution of one element in groups of channels: a product for each group, summed in f32."""
    *places, width = x.shape
    count, depth = filters.shape[0], width // groups
    x = f.reshape(x, (math.prod(places), groups, depth))
    filters = f.reshape(filters, (groups, count // groups, depth))
    return f.reshape(f.contract("mgk,gnk->mgn", x, filters, dtype), (*places, count))


# ---- Elementwise -----------------------------------------------------------------------------


def elementwise(f, node, body, *args):
    """`body` on tensors and numbers alike."""
    tensors = [arg for arg in args if isinstance(arg, Value)]

    def with_constants(s, *names):
        names = iter(names)
        return body(s, *(next(names) if isinstance(arg, Value) else s.constant(arg) for arg in args))

    return f.map(type_of(node)[1], with_constants, *tensors)


UNARY = {
    aten.neg.default: lambda s, x: s.neg(x),
    aten.exp.default: lambda s, x: s.exp(x),
    aten.tanh.default: lambda s, x: s.tanh(x),
    aten.erf.default: lambda s, x: s.erf(x),
    aten.rsqrt.default: lambda s, x: s.rsqrt(x),
    aten.sqrt.default: lambda s, x: s.sqrt(x),
    aten.abs.default: lambda s, x: s.abs(x),
    aten.sin.default: lambda s, x: s.sin(x),
    aten.cos.default: lambda s, x: s.cos(x),
    aten.relu.default: lambda s, x: s.max(x, s.constant(0)),
    aten.sigmoid.default: lambda s, x: s.sigmoid(x),
    aten.silu.default: lambda s, x: s.mul(x, s.sigmoid(x)),
    aten.reciprocal.default: lambda s, x: s.power(x, -1),
    aten.log.default: lambda s, x: s.log(x),
    aten.log1p.default: lambda s, x: s.log1p(x),
    aten.expm1.default: lambda s, x: s.expm1(x),
}
BINARY = {
    aten.mul.Tensor: lambda s, a, b: s.mul(a, b),
    aten.div.Tensor: lambda s, a, b: s.div(a, b),
    aten.rsub.Scalar: lambda s, a, b: s.sub(b, a),
    aten.maximum.default: lambda s, a, b: s.max(a, b),
    aten.minimum.default: lambda s, a, b: s.min(a, b),
    aten.clamp_min.default: lambda s, x, low: s.max(x, low),
    aten.clamp_max.default: lambda s, x, high: s.min(x, high),
}


@emits(products.ELEMENTWISE, *UNARY, *BINARY)
def plain(f, node, *args):
    return elementwise(f, node, (UNARY | BINARY)[node.target], *args)


@emits(products.ELEMENTWISE, aten.add.Tensor, aten.sub.Tensor)
def add(f, node, a, b, alpha=1):
    op = "add" if node.target is aten.add.Tensor else "sub"
    scale = (lambda s, x: x) if alpha == 1 else (lambda s, x: s.mul(x, s.constant(alpha)))
    return elementwise(f, node, lambda s, x, y: getattr(s, op)(x, scale(s, y)), a, b)


@emits(products.ELEMENTWISE, aten.gelu.default)
def gelu(f, node, x, *, approximate="none"):
    def by_erf(s, x):
        half = s.mul(x, s.constant(0.5))
        return s.mul(half, s.add(s.constant(1.0), s.erf(s.mul(x, s.constant(math.sqrt(0.5))))))

    def by_tanh(s, x):
        inner = s.add(x, s.mul(s.constant(0.044715), s.power(x, 3)))
        tanh = s.tanh(s.mul(s.constant(math.sqrt(2 / math.pi)), inner))
        return s.mul(s.mul(x, s.constant(0.5)), s.add(s.constant(1.0), tanh))

    return elementwise(f, node, by_tanh if approximate == "tanh" else by_erf, x)


@emits(products.ELEMENTWISE, aten.pow.Tensor_Scalar)
def power(f, node, x, exponent):
    return elementwise(f, node, lambda s, x: s.power(x, exponent), x)


@emits(products.ELEMENTWISE, aten.clamp.default)
def clamp(f, node, x, low=None, high=None):
    if low is not None:
        x = elementwise(f, node, lambda s, x, y: s.max(x, y), x, low)
    return x if high is None else elementwise(f, node, lambda s, x, y: s.min(x, y), x, high)


COMPARISONS = {op: word for word in ("eq", "ne", "lt", "le", "gt", "ge")
               for op in (getattr(aten, word).Scalar, getattr(aten, word).Tensor)}  # fmt: skip


@emits(products.ELEMENTWISE, *COMPARISONS)
def compare(f, node, a, b):
    return elementwise(f, node, lambda s, x, y: s.compare(COMPARISONS[node.target], x, y), a, b)


@emits(products.ELEMENTWISE, aten._to_copy.default, torch.ops.prims.convert_element_type.default)
def convert(f, node, x, *args, **kwargs):
    return f.convert(x, type_of(node)[1])


@emits(products.ELEMENTWISE, aten.where.self)
def where(f, node, condition, a, b):
    return elementwise(f, node, lambda s, c, x, y: s.select(c, x, y), condition, a, b)


@emits(products.OTHER, aten.masked_fill.Scalar)
def masked_fill(f, node, x, mask, value):
    return elementwise(f, node, lambda s, c, x, v: s.select(c, v, x), mask, x, value)


# ---- Views -----------------------------------------------------------------------------------


@emits(products.VIEW, aten.view.default, aten._unsafe_view.default, aten.reshape.default)
@emits(products.VIEW, aten.unsqueeze.default, aten.squeeze.dim, aten.squeeze.default)
def view(f, node, x, *args):
    return f.reshape(x, type_of(node)[0])


@emits(products.OTHER, aten.clone.default, aten.detach.default)
def same(f, node, x, **kwargs):
    return x


@emits(products.OTHER, aten.permute.default)
def permute(f, node, x, order):
    return f.transpose(x, [dim % len(order) for dim in order])


@emits(products.OTHER, aten.transpose.int)
def transpose(f, node, x, i, j):
    order = list(range(len(x.shape)))
    order[i], order[j] = order[j], order[i]
    return f.transpose(x, order)


@emits(products.OTHER, aten.t.default)
def t(f, node, x):
    return f.transpose(x, list(range(len(x.shape)))[::-1])


@emits(products.OTHER, aten.expand.default)
def expand(f, node, x, sizes):
    shape, _ = type_of(node)
    return x if x.shape == shape else f.broadcast(x, shape, range(len(shape) - len(x.shape), len(shape)))


@emits(products.OTHER, aten.slice.Tensor)
def cut(f, node, x, dim=0, start=None, end=None, step=1):
    start = 0 if start is None else start + x.shape[dim] if start < 0 else start
    return slice_of(f, x, dim % len(x.shape), min(start, x.shape[dim]), type_of(node)[0][dim], step)


@emits(products.OTHER, aten.select.int)
def select(f, node, x, dim, index):
    dim = dim % len(x.shape)
    return f.reshape(slice_of(f, x, dim, index % x.shape[dim], 1), type_of(node)[0])


@emits(products.OTHER, aten.split.Tensor, aten.split_with_sizes.default)
def split(f, node, x, size, dim=0):
    dim = dim % len(x.shape)
    sizes, at, parts = [part.shape[dim] for part in node.meta["val"]], 0, []
    for each in sizes:
        parts.append(slice_of(f, x, dim, at, each))
        at += each
    return tuple(parts)


def slice_of(f, x, dim, start, size, step=1):
    offsets, sizes, strides = [0] * len(x.shape), list(x.shape), [1] * len(x.shape)
    offsets[dim], sizes[dim], strides[dim] = start, size, step
    return f.slice(x, offsets, sizes, strides)


@emits(products.OTHER, aten.cat.default)
def cat(f, node, values, dim=0):
    return f.concatenate(values, dim % len(values[0].shape))


@emits(products.OTHER, aten.full.default, aten.scalar_tensor.default)
def full(f, node, *args, **kwargs):
    shape, dtype = type_of(node)
    return f.full(shape, args[-1], dtype)


def getitem(f, node, values, index):
    return values[index]


EMITTERS[operator.getitem] = getitem

# ---- Sums ------------------------------------------------------------------------------------


@emits(products.OTHER, aten.sum.dim_IntList, aten.mean.dim)
def total(f, node, x, dims, keep=False, *, dtype=None):
    dtype = type_of(node)[1]
    dims = dims or range(len(x.shape))
    result = f.reduce(x, dims, "add", linalg.wide(dtype), keep)
    if node.target is aten.mean.dim:
        count = math.prod(x.shape[dim] for dim in dims)
        result = f.map(result.dtype, lambda s, v: s.div(v, s.constant(count)), result)
    return f.convert(result, dtype)


@emits(products.OTHER, aten.amax.default)
def amax(f, node, x, dims, keep=False):
    return f.reduce(x, dims, "max", x.dtype, keep)


@emits(products.OTHER, aten._softmax.default)
def softmax(f, node, x, dim, half_to_float):
    wide = linalg.wide(x.dtype)
    top = f.reduce(x, [dim], "max", wide, keep=True)
    powers = f.map(wide, lambda s, v, t: s.exp(s.sub(v, t)), x, top)
    sums = f.reduce(powers, [dim], "add", wide, keep=True)
    return f.map(type_of(node)[1], lambda s, v, t: s.div(v, t), powers, sums)


@emits(products.OTHER, aten.native_layer_norm.default)
def layer_norm(f, node, x, shape, weight, bias, epsilon):
    dims = range(len(x.shape) - len(shape), len(x.shape))
    count, wide = math.prod(shape), linalg.wide(x.dtype)
    sums = f.reduce(x, dims, "add", wide, keep=True)
    mean = f.map(wide, lambda s, v: s.div(v, s.constant(count)), sums)
    centred = f.map(wide, lambda s, v, m: s.sub(v, m), x, mean)
    squares = f.reduce(f.map(wide, lambda s, v: s.mul(v, v), centred), dims, "add", wide, keep=True)
    scale = f.map(wide, lambda s, v: s.rsqrt(s.add(s.div(v, s.constant(count)), s.constant(epsilon))), squares)
    result = f.map(wide, lambda s, v, r: s.mul(v, r), centred, scale)
    if weight is not None:
        result = f.map(wide, lambda s, v, w: s.mul(v, w), result, weight)
    if bias is not None:
        result = f.map(wide, lambda s, v, b: s.add(v, b), result, bias)
    return f.convert(result, x.dtype), mean, scale


def kind_of(node, dtypes):
    """The kind of a node for products.take_groups: products of other types than `dtypes` are none."""
    kind = KINDS.get(node.target, products.OTHER)
    if kind != products.OTHER and DTYPES.get(getattr(node.meta.get("val"), "dtype", None)) is None:
        return products.OTHER
    if kind == products.PRODUCT and {type_of(each)[1] for each in node.all_input_nodes} - dtypes:
        return products.OTHER
    return kind
