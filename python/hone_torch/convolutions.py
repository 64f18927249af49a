"""Convolutions of torch: where the elements of their groups lie in memory.

Kernels read images and filters with channels last, and write such results. So all tensors of a convolution's group
have this order, whatever the strides in the graph are: Inductor computes a tensor in the order that its reader needs,
and copies one that it does not compute.
"""

import torch
from torch._inductor.graph import GraphLowering

from . import aten, interface, op
from .aten import hint_of
from .interface import Error

ATEN = torch.ops.aten
CONVOLUTION = ATEN.convolution.default


def refusal(node):
    """Why no kernel may compute this convolution; empty if one may."""
    _, filters, _, _, _, _, is_transposed, _, groups = node.args
    rank = filters.meta["val"].dim() - 2
    if is_transposed:
        return "expected a convolution that is not transposed"
    if groups != 1 and not is_depthwise(node) and not has_groups_of_elements(node):
        return f"expected one group of channels, one for each, or windows of one element, but got {groups}"
    if rank not in (1, 2):
        return f"expected images of one or two dimensions, but got {rank}"
    return ""


def is_depthwise(node):
    """Whether each channel has a filter of its own, and no more."""
    channels, filters = (node.args[i].meta["val"].shape[dim] for i, dim in ((0, 1), (1, 0)))
    return node.args[-1] == channels == filters and channels > 1


def has_groups_of_elements(node):
    """Whether groups of several channels have windows of one element, without steps and padding."""
    filters, steps, padding = node.args[1].meta["val"], node.args[3], node.args[4]
    is_one = all(size == 1 for size in (*filters.shape[2:], *steps)) and not any(padding)
    return is_one and filters.shape[1] > 1


# ---- Memory --------------------------------------------------------------------------------------


def order_of(rank, whole):
    """The order in memory of a tensor's dimensions, whose last ones are those of images of rank `whole`."""
    dims = [0, *range(2, whole), 1]
    return [dim - whole + rank for dim in dims if dim >= whole - rank]


def order_in(node, product):
    """That of an input of a convolution's group. Filters of a channel each are innermost."""
    whole = product.meta["val"].dim()
    if is_depthwise(product) and node is product.args[1]:
        return [*range(2, whole), 1, 0]
    return order_of(node.meta["val"].dim(), whole)


def layout_of(node, product):
    """As candidates.layout_of, in that order."""
    value, order = node.meta["val"], order_in(node, product)
    hints = list(map(hint_of, value.stride()))
    repeated = [i for i in order if hints[i] == 0 and hint_of(value.shape[i]) != 1]
    shape = [1 if i in repeated else aten.size_of(value.shape[i]) for i in order]
    if any(not isinstance(size, int) for size in shape[1:]):
        raise Error("expected known extents of images and channels, but got others")
    return order, shape, list(interface.strides_of(shape)), repeated


def align(writer, value, rank, whole):
    """A value in that order, with a dimension of channels."""
    return writer.reshape(value, (*value.shape, 1)) if 0 < rank < whole - 1 else value


def laid_out(value, order):
    """A fake tensor of the same sizes whose dimensions have this order in memory."""
    sizes, strides = ([hint_of(each[i]) for i in order] for each in (value.shape, value.stride()))
    is_so = all(n == 1 or a == b for n, a, b in zip(sizes, strides, interface.strides_of(sizes)))
    return value if is_so or 0 in strides else op.in_order(value.new_empty, value.shape, order)


def has_channels_last(value):
    rank = value.dim()
    return rank > 2 and 0 not in value.stride() and laid_out(value, order_of(rank, rank)) is value


# ---- Strides of a measurement --------------------------------------------------------------------


def moves_channels(graph):
    """Whether Inductor computes the convolutions of a graph with channels last."""
    if not any(node.target is CONVOLUTION for node in graph.nodes):
        return False
    return GraphLowering.decide_layout_opt(graph.owning_module, is_inference=True)
