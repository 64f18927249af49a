"""Products without the zeros that Inductor puts around their factors.

Inductor pads factors to multiples of 8 elements, and takes a slice of the product. Hone's kernels take
any extents, so they are compared with all of that.
"""

import math

import torch

from .aten import size_of

ATEN = torch.ops.aten
PRODUCTS = (ATEN.mm.default, ATEN.bmm.default, ATEN.addmm.default)


def without_zeros(node):
    """What `node` puts zeros after; itself if it does something else."""
    if node.target is ATEN.cat.default and len(parts := node.args[0]) == 2:
        return parts[0] if is_zero(parts[1]) else node
    if node.target is not ATEN.constant_pad_nd.default:
        return node
    source, sizes, value = (*node.args, 0)[:3]
    is_at_end = all(isinstance(size, int) and size >= 0 for size in sizes) and not any(sizes[::2])
    return source if is_at_end and value == 0 else node


def is_zero(node):
    return node.target is ATEN.full.default and node.args[1] == 0


def is_first_part(node):
    """Whether it is the first elements of a dimension."""
    if node.target is not ATEN.slice.Tensor:
        return False
    _, _, start, _, step = (*node.args, *(0, 0, math.inf, 1)[len(node.args) - 1 :])
    return start in (0, None) and step == 1


def sizes_of(node):
    return list(map(size_of, node.meta["val"].shape))


class Unpadded:
    """A product as one of smaller factors; in the graph instead of the padded one until `settle`."""

    def __init__(self, graph, padded):
        factors = [without_zeros(node) for node in padded.args]
        a, b = (node.meta["val"] for node in factors[-2:])
        shape = [*a.shape[:-1], b.shape[-1]]
        if factors == list(padded.args) or size_of(a.shape[-1]) != size_of(b.shape[-2]):
            raise ValueError("expected zeros at the end of both factors")
        if any(sizes_of(bias)[-1:] not in ([], [1], [size_of(shape[-1])]) for bias in factors[:-2]):
            raise ValueError("expected zeros at the end of the bias")
        self.graph, self.part = graph, padded
        while sizes_of(self.part) != list(map(size_of, shape)):
            [user] = self.part.users
            if not is_first_part(user):
                raise ValueError("expected a slice without the sums of zeros")
            self.part = user
        self.padded = padded
        with graph.inserting_before(padded.next):
            self.node = graph.call_function(padded.target, tuple(factors), padded.kwargs)
        self.node.meta["val"] = padded.meta["val"].new_empty(shape)
        self.part.replace_all_uses_with(self.node)

    def settle(self):
        """Ends with the padded product if nothing replaced this one."""
        if self.node in self.graph.nodes and self.node.users:
            self.node.replace_all_uses_with(self.part)
        for node in (self.node, self.part, self.padded):
            erase_unread(self.graph, node)


def erase_unread(graph, node):
    """With what only it reads."""
    if node.users or node.op != "call_function" or node not in graph.nodes:
        return
    inputs = node.all_input_nodes
    graph.erase_node(node)
    for each in inputs:
        erase_unread(graph, each)


def unpad(graph):
    """The products of `graph` that have become ones without zeros."""
    found = []
    for node in list(graph.nodes):
        if node.op == "call_function" and node.target in PRODUCTS:
            try:
                found.append(Unpadded(graph, node))
            except ValueError:
                continue  # stays as it is
    return found
