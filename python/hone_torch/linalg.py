"""Writes functions of linalg ops on tensors as text.

    f = linalg.Function("main", [((4, 8), "f16"), ((8, 16), "f16")])
    a, b = f.arguments
    text = f.finish([f.map("f16", lambda s, x: s.tanh(x), f.contract("mk,kn->mn", a, b, "f16"))])

Products and sums of f16 and bf16 are accumulated in f32 before they are rounded, as torch and XLA do.
The bodies of elementwise ops are those of scalars.py.
"""

import dataclasses
import math
import re
import string

from .interface import Error
from .scalars import FLOATS, Scalars, literal, wide


class Extent(str):
    """The text of an extent that is known when a function runs. Equal texts are equal extents."""


@dataclasses.dataclass(frozen=True)
class Value:
    name: str
    shape: tuple
    dtype: str

    @property
    def type(self):
        return f"tensor<{spell(self.shape)}{self.dtype}>"

    @property
    def typed(self):
        return f"{self.name} : {self.type}"


@dataclasses.dataclass(frozen=True)
class Rows:
    """Rows of a matrix through an index, as the first factor of a product."""

    matrix: Value
    index: Value

    @property
    def shape(self):
        return (*self.index.shape, self.matrix.shape[1])

    @property
    def dtype(self):
        return self.matrix.dtype


def spell(sizes):
    return "".join("?x" if isinstance(size, Extent) else f"{size}x" for size in sizes)


def affine_map(rank, results):
    dims = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({dims}) -> ({', '.join(results)})>"


def broadcast_map(shape, target, dims):
    """From the dimensions of `target` to those of an operand: number i is dims[i], or repeated."""
    results = [f"d{dim}" if size == target[dim] else "0" for size, dim in zip(shape, dims)]
    return affine_map(len(target), results)


def iterators(kinds):
    return "iterator_types = [" + ", ".join(f'"{kind}"' for kind in kinds) + "]"


