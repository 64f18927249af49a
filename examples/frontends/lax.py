"""Writes the equations of a jaxpr as linalg: `EMITTERS` has a function for each primitive that is
known, and `KINDS` says which are products, which fuse into one, and which only rename elements."""

from hone_torch import linalg, products
from hone_torch.interface import Error
from hone_torch.linalg import Value

DTYPES = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "bool": "i1", "int32": "i32",
    "int64": "i64",
}  # fmt: skip

EMITTERS, KINDS, emits = products.tables()


def type_of(aval):
    """The (shape, element type) of an abstract value."""
    if not all(isinstance(size, int) for size in aval.shape):
        raise Error(f"expected static extents, but got {aval}")
    if str(aval.dtype) not in DTYPES:
        raise Error(f"expected elements of {', '.join(DTYPES.values())}, but got {aval}")
    return tuple(aval.shape), DTYPES[str(aval.dtype)]


def emit(function, name, inputs, outputs, params):
    """Writes one equation. `inputs` are of linalg.Value or numbers, `outputs` abstract values; gives
    a linalg.Value for each of these."""
    if name not in EMITTERS:
        raise Error(f"expected a primitive that the exporter knows, but got '{name}'")
    results = EMITTERS[name](function, [type_of(aval) for aval in outputs], *inputs, **params)
    return [results] if isinstance(results, Value) else list(results)


def tensor(f, x, dtype):
    return x if isinstance(x, Value) else f.full((), x, dtype)


# ---- Products --------------------------------------------------------------------------------


@emits(products.PRODUCT, "dot_general")
def dot_general(f, outs, a, b, *, dimension_numbers, **_):
    (summed_a, summed_b), (batch_a, batch_b) = dimension_numbers
    left = linalg.letters(len(a.shape))
    right = list(linalg.letters(len(b.shape), used=left))
    for i, j in (*zip(summed_a, summed_b), *zip(batch_a, batch_b)):
        right[j] = left[i]
    free = [c for i, c in enumerate(left) if i not in (*summed_a, *batch_a)]
    free += [c for i, c in enumerate(right) if i not in (*summed_b, *batch_b)]
    result = "".join([*(left[i] for i in batch_a), *free])
    return f.contract(f"{left},{''.join(right)}->{result}", a, b, outs[0][1])


def orders_of(a, b, numbers):
    """Of the factors of a ragged product, the orders of dimensions that Hone has, [m, k] and [g, k, n], or [k, n] for
    ragged sums; none if it has no such product."""
    (summed_a, summed_b), (batches, _) = numbers.dot_dimension_numbers
    groups, is_sum = tuple(numbers.rhs_group_dimensions), numbers.lhs_ragged_dimensions[0] in summed_a
    ranks = (2, 2, 0) if is_sum else (2, 3, 1)
    if batches or len(summed_a) != 1 or (len(a.shape), len(b.shape), len(groups)) != ranks:
        return None
    columns = set(range(len(b.shape))) - {*summed_b, *groups}
    return (1 - summed_a[0], *summed_a), (*groups, *summed_b, *columns)


@emits(products.PRODUCT, "ragged_dot_general")
def ragged_dot_general(f, outs, a, b, sizes, *, ragged_dot_dimension_numbers, **_):
    orders = orders_of(a, b, ragged_dot_dimension_numbers)
    if not orders:
        raise Error(f"expected a ragged product without batches, but got {ragged_dot_dimension_numbers}")
    a, b = map(f.transpose, (a, b), orders)
    return f.grouped(a, b, f.ends_of(sizes), outs[0][1])


# ---- Elementwise -----------------------------------------------------------------------------


def elementwise(f, out, body, *args):
    """`body` on tensors and numbers alike."""
    if not any(isinstance(arg, Value) for arg in args):
        args = [tensor(f, arg, out[1]) for arg in args]

    def with_constants(s, *names):
        names = iter(names)
        return body(s, *(next(names) if isinstance(arg, Value) else s.constant(arg) for arg in args))

    return f.map(out[1], with_constants, *(arg for arg in args if isinstance(arg, Value)))


