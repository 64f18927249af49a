"""The pass in Inductor's pipeline: products with fused neighbours become torch.ops.hone.product.

It runs on the ATen graph after AOTAutograd, forward and backward alike, before Inductor's own
fusions. Of a product's groups it takes the largest that is one launch, or the product
alone, if that saves more; the measurement is in measure.py.
"""

import dataclasses
import hashlib
import logging
import math
import pathlib

import torch
from torch._inductor.custom_graph_pass import CustomGraphPass

from . import aten, convolutions, interface, linalg, measure, op, padding, products, ragged, reports
from .aten import hint_of
from .interface import Error

log = logging.getLogger("hone")
ATEN = torch.ops.aten
CONSTANTS = (ATEN.full.default, ATEN.scalar_tensor.default)
# Ops with products inside that have no kernel here.
OTHERS = ("_scaled_mm", "_int_mm", "convolution_backward", "_scaled_dot_product", "baddbmm", "addbmm", "addmv", "mv")


def is_tensor(node):
    return isinstance(node.meta.get("val"), torch.Tensor)


def tensors_of(node):
    return [each for each in node.all_input_nodes if is_tensor(each)]


# ---- A group as a kernel -----------------------------------------------------------------------


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


class Candidate:
    """Nodes of a graph as one kernel of Hone's."""

    def __init__(self, members, arch, settings, moves_channels=False):
        constants = [node for node in products.inputs_of_group(members, tensors_of) if node.target in CONSTANTS]
        self.members = [*constants, *members]
        self.inputs = products.inputs_of_group(self.members, tensors_of)
        self.product = next(node for node in members if node.target in measure.PRODUCTS)
        self.result = members[-1]
        self.is_convolution = self.product.target is convolutions.CONVOLUTION
        self.has_channels_last = moves_channels
        result = self.result.meta["val"]
        self.order = convolutions.order_of(result.dim(), result.dim()) if self.is_convolution else []
        if not self.is_convolution and not result.is_contiguous():
            raise Error("expected a result without gaps, but got other strides")
        device = result.device
        for node in self.inputs:
            if node.meta["val"].device != device:
                raise Error(f"expected tensors on {device}, but got '{node.name}' on {node.meta['val'].device}")
            if node.meta["val"].numel() == 0:
                raise Error(f"expected elements, but got none in '{node.name}'")
        text, inputs = self.write()
        options = settings.options(self.is_convolution)
        self.spec = op.Spec(text, inputs, str(result.dtype).removeprefix("torch."), options, arch, tuple(self.order))
        self.text = self.spec.dump()
        # Compile now: a refusal, or work on the host, makes the group smaller.
        self.target = arch or op.arch_of(device)
        function = op.launch_of(self.text, self.target).function
        if self.target != "host" and (work := function.host_work()):
            raise Error(f"expected one launch, but got work on the host: {work[0]}")
        if self.target != "host" and (count := function.lowered.count("call @honeLaunch")) != 1:
            raise Error(f"expected one launch, but got {count}")

    def write(self):
        """The text of the kernel's function, and the inputs' layouts as a spec has them."""
        wholes = [self.sizes_of(node) for node in self.inputs]
        if self.is_convolution:
            layouts = [convolutions.layout_of(node.meta["val"], len(self.order)) for node in self.inputs]
        else:
            layouts = [layout_of(*whole) for whole in wholes]
        dtypes = [aten.type_of(node)[1].replace("i1", "i8") for node in self.inputs]
        arguments = [(shape, dtype, strides) for dtype, (_, shape, strides, _) in zip(dtypes, layouts)]
        writer = linalg.Buffers("main", arguments)
        values = {}
        for node, value, (sizes, _), (order, _, _, repeated) in zip(self.inputs, writer.arguments, wholes, layouts):
            if self.is_convolution:
                values[node] = convolutions.align(writer, value, len(order), len(self.order))
                continue
            value = writer.transpose(value, [order.index(i) for i in range(len(order))])
            whole = tuple(map(aten.size_of, sizes))
            values[node] = writer.broadcast(value, whole, range(len(whole))) if repeated else value
        for node in self.members:
            self.emit(writer, values, node)
        self.extents = list(writer.extents)
        text = writer.finish([values[self.result]])
        return text, tuple((order, strides, repeated) for order, _, strides, repeated in layouts)

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

    def with_options(self, more):
        return dataclasses.replace(self.spec, options=f"{self.spec.options} {more}".strip()).dump()

    def variants(self):
        """Texts of specs with other schedules, by the option that chooses them: the choice of a
        build, that without shipped measurements, and the kind's default."""
        texts = {"": self.text}
        if self.target == "host" or "database=" in self.spec.options:
            return texts
        seen = {op.launch_of(self.text, self.target).function.lowered}
        for more in ("shipped=false", "guess=false"):
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
        values = [node.meta["val"] for node in self.inputs]
        if self.is_convolution:
            call.meta["val"] = convolutions.in_order(fake.new_empty, fake.shape, self.order)
            values = self.values_with_channels_last()
        # Inductor chooses other strides for arguments without these.
        others = torch.fx.map_arg(call.args[1:], lambda node: node.meta["val"])
        call.meta["eager_input_vals"] = ((tuple(values), *others), {})
        self.result.replace_all_uses_with(call)
        for node in reversed(self.members):
            if not node.users:
                graph.erase_node(node)

    def values_with_channels_last(self):
        """Fake tensors of the inputs in the strides that the kernel reads."""
        values = [node.meta["val"] for node in self.inputs]
        orders = [convolutions.order_of(value.dim(), len(self.order)) for value in values]
        return [convolutions.laid_out(value, order) for value, order in zip(values, orders)]

    def measured_values(self):
        """Fake tensors of the inputs in the strides of a measurement."""
        if self.is_convolution and self.has_channels_last:
            return self.values_with_channels_last()
        return [node.meta["val"] for node in self.inputs]

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


