"""A product and its fused neighbours as one kernel of Hone's: its text, its layouts, and its place in a graph."""

import dataclasses
import math

import torch

from . import aten, channels, convolutions, interface, linalg, measure, op, products, ragged
from .aten import hint_of
from .interface import Error

ATEN = torch.ops.aten
VARIANTS = "shipped=false", "guess=false"  # options of other schedules
CONSTANTS = (ATEN.full.default, ATEN.scalar_tensor.default)


def is_tensor(node):
    return isinstance(node.meta.get("val"), torch.Tensor)


def tensors_of(node):
    return [each for each in node.all_input_nodes if is_tensor(each)]


# ---- Memory --------------------------------------------------------------------------------------


def layout_of(sizes, strides):
    """(order of dimensions in memory, shape, strides in that order, repeated dimensions)."""
    hints = [hint_of(stride) for stride in strides]
    if None in hints:
        raise Error("expected strides that are numbers or have one as an example, but got others")
    repeated = [i for i, stride in enumerate(hints) if stride == 0 and hint_of(sizes[i]) != 1]
    order = sorted(range(len(sizes)), key=lambda i: (hints[i] != 0, -hints[i], i))
    shape = [1 if i in repeated else aten.size_of(sizes[i]) for i in order]
    strides = [aten.size_of(strides[i]) for i in order]
    reach = 1
    is_readable = True
    for i, size in zip(reversed(order), reversed(shape)):
        if size == 1:
            continue
        is_readable &= hints[i] == 1 if reach == 1 else hints[i] >= reach
        reach = max(reach, hints[i] * hint_of(sizes[i]), 2)
    if not is_readable:  # a call copies it
        if any(isinstance(size, linalg.Extent) for size in shape):
            raise Error("expected open extents in rows without gaps, but got others")
        strides = interface.strides_of(shape)
    strides = list(strides)
    for at in reversed(range(len(shape))):
        if shape[at] == 1:  # never used: that of memory without gaps
            below = (shape[at + 1], strides[at + 1]) if at + 1 < len(shape) else (1, 1)
            strides[at] = math.prod(below) if all(isinstance(each, int) for each in below) else 1
    return order, shape, [None if isinstance(s, linalg.Extent) else s for s in strides], repeated


def rows_of(fake, rows):
    """The sizes and strides of a tensor as a matrix of that many rows, or of one."""
    shape, strides = list(fake.shape), list(fake.stride())
    count = math.prod(shape[:-1])
    if aten.size_of(count) not in (rows, 1):
        raise Error(f"expected {rows} rows or one with open extents, but got {aten.size_of(count)}")
    for i in range(len(shape) - 2):
        if hint_of(shape[i]) != 1 and hint_of(strides[i]) != hint_of(strides[i + 1] * shape[i + 1]):
            raise Error("expected rows in one distance with open extents, but got gaps")
    return [count, shape[-1]], strides[-2:]


# ---- The kernel ----------------------------------------------------------------------------------


