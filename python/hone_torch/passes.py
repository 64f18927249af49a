"""The pass in Inductor's pipeline: products with fused neighbours become torch.ops.hone.product.

It runs on the ATen graph after AOTAutograd, forward and backward alike, before Inductor's own
fusions. Of a product's groups it takes the largest that is one launch, or the product
alone, if that saves more; the measurement is in measure.py.
"""

import contextlib
import hashlib
import logging
import pathlib

import torch
from torch._inductor.custom_graph_pass import CustomGraphPass

from . import aten, convolutions, graphs, interface, measure, op, padding, products, ragged, reports
from .candidates import Candidate, is_tensor, tensors_of
from .interface import Error

log = logging.getLogger("hone")
REFUSALS = Error, NotImplementedError, LookupError, TypeError, ValueError, AttributeError  # of a group
# Ops with products inside that have no kernel here.
OTHERS = ("_scaled_mm", "_int_mm", "convolution_backward", "_scaled_dot_product", "baddbmm", "addbmm", "addmv", "mv")


# ---- Groups --------------------------------------------------------------------------------------


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
    has_rows = value.is_contiguous() or convolutions.has_channels_last(value)
    return has_rows and not (is_wider and node.target == torch.ops.prims.convert_element_type.default)


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
        self.moves_channels = convolutions.moves_channels(graph)
        entries = self.slower_entries(graph) or self.replace_products(graph)
        reports.GRAPHS.append(entries)
        graph.lint()

    def slower_entries(self, graph):
        """The entries of a small graph that would become slower as a whole; None for another graph."""
        count = sum(node.target in measure.PRODUCTS for node in graph.nodes)
        is_timed = self.settings.is_measured and self.settings.measure != "prepare"
        if not is_timed or not 0 < count <= graphs.MAX_GROUPS or not graphs.are_static(graph):
            return None
        module, before, after = graph.owning_module, graphs.copy_of(graph), graphs.copy_of(graph)
        entries = self.replace_products(after)
        if not entries.taken:
            return None
        gain = graphs.gain_of(module, before, after, self.mode_patches, self.settings.options())
        if gain is None or gain >= 1 + min(self.settings.min_gain, 0):
            return None
        for entry in entries.taken:
            entry.reason = f"the graph would run at {gain:.3f} of Inductor's speed"
        return reports.Graph(left=entries.taken + entries.left)

    def replace_products(self, graph):
        """Puts Hone's kernels into a graph; gives its entries."""
        self.entries = reports.Graph()
        unpadded = padding.unpad(graph)
        padded = {each.padded for each in unpadded}
        nodes = [node for node in graph.nodes if node.op == "call_function" and node not in padded]
        kinds = {node: self.kind_of(node) for node in nodes}
        try:
            self.lower_ahead(nodes, kinds)
            products.take_groups(
                nodes,
                inputs_of=tensors_of,
                users_of=lambda node: node.users,
                kind_of=kinds.get,
                take=lambda groups: self.take(graph, groups),
                may_leave=may_leave,
            )
        except interface.Error as error:
            log.warning("%s; Inductor compiles the rest of this graph", error)
        for each in unpadded:
            each.settle()
        return self.entries

    def lower_ahead(self, nodes, kinds):
        """Starts to lower each product with all that may fuse into it, and alone, in several threads."""
        for at, node in enumerate(nodes):
            if kinds[node] != products.PRODUCT or self.settings.collect is not None:
                continue
            groups = products.grow(nodes[at:], tensors_of, lambda node: node.users, kinds, set(), may_leave)
            for members in (groups[0], groups[-1])[: 2 if self.settings.is_measured else 1]:
                with contextlib.suppress(*REFUSALS):
                    self.candidate(members).lower_ahead(self.settings.is_measured)

    def candidate(self, members):
        return Candidate(members, self.settings.arch, self.settings, self.moves_channels)

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
                candidate = self.candidate(members)
                candidate.compile()
            except REFUSALS as error:
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