class Function:
    needs_lines = False  # whether an operand is read in lines of multiples of 16 bytes

    def __init__(self, name, arguments):
        self.name, self.lines, self.count, self.extents = name, [], 0, []
        self.arguments = [Value(f"%arg{i}", tuple(shape), dtype) for i, (shape, dtype) in enumerate(arguments)]

    def finish(self, results):
        arguments = ", ".join(f"{value.name}: {value.type}" for value in self.arguments)
        names, types = (", ".join(getattr(r, what) for r in results) for what in ("name", "type"))
        head = f"func.func @{self.name}({arguments}) -> ({types}) {{"
        return "\n".join([head, *self.lines, f"  return {names} : {types}", "}", ""])

    def fresh(self):
        self.count += 1
        return f"%{self.count}"

    def write(self, text, shape, dtype):
        value = Value(self.fresh(), tuple(shape), dtype)
        self.lines.append(f"  {value.name} = {text}")
        return value

    def size(self, size):
        """A size as an operand. An open one is an argument of the function (see Buffers)."""
        if not isinstance(size, Extent):
            return str(size)
        if size not in self.extents:
            self.extents.append(size)
        return f"%extent{self.extents.index(size)}"

    def empty(self, shape, dtype):
        value = Value("", tuple(shape), dtype)
        sizes = ", ".join(self.size(size) for size in shape if isinstance(size, Extent))
        return self.write(f"tensor.empty({sizes}) : {value.type}", shape, dtype)

    def full(self, shape, value, dtype):
        out = self.empty(shape, dtype)
        constant = self.fresh()
        bits = literal(value, wide(dtype))
        self.lines.append(f"  {constant} = arith.constant {bits} : {wide(dtype)}")
        if wide(dtype) != dtype:
            rounded = self.fresh()
            self.lines.append(f"  {rounded} = arith.truncf {constant} : {wide(dtype)} to {dtype}")
            constant = rounded
        return self.write(f"linalg.fill ins({constant} : {dtype}) outs({out.typed}) -> {out.type}", shape, dtype)

    # ---- Elementwise -------------------------------------------------------------------------

    def generic(self, maps, kinds, inputs, out, body):
        ins = f"ins({', '.join(v.name for v in inputs)} : {', '.join(v.type for v in inputs)}) " if inputs else ""
        blocks = [f"%in{i}: {value.dtype}" for i, value in enumerate(inputs)] + [f"%out: {out.dtype}"]
        traits = f"{{indexing_maps = [{', '.join(maps)}], {iterators(kinds)}}}"
        head = f"linalg.generic {traits} {ins}outs({out.typed})"
        return self.write(
            "\n".join([f"{head} {{", f"  ^bb0({', '.join(blocks)}):", *body, f"  }} -> {out.type}"]),
            out.shape,
            out.dtype,
        )

    def map(self, dtype, body, *inputs, compute=None):
        """`body(scalars, x, ...)` for all elements of inputs, which are broadcast to one shape as in
        numpy, and rounded to `dtype`. Arithmetic is in `compute`: by default the widest of the
        inputs' types; an i1 among wider inputs stays as it is, and so does an i8, which is a
        boolean in memory."""
        shape = broadcast_shapes([value.shape for value in inputs])
        others = [value.dtype for value in inputs if value.dtype not in ("i1", "i8")] or ["i1"]
        compute = compute or wide(max(others, key=lambda d: (d in FLOATS, FLOATS.get(d, 0))))
        out = self.empty(shape, dtype)
        scalars = Scalars(self, compute)
        to = {"i1": "i1", "i8": "i1"}
        names = [
            scalars.convert(f"%in{i}", value.dtype, to.get(value.dtype, compute)) for i, value in enumerate(inputs)
        ]
        result = body(scalars, *names)
        if dtype != "i1":
            result = scalars.convert(result, compute, dtype)
        scalars.lines.append(f"    linalg.yield {result} : {dtype}")
        rank = len(shape)
        maps = [broadcast_map(value.shape, shape, range(rank - len(value.shape), rank)) for value in (*inputs, out)]
        return self.generic(maps, ["parallel"] * rank, inputs, out, scalars.lines)

    def convert(self, value, dtype):
        if value.dtype == dtype:
            return value
        if value.dtype == "i1":
            return self.map(dtype, lambda s, x: s.convert(x, "i1", s.dtype), value, compute=wide(dtype))
        return self.map(dtype, lambda s, x: x, value)

    # ---- Views and data ----------------------------------------------------------------------

    def broadcast(self, value, shape, dims):
        """Dimension i of `value` becomes dimension dims[i]; those of one element are repeated."""
        out = self.empty(shape, value.dtype)
        maps = [broadcast_map(value.shape, shape, dims), broadcast_map(shape, shape, range(len(shape)))]
        return self.generic(maps, ["parallel"] * len(shape), [value], out, [f"    linalg.yield %in0 : {value.dtype}"])

    def transpose(self, value, order):
        if list(order) == list(range(len(value.shape))):
            return value
        out = self.empty([value.shape[i] for i in order], value.dtype)
        text = f"linalg.transpose ins({value.typed}) outs({out.typed}) permutation = {list(order)}"
        return self.write(text, out.shape, out.dtype)

    def reshape(self, value, shape):
        shape = tuple(shape)
        if shape == value.shape:
            return value
        if any(isinstance(size, Extent) for size in (*value.shape, *shape)):
            return self.reshape_open(value, shape)
        if not value.shape or not shape:
            return self.regroup(f"tensor.{'collapse' if value.shape else 'expand'}_shape", value, [], shape)
        groups = segments(value.shape, shape)
        if any(len(before) > 1 for before, _ in groups) or len(groups) != len(value.shape):
            flat = [math.prod(value.shape[i] for i in before) for before, _ in groups]
            value = self.regroup("tensor.collapse_shape", value, [before for before, _ in groups], flat)
        if value.shape == shape:
            return value
        return self.regroup("tensor.expand_shape", value, [after for _, after in groups], shape)

    def reshape_open(self, value, shape):
        """With open extents a matrix stands for all its views that have the same last dimension."""
        if len(value.shape) != 2 or not shape or shape[-1] != value.shape[-1]:
            raise Error(f"expected a view with the same rows, but got {spell(value.shape)[:-1]} as {spell(shape)[:-1]}")
        return value

    def regroup(self, op, value, groups, shape):
        out = Value("", tuple(shape), value.dtype)
        sizes = f" output_shape {list(shape)}" if op.endswith("expand_shape") else ""
        return self.write(f"{op} {value.name} {groups}{sizes} : {value.type} into {out.type}", shape, value.dtype)

    def slice(self, value, offsets, sizes, strides):
        out = Value("", tuple(sizes), value.dtype)
        text = f"tensor.extract_slice {value.name}{list(offsets)} {list(sizes)} {list(strides)}"
        return self.write(f"{text} : {value.type} to {out.type}", sizes, value.dtype)

    def concatenate(self, values, dim):
        shape = list(values[0].shape)
        shape[dim] = sum(value.shape[dim] for value in values)
        out, at = self.empty(shape, values[0].dtype), 0
        for value in values:
            offsets = [at if i == dim else 0 for i in range(len(shape))]
            text = f"tensor.insert_slice {value.name} into {out.name}{offsets} {list(value.shape)} {[1] * len(shape)}"
            out, at = self.write(f"{text} : {value.type} into {out.type}", shape, value.dtype), at + value.shape[dim]
        return out

    # ---- Sums and products -------------------------------------------------------------------

    def reduce(self, value, dims, kind, dtype, keep=False):
        """The sum or the maximum (`kind` is add or max) over dimensions."""
        rank, compute = len(value.shape), wide(value.dtype)
        dims = sorted(dim % rank for dim in dims)
        left = [i for i in range(rank) if i not in dims]
        start = self.full([value.shape[i] for i in left], 0.0 if kind == "add" else -math.inf, compute)
        scalars = Scalars(self, compute)
        result = getattr(scalars, kind)(scalars.convert("%in0", value.dtype, compute), "%out")
        scalars.lines.append(f"    linalg.yield {result} : {compute}")
        maps = [affine_map(rank, [f"d{i}" for i in range(rank)]), affine_map(rank, [f"d{i}" for i in left])]
        kinds = ["reduction" if i in dims else "parallel" for i in range(rank)]
        result = self.convert(self.generic(maps, kinds, [value], start, scalars.lines), dtype)
        return self.reshape(result, [1 if i in dims else n for i, n in enumerate(value.shape)]) if keep else result

    def contract(self, spelling, a, b, dtype, init=None):
        """A product as einsum spells it, "mk,kn->mn", summed in f32; `init`, of that type and of the
        result's shape, is the start of the sum."""
        sides, result = spelling.split("->")
        left, right = sides.split(",")
        sizes = dict(zip(left + right, a.shape + b.shape))
        letters = result + "".join(letter for letter in sizes if letter not in result)
        total = init or self.full([sizes[letter] for letter in result], 0.0, wide(a.dtype))
        maps = [affine_map(len(letters), [f"d{letters.index(c)}" for c in part]) for part in (left, right, result)]
        text = (
            f"linalg.contract indexing_maps = [{', '.join(maps)}] ins({a.name}, {b.name} : {a.type}, {b.type}) "
            f"outs({total.typed}) -> {total.type}"
        )
        return self.convert(self.write(text, total.shape, total.dtype), dtype)

    def pad(self, value, low, high=None):
        """With zeros before and after the elements of each dimension; without `high` as many on both sides."""
        high = low if high is None else high
        if not any((*low, *high)):
            return value
        zero = self.fresh()
        self.lines.append(f"  {zero} = arith.constant 0.0 : {value.dtype}")
        shape = [size + a + b if a or b else size for size, a, b in zip(value.shape, low, high)]
        places = ", ".join(f"%at{i}: index" for i in range(len(shape)))
        out = Value("", tuple(shape), value.dtype)
        text = f"tensor.pad {value.name} low{list(low)} high{list(high)} {{\n  ^bb0({places}):\n"
        text += f"    tensor.yield {zero} : {value.dtype}\n  }} : {value.type} to {out.type}"
        return self.write(text, shape, value.dtype)

    def copy_padded(self, value, low, high):
        """As `pad`, as one elementwise op that reads places inside of the value."""
        shape = [size + a + b for size, a, b in zip(value.shape, low, high)]
        out, scalars, places, is_inside = self.empty(shape, value.dtype), Scalars(self, value.dtype), [], None
        zero, first = (scalars.write(f"arith.constant {word}") for word in (f"0.0 : {value.dtype}", "0 : index"))
        for dim, (size, before, after) in enumerate(zip(value.shape, low, high)):
            place = scalars.write(f"linalg.index {dim} : index")
            if before or after:
                start, end = (scalars.write(f"arith.constant {number} : index") for number in (before, size))
                place = scalars.write(f"arith.subi {place}, {start} : index")
                test = scalars.write(f"arith.cmpi ult, {place}, {end} : index")  # false for negative places
                place = scalars.write(f"arith.select {test}, {place}, {first} : index")
                is_inside = scalars.write(f"arith.andi {is_inside}, {test} : i1") if is_inside else test
            places.append(place)
        read = scalars.write(f"tensor.extract {value.name}[{', '.join(places)}] : {value.type}")
        result = scalars.write(f"arith.select {is_inside}, {read}, {zero} : {value.dtype}")
        scalars.lines.append(f"    linalg.yield {result} : {value.dtype}")
        rank = len(shape)
        return self.generic([broadcast_map(shape, shape, range(rank))], ["parallel"] * rank, [], out, scalars.lines)

    def convolve(self, image, filters, steps, dilations, is_depthwise=False):
        """A convolution of images by filters, both with channels last, summed in f32; a depthwise one has a filter
        for each channel, and these are innermost."""
        count, dims = len(steps), [f"d{i}" for i in range(2 * len(steps) + 3 - is_depthwise)]
        sizes = filters.shape[:-1] if is_depthwise else filters.shape[1:-1]
        extents = [(n - d * (w - 1) - 1) // s + 1 for n, w, s, d in zip(image.shape[1:], sizes, steps, dilations)]
        places, out, windows = dims[: count + 1], dims[count + 1], dims[count + 2 : 2 * count + 2]
        moved = [f"{p} * {s} + {w} * {d}" for p, w, s, d in zip(places[1:], windows, steps, dilations)]
        channel, read = (out, [*windows, out]) if is_depthwise else (dims[-1], [out, *windows, dims[-1]])
        channels = filters.shape[-1 if is_depthwise else 0]
        start = self.full([image.shape[0], *extents, channels], 0.0, wide(image.dtype))
        scalars = Scalars(self, start.dtype)
        product = scalars.mul(*(scalars.convert(f"%in{i}", image.dtype, start.dtype) for i in range(2)))
        scalars.lines.append(f"    linalg.yield {scalars.add('%out', product)} : {start.dtype}")
        kinds = ["parallel"] * (count + 2) + ["reduction"] * (len(dims) - count - 2)
        maps = [affine_map(len(dims), part) for part in ([places[0], *moved, channel], read, [*places, out])]
        return self.generic(maps, kinds, [image, filters], start, scalars.lines)

    def ends_of(self, sizes):
        """Of groups of these sizes, the row after each one's last row, in i32."""
        sizes, scalars = self.convert(sizes, "i32"), Scalars(self, "i32")
        group, other = (scalars.write(f"linalg.index {dim} : index") for dim in range(2))
        is_before = scalars.write(f"arith.cmpi ule, {other}, {group} : index")
        total = scalars.add("%out", scalars.select(is_before, "%in0", scalars.constant(0)))
        scalars.lines.append(f"    linalg.yield {total} : i32")
        maps = [affine_map(2, ["d1"]), affine_map(2, ["d0"])]
        start = self.full(sizes.shape, 0, "i32")
        return self.generic(maps, ["parallel", "reduction"], [sizes], start, scalars.lines)

    def grouped(self, a, b, ends, dtype):
        """Groups of rows of `a`, each times its matrix of `b`, summed in f32; `ends` has the row after each group's
        last one. If `b` is a matrix, groups of columns of `a` times those of rows of `b`: a matrix for each. Without
        `ends` all rows are one group."""
        is_sum = ends is not None and len(b.shape) == 2
        out = self.empty([*([ends.shape[0]] if is_sum else []), a.shape[0], b.shape[-1]], dtype)
        clauses = f"ragged({ends.typed}) " if ends else ""
        if isinstance(a, Rows):
            a, clauses = a.matrix, f"{clauses}gather({a.index.typed}) "
        text = (
            f"hone.matmul ins({a.name}, {b.name} : {a.type}, {b.type}) outs({out.typed}) "
            f"{clauses}init(zero) acc(f32) -> {out.type}"
        )
        return self.write(text, out.shape, dtype)


class Buffers(Function):
    """A function on its caller's memory: of each argument, a (shape, type, strides), in any strides,
    and of the result. Strides are numbers, or None for open ones. The open extents that the
    function reads are its last arguments, in the order of `extents`."""

    def __init__(self, name, arguments):
        super().__init__(name, [(shape, dtype) for shape, dtype, _ in arguments])
        self.strides = [strides for *_, strides in arguments]

    def finish(self, results):
        [result] = results
        head, lines = [], []
        for i, (value, strides) in enumerate(zip(self.arguments, self.strides)):
            layout = ", ".join("?" if stride is None else str(stride) for stride in strides)
            memory = f"memref<{spell(value.shape)}{value.dtype}, strided<[{layout}]>>"
            head.append(f"%memory{i}: {memory}")
            lines.append(f"  {value.name} = bufferization.to_tensor %memory{i} restrict : {memory} to {value.type}")
        memory = f"memref<{spell(result.shape)}{result.dtype}>"
        head += [f"%result: {memory}", *(f"%extent{i}: index" for i in range(len(self.extents)))]
        self.write_into(result, f"bufferization.to_tensor %result restrict writable : {memory} to {result.type}")
        store = f"bufferization.materialize_in_destination {result.name} in restrict writable %result"
        lines += [*self.lines, f"  {store} : ({result.type}, {memory}) -> ()", "  return", "}", ""]
        return "\n".join([f"func.func @{self.name}({', '.join(head)}) {{", *lines])

    def write_into(self, result, memory):
        """Makes `memory` the destination of the ops that compute `result`, in the place of new memory."""
        name = result.name
        for i in reversed(range(len(self.lines))):
            if not self.lines[i].startswith(f"  {name} = "):
                continue
            if " = tensor.empty(" in self.lines[i]:
                self.lines[i] = f"  {name} = {memory}"
                return
            found = re.search(r"outs\((%\d+) ", self.lines[i])
            name = found[1] if found else name


# ---- Shapes ----------------------------------------------------------------------------------


def letters(count, used=""):
    return "".join(c for c in string.ascii_letters if c not in used)[:count]


def broadcast_shapes(shapes):
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(next((size for size in sizes if size != 1), 1) for sizes in zip(*padded))


def segments(before, after):
    """Cuts two shapes of as many elements into the shortest pieces of as many elements: pairs of
    lists of dimensions."""
    result, i, j = [], 0, 0
    while i < len(before) or j < len(after):
        left, right, n, m = [], [], 1, 1
        while not left or not right or n != m:
            if (n <= m and i < len(before)) or j == len(after):
                if i == len(before):
                    break
                left.append(i)
                n, i = n * before[i], i + 1
            else:
                right.append(j)
                m, j = m * after[j], j + 1
        if not left or not right:  # ones at the end
            result[-1][0].extend(left)
            result[-1][1].extend(right)
        else:
            result.append((left, right))
    return result