class Candidate:
    """Nodes of a graph as one kernel of Hone's."""

    def __init__(self, members, arch, settings, moves_channels=False):
        constants = [node for node in products.inputs_of_group(members, tensors_of) if node.target in CONSTANTS]
        self.members = [*constants, *members]
        self.inputs = products.inputs_of_group(self.members, tensors_of)
        self.product = next(node for node in members if node.target in measure.PRODUCTS)
        self.result = members[-1]
        self.is_convolution = self.product.target is convolutions.CONVOLUTION
        result = self.result.meta["val"]
        self.has_channels_last = moves_channels and result.dim() == 4  # not of lines
        self.order = convolutions.order_of(result.dim(), result.dim()) if self.is_convolution else []
        if not self.is_convolution and not result.is_contiguous():
            raise Error("expected a result without gaps, but got other strides")
        device = result.device
        for node in self.inputs:
            if node.meta["val"].device != device:
                raise Error(f"expected tensors on {device}, but got '{node.name}' on {node.meta['val'].device}")
            if node.meta["val"].numel() == 0:
                raise Error(f"expected elements, but got none in '{node.name}'")
        self.target = arch or op.arch_of(device)
        text, inputs = self.write()
        self.is_rest = self.is_convolution and convolutions.is_depthwise(self.product)
        self.copies = channels.count_copies(self.product) if self.is_convolution else 0
        options = settings.options(self.is_convolution)
        if (self.is_rest or self.copies) and "rest=" not in options:
            options += " rest=gpu"
        self.spec = op.Spec(text, inputs, str(result.dtype).removeprefix("torch."), options, arch, tuple(self.order))
        self.text = self.spec.dump()

    def lower_ahead(self, is_measured):
        """Starts to lower what `compile` and `variants` need."""
        for more in ("", *VARIANTS) if is_measured and self.has_variants() else ("",):
            op.lower_ahead(self.spec_with(more), self.target)

    def compile(self):
        """A refusal, or work on the host, makes the group smaller."""
        if self.is_rest and self.target == "host":
            raise Error("expected a GPU for a convolution of each channel, but got a CPU")
        function = op.launch_of(self.text, self.target).function
        if self.target != "host" and (work := function.host_work()):
            raise Error(f"expected one launch, but got work on the host: {work[0]}")
        allowed = 1 + self.copies
        if self.target != "host" and not 1 <= (count := function.lowered.count("call @honeLaunch")) <= allowed:
            raise Error(f"expected at most {allowed} launches, but got {count}")

    def write(self):
        """The text of the kernel's function, and the inputs' layouts as a spec has them."""
        if self.is_convolution:
            layouts = [convolutions.layout_of(node, self.product) for node in self.inputs]
        else:
            layouts = [layout_of(*self.sizes_of(node)) for node in self.inputs]
        dtypes = [aten.type_of(node)[1].replace("i1", "i8") for node in self.inputs]
        arguments = [(shape, dtype, strides) for dtype, (_, shape, strides, _) in zip(dtypes, layouts)]
        writer = linalg.Buffers("main", arguments)
        writer.needs_lines = self.needs_lines()
        values = {}
        for node, value, (order, _, _, repeated) in zip(self.inputs, writer.arguments, layouts):
            if self.is_convolution:
                values[node] = convolutions.align(writer, value, len(order), len(self.order))
                continue
            value = writer.transpose(value, [order.index(i) for i in range(len(order))])
            if repeated:
                whole = tuple(map(aten.size_of, self.sizes_of(node)[0]))
                value = writer.broadcast(value, whole, range(len(whole)))
            values[node] = value
        for node in self.members:
            self.emit(writer, values, node)
        self.extents = list(writer.extents)
        text = writer.finish([values[self.result]])
        return text, tuple((order, strides, repeated) for order, _, strides, repeated in layouts)

    def needs_lines(self):
        return self.target != "host"

    def emit(self, writer, values, node):
        if node.target is ragged.GATHER:
            values[node] = linalg.Rows(*(values[each] for each in node.all_input_nodes))
            return
        if self.is_convolution and aten.KINDS.get(node.target) == products.VIEW:
            raise Error(f"expected elementwise ops after a convolution, but got '{node.target}'")
        aten.emit(writer, values, node)
        if self.is_convolution and node.target in CONSTANTS and (rank := len(values[node].shape)):
            shape = [values[node].shape[i] for i in convolutions.order_of(rank, len(self.order))]
            values[node] = convolutions.align(writer, writer.reshape(values[node], shape), rank, len(self.order))

    def spec_with(self, more):
        return dataclasses.replace(self.spec, options=f"{self.spec.options} {more}".strip())

    def with_options(self, more):
        return self.spec_with(more).dump()

    def has_variants(self):
        return self.target != "host" and "database=" not in self.spec.options and not self.is_rest

    def variants(self):
        """Texts of specs with other schedules, by the option that chooses them: the choice of a
        build, that without shipped measurements, and the kind's default."""
        texts = {"": self.text}
        if not self.has_variants():
            return texts
        seen = {op.launch_of(self.text, self.target).function.lowered}
        for more in VARIANTS:
            text = self.with_options(more)
            lowered = op.launch_of(text, self.target).function.lowered
            if lowered not in seen:
                texts[more] = text
            seen.add(lowered)
        return texts

    def sizes_of(self, node):
        """Of an input. Where extents are open, a reader of a matrix gets a matrix."""
        fake = node.meta["val"]
        rows, *_ = aten.type_of(self.product)[0]
        is_open = any(isinstance(s, linalg.Extent) for s in aten.type_of(self.product)[0])
        if is_open and fake.dim() > 2 and self.product not in node.users:
            return rows_of(fake, rows)
        return list(fake.shape), list(fake.stride())

    def describe(self):
        return " ".join(str(node.target).removesuffix(".default") for node in self.members)

    def replace(self, graph):
        """Puts the operator into the graph, in the place of the group's last node."""
        fake = self.result.meta["val"]
        with graph.inserting_before(self.result):
            sizes = self.extent_nodes(graph)
            size = [s if isinstance(s, int) else sizes[s] for s in map(aten.size_of, fake.shape)]
            extents = [sizes[extent] for extent in self.extents]
            call = graph.call_function(torch.ops.hone.product.default, (self.inputs, size, extents, self.text))
        call.meta.update(self.result.meta)
        if self.is_convolution:
            call.meta["val"] = op.in_order(fake.new_empty, fake.shape, self.order)
        # Inductor chooses other strides for arguments without these.
        others = torch.fx.map_arg(call.args[1:], lambda node: node.meta["val"])
        call.meta["eager_input_vals"] = ((tuple(self.read_values()), *others), {})
        self.result.replace_all_uses_with(call)
        for node in reversed(self.members):
            if not node.users:
                graph.erase_node(node)

    def values_with_channels_last(self):
        """Fake tensors of the inputs in the strides that the kernel reads."""
        values = [node.meta["val"] for node in self.inputs]
        orders = [convolutions.order_in(node, self.product) for node in self.inputs]
        return [convolutions.laid_out(value, order) for value, order in zip(values, orders)]

    def read_values(self):
        """Fake tensors of the inputs in the strides that the kernel reads, as Inductor computes them."""
        return self.values_with_channels_last() if self.is_convolution else [node.meta["val"] for node in self.inputs]

    def measured_values(self):
        """Those in the strides of Inductor's own code."""
        return self.read_values() if self.has_channels_last else [node.meta["val"] for node in self.inputs]

    def has_tf32(self):
        """Whether torch may round factors of f32 to tf32."""
        return torch.backends.cudnn.allow_tf32 if self.is_convolution else torch.get_float32_matmul_precision() != "highest"

    def extent_nodes(self, graph):
        """A node for each open extent: one of the graph, or the size of an input."""
        found = {}
        for node in graph.nodes:
            if node is self.result:
                break
            if isinstance(node.meta.get("val"), torch.SymInt):
                found.setdefault(aten.size_of(node.meta["val"]), node)
        sizes = map(aten.size_of, self.result.meta["val"].shape)
        needed = {*self.extents, *(size for size in sizes if not isinstance(size, int))}
        for node in self.inputs:
            for dim, size in enumerate(node.meta["val"].shape):
                if (extent := aten.size_of(size)) in needed - found.keys():
                    found[extent] = graph.call_function(ATEN.sym_size.int, (node, dim))
                    found[extent].meta["val"] = size
        return found