PLAIN = {
    **dict.fromkeys(("add", "sub", "mul", "div", "max", "min", "neg", "exp", "tanh", "erf", "rsqrt", "sqrt", "log")),
    **dict.fromkeys(("abs", "sin", "cos")),
    "add_any": lambda s, x, y: s.add(x, y),
    "logistic": lambda s, x: s.sigmoid(x),
    "one_minus_square": lambda s, x: s.sub(s.constant(1.0), s.mul(x, x)),
    "square": lambda s, x: s.mul(x, x),
    "erfc": lambda s, x: s.sub(s.constant(1.0), s.erf(x)),
    "copy": lambda s, x: x,
    "stop_gradient": lambda s, x: x,
}


def register_plain(name, body):
    @emits(products.ELEMENTWISE, name)
    def plain(f, outs, *args, **_):
        return elementwise(f, outs[0], body or (lambda s, *names: getattr(s, name)(*names)), *args)


for each in PLAIN.items():
    register_plain(*each)


@emits(products.ELEMENTWISE, "integer_pow")
def integer_pow(f, outs, x, *, y):
    return elementwise(f, outs[0], lambda s, v: s.power(v, y), x)


@emits(products.ELEMENTWISE, "convert_element_type")
def convert_element_type(f, outs, x, **_):
    return f.convert(tensor(f, x, outs[0][1]), outs[0][1])


def register_comparison(name):
    @emits(products.OTHER, name)
    def comparison(f, outs, a, b, **_):
        return elementwise(f, outs[0], lambda s, x, y: s.compare(name, x, y), a, b)


for each in ("eq", "ne", "lt", "le", "gt", "ge"):
    register_comparison(each)


@emits(products.OTHER, "select_n")
def select_n(f, outs, which, *cases):
    if len(cases) != 2 or which.dtype != "i1":
        raise Error("expected select_n of two cases, but got more")
    a, b = (tensor(f, case, outs[0][1]) for case in cases)
    return elementwise(f, outs[0], lambda s, c, x, y: s.select(c, y, x), which, a, b)


# ---- Views and data --------------------------------------------------------------------------


@emits(products.VIEW, "reshape", "squeeze")
def reshape(f, outs, x, **_):
    return f.reshape(x, outs[0][0])


@emits(products.OTHER, "transpose")
def transpose(f, outs, x, *, permutation):
    return f.transpose(x, permutation)


@emits(products.OTHER, "broadcast_in_dim")
def broadcast_in_dim(f, outs, x, *, broadcast_dimensions, **_):
    shape, dtype = outs[0]
    if not isinstance(x, Value):
        return f.full(shape, x, dtype)
    return f.broadcast(x, shape, broadcast_dimensions)


@emits(products.OTHER, "slice")
def cut(f, outs, x, *, start_indices, strides, **_):
    return f.slice(x, start_indices, outs[0][0], strides or [1] * len(x.shape))


@emits(products.OTHER, "split")
def split(f, outs, x, *, sizes, axis):
    at, parts = 0, []
    for shape, _ in outs:
        offsets = [at if i == axis else 0 for i in range(len(shape))]
        parts.append(f.slice(x, offsets, shape, [1] * len(shape)))
        at += shape[axis]
    return parts


@emits(products.OTHER, "concatenate")
def concatenate(f, outs, *values, dimension):
    return f.concatenate(values, dimension)


# ---- Sums ------------------------------------------------------------------------------------


@emits(products.OTHER, "reduce_sum")
def reduce_sum(f, outs, x, *, axes, **_):
    return f.reduce(x, axes, "add", outs[0][1])


@emits(products.OTHER, "reduce_max")
def reduce_max(f, outs, x, *, axes, **_):
    return f.reduce(x, axes, "max", outs[0][1])
