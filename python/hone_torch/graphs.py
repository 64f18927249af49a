"""A whole graph with Hone's kernels against the same graph without them.

A group that is faster alone can make its graph slower: Inductor then copies tensors into another order, or computes in
one kernel less of what surrounds the group. So a small graph is compiled both ways and timed in turns.
"""

import functools
import logging
import statistics
from unittest import mock

import torch
from torch._inductor import compile_fx, config

from . import measure

log = logging.getLogger("hone")
MAX_GROUPS = 8  # larger graphs take long to compile, and errors of their groups even out


def copy_of(graph):
    """The nodes of a graph, with their meta, as another graph."""
    copy = torch.fx.Graph()
    copy.output(copy.graph_copy(graph, {}))
    copy.output_node().meta.update(graph.output_node().meta)
    return copy


def are_static(graph):
    """Whether no value of a graph has an open extent."""
    values = [node.meta.get("val") for node in graph.nodes]
    symbols = torch.SymInt, torch.SymFloat, torch.SymBool
    flat = [each for value in values for each in (value if isinstance(value, (tuple, list)) else [value])]
    sizes = [size for each in flat if isinstance(each, torch.Tensor) for size in (*each.shape, *each.stride())]
    return not any(isinstance(each, symbols) for each in (*flat, *sizes))


def gain_of(module, before, after, patches, options):
    """The time of `before` over that of `after`, graphs of `module`; None where they cannot be timed."""
    values = [node.meta.get("val") for node in before.nodes if node.op == "placeholder"]
    if not values or not all(isinstance(value, torch.Tensor) for value in values):
        return None
    parts = [str(before), str(after)]
    found = measure.recall(parts, values, patches, options, lambda: compare(module, before, after, values, patches))
    if "failure" in found:
        log.info("a graph is not timed as a whole: %s", found["failure"])
    return found.get("ratio")


def compare(module, before, after, values, patches):
    try:
        inputs = [measure.sample(value) for value in values]
        sides = {}
        for side, graph in (("before", before), ("after", after)):
            function = compiled(torch.fx.GraphModule(module, graph), inputs, patches)
            sides[side] = [functools.partial(call, function, inputs)]
        times = measure.in_turns(sides, inputs[0].device)
    except Exception as error:  # the groups' own measurements decide
        return {"failure": f"{type(error).__name__}: {error}"[:300]}
    return {"ratio": statistics.median(b / a for a, b in zip(times["after"], times["before"]))}


def compiled(module, inputs, patches):
    """By Inductor, from a graph of AOTAutograd's; with the strides that an inserted op requires."""
    own = {"post_grad_custom_pre_pass": None, "triton.cudagraphs": False}
    record = compile_fx.record_original_output_strides

    def keep(module):
        """Some versions of torch would record the strides of Hone's results instead of the model's."""
        if "original_output_strides" not in module.graph.output_node().meta:
            record(module)

    with config.patch({**patches, **own}), mock.patch.object(compile_fx, "record_original_output_strides", keep):
        return compile_fx.compile_fx_inner(module, inputs, is_inference=True)


def call(function, inputs):
    return function(list(inputs))
