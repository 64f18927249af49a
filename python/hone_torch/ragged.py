"""Products whose rows belong to groups or are read through an index: numbers to draw, and what torch does.

`GROUPED` is torch's product of groups, whose ends are numbers in memory. `GATHER` reads rows of a matrix.
"""

import operator

import torch

from .aten import hint_of

ATEN = torch.ops.aten
GROUPED = ATEN._grouped_mm.default
GATHER = ATEN.index.Tensor

# ---- Groups --------------------------------------------------------------------------------------


def ends_of(node):
    return node.kwargs["offs"] if "offs" in node.kwargs else node.args[2]


def draw_ends(tensor, a, b):
    """Ends of groups of uneven sizes, the same ones each time, which have all rows. Where these are adjacent in
    memory, an assertion of torch's kernel needs multiples of 16 bytes."""
    a, b = a.meta["val"], b.meta["val"]
    dim = 1 if b.dim() == 2 else 0
    rows, strides = hint_of(a.shape[dim]), [hint_of(a.stride(dim)), *([hint_of(b.stride(0))] if dim else [])]
    step = 16 // a.dtype.itemsize if 1 in strides else 1
    weights = -torch.rand(len(tensor), generator=torch.Generator().manual_seed(0), dtype=torch.float64).log()
    ends = (weights.cumsum(0) / weights.sum() * rows / step).round().int() * step
    ends[-1] = rows
    tensor.copy_(ends.clamp(max=rows))


def in_slices(a, b, offs, *_, **__):
    """aten._grouped_mm by a product a group, for types that it does not have."""
    ends = offs.tolist()
    parts = list(enumerate(zip([0, *ends], ends)))
    if b.dim() == 2:
        return torch.stack([a[:, i:j] @ b[i:j] for _, (i, j) in parts])
    return torch.cat([a[i:j] @ b[group] for group, (i, j) in parts])


def reads_ends(device):
    """Whether torch's grouped product on a GPU reads the ends on the host, so that no CUDA graph has it."""
    return device.type == "cuda" and torch.cuda.get_device_capability(device)[0] not in (9, 10)


# ---- Rows of an index ------------------------------------------------------------------------------


def gather_of(product):
    """The node before a product that reads the rows of its first factor, for it alone; none if there is none."""
    node, other = product.args[:2]
    is_of_rows = (product.target, other.meta["val"].dim()) in ((ATEN.mm.default, 2), (GROUPED, 3))
    if not is_of_rows or node.target is not GATHER or len(node.users) > 1:
        return None
    matrix, indices = node.args
    is_matrix = matrix.meta["val"].dim() == 2 and len(indices) == 1 and indices[0].meta["val"].dim() == 1
    return node if is_matrix and are_places(indices[0]) else None


def are_places(node):
    """Whether no index is negative: torch counts those from the end, and Hone reads zeros."""
    source = node.args[0] if node.args else None
    if node.target is operator.getitem:
        return source.target in (ATEN.sort.default, ATEN.sort.stable, ATEN.topk.default) and node.args[1] == 1
    if node.target is ATEN.div.Tensor_mode:
        return isinstance(node.args[1], int) and node.args[1] > 0 and are_places(source)
    return node.target in (ATEN.reshape.default, ATEN.view.default) and are_places(source)