def spell_factors(product):
    """The shapes of the factors: a bias is before them, and ends of groups are after them."""
    factors = tensors_of(product)
    is_first = product.target in (ragged.GROUPED, convolutions.CONVOLUTION)
    factors = factors[:2] if is_first else factors[-2:]
    return " x ".join("x".join(map(str, each.meta["val"].shape)) for each in factors)


def may_leave(node):
    """Whether a group may end here: in rows, and not in a type that takes more memory."""
    value = node.meta["val"]
    sources = tensors_of(node)
    is_wider = len(sources) == 1 and value.dtype.itemsize > sources[0].meta["val"].dtype.itemsize
    is_dense = convolutions.laid_out(value, convolutions.order_of(value.dim(), value.dim())) is value
    return (value.is_contiguous() or is_dense) and not (is_wider and node.target == torch.ops.prims.convert_element_type.default)


# ---- The pass ----------------------------------------------------------------------------------


class ProductPass(CustomGraphPass):
    def __init__(self, settings, mode_patches):
        self.settings, self.mode_patches = settings, mode_patches

    def uuid(self):
        """Inductor's cache has no graph of another version or of other settings, and none of a
        graph whose products are collected."""
        if self.settings.collect is not None:
            return None
        sources = b"".join(path.read_bytes() for path in sorted(pathlib.Path(__file__).parent.glob("*.py")))
        options = [self.settings.options(is_convolution) for is_convolution in (False, True)]
        text = f"{self.settings} {options} {op.library_identity()} {op.file_identities(options[0])}"
        return hashlib.sha256(sources + text.encode()).digest()

    def __call__(self, graph):
        self.entries, self.moves_channels = reports.Graph(), convolutions.moves_channels(graph)
        unpadded = padding.unpad(graph)
        padded = {each.padded for each in unpadded}
        nodes = [node for node in graph.nodes if node.op == "call_function" and node not in padded]
        try:
            products.take_groups(
                nodes,
                inputs_of=tensors_of,
                users_of=lambda node: node.users,
                kind_of=self.kind_of,
                take=lambda groups: self.take(graph, groups),
                may_leave=may_leave,
            )
        except interface.Error as error:
            log.warning("%s; Inductor compiles the rest of this graph", error)
        for each in unpadded:
            each.settle()
        reports.GRAPHS.append(self.entries)
        graph.lint()

    def kind_of(self, node):
        kind = aten.KINDS.get(node.target, products.OTHER)
        is_other = getattr(node.target, "name", lambda: "")().removeprefix("aten::").startswith(OTHERS)
        if kind == products.PRODUCT or is_other:
            reason = f"'{node.target}' has no kernel of Hone's" if is_other else self.refusal(node)
            if reason:
                self.leave(node, reason)
                return products.OTHER
        return aten.kind_of(node, set(aten.DTYPES.values())) if kind != products.OTHER else kind

    def refusal(self, node):
        """Why no kernel may compute this product; empty if one may."""
        if not all(is_tensor(each) for each in (node, *tensors_of(node))):
            return "expected tensors"
        if node.target is convolutions.CONVOLUTION and (reason := convolutions.refusal(node)):
            return reason
        device = node.meta["val"].device
        if device.type not in ("cpu", "cuda"):
            return f"expected a device of cpu or cuda, but got {device}"
        allowed = self.settings.dtypes(device)
        indices = (torch.int32,) if node.target is ragged.GROUPED else ()
        for each in (node, *tensors_of(node)):
            dtype = each.meta["val"].dtype
            if dtype not in (*allowed, *indices):
                names = ", ".join(sorted(str(each).removeprefix("torch.") for each in allowed))
                return f"expected elements of {names} on {device.type}, but got {str(dtype).removeprefix('torch.')}"
        return ""

    def leave(self, node, reason, **times):
        name = str(node.target).removesuffix(".default")
        self.entries.left.append(reports.Entry(name, spell_factors(node), reason, **times))

    def gather_of(self, product):
        """On a GPU fewer kernels gather rows, so a measurement decides."""
        is_on_host = (self.settings.arch or op.arch_of(product.meta["val"].device)) == "host"
        may_gather = self.settings.is_measured or (is_on_host and self.settings.collect is None)
        return ragged.gather_of(product) if may_gather else None

    def take(self, graph, groups):
        """Replaces the best of `groups`, which begin with one product; gives its nodes."""
        product, reason, nearest, best = groups[0][0], None, None, None
        if gather := self.gather_of(product):
            groups = [[gather, *members] for members in groups] + groups
        while groups:
            members, *groups = groups
            try:
                candidate = Candidate(members, self.settings.arch, self.settings, self.moves_channels)
            except (Error, NotImplementedError, KeyError, TypeError, ValueError, AttributeError) as error:
                reason = reason or reports.first_line(error)
                log.info("%s: %s", " ".join(str(node.target) for node in members), error)
                continue
            choice = measure.choose(candidate, self.settings, self.mode_patches)
            if choice.is_taken and (best is None or choice.saved_us > best[1].saved_us):
                best = candidate, choice
            # Without a measurement the largest is the best. With one, one without a gather or the product alone may be.
            others = [each for each in groups if gather not in each] if gather in members else groups[-1:]
            groups = others if choice.is_measured else []
            if nearest is None or (choice.is_measured and choice.saved_us > nearest.saved_us):
                nearest = choice
        if best is None and nearest:
            self.leave(product, nearest.reason, hone_us=nearest.hone_us, torch_us=nearest.torch_us)
            return []
        if best is None:
            self.leave(product, reason)
            return []
        candidate, choice = best
        if self.settings.collect is not None:
            self.settings.collect[candidate.spec.text] = self.settings.arch or op.arch_of(product.meta["val"].device)
            self.leave(product, "collected")
            return []
        times = choice.hone_us, choice.torch_us, choice.error
        entry = reports.Entry(candidate.describe(), spell_factors(product), choice.reason, *times)
        try:
            candidate.replace(graph)
        except KeyError as missing:
            self.leave(product, f"expected the extent {missing} in the graph, but got none")
            return []
        self.entries.taken.append(entry)
        return candidate.members
