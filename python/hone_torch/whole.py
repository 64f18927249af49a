"""A backend of torch.compile that gives whole graphs to Hone, and none of their ops to torch.

    torch.compile(model, backend=hone_torch.Backend(options="rest=gpu"), dynamic=False)

An op that the exporter lacks is an error. inductor.py has the backend for products alone.
"""

import logging

import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd

from . import aten, convolutions, interface, linalg, op
from .interface import Error

log = logging.getLogger("hone")


def emit(writer, values, node):
    """Writes one node. Convolutions have channels last (convolutions.py), so their tensors are transposed."""
    if node.target is not convolutions.CONVOLUTION:
        return aten.emit(writer, values, node)
    if why := convolutions.refusal(node):
        raise Error(f"{why} in '{node.name}'")
    orders = {each: convolutions.order_in(each, node) for each in node.args[:2]}
    moved = {**values, **{each: writer.transpose(values[each], order) for each, order in orders.items()}}
    aten.emit(writer, moved, node)
    rank = node.meta["val"].dim()
    order = convolutions.order_of(rank, rank)
    values[node] = writer.transpose(moved[node], [order.index(i) for i in range(rank)])


class Backend:
    """`arch` is one of hone-pipeline's: by default native (the GPU in this machine) for a model on
    a GPU, and host for others. `options` are further options of hone-pipeline. `graphs` has the
    ops of each graph."""

    def __init__(self, arch=None, options=""):
        self.arch, self.options, self.graphs = arch, options, []
        self.compiler = aot_autograd(fw_compiler=self.compile)

    def __call__(self, module, inputs):
        return self.compiler(module, inputs)

    def compile(self, module, inputs):
        arch = self.arch or ("native" if any(is_on_gpu(node) for node in module.graph.nodes) else "host")
        self.graphs.append({"functions": [replace_all(module, arch, self.options)]})
        log.info("%s", self.graphs[-1])
        module.recompile()
        return make_boxed_func(module.forward)


def is_on_gpu(node):
    fake = node.meta.get("val")
    return isinstance(fake, torch.Tensor) and fake.device.type == "cuda"


def dense_order(fake):
    """The order of dimensions in which a tensor is contiguous, outermost first; None if there is
    none, as in a slice. A transposed weight is read where it lies."""
    order = sorted(range(fake.dim()), key=lambda i: (-fake.stride(i), i))
    return order if fake.permute(order).is_contiguous() else None


class Launch(torch.nn.Module):
    """The nodes of a graph, compiled. It is called with `inputs` and allocates the results and the
    workspace: torch's allocator supports the stream, and CUDA graphs."""

    def __init__(self, nodes, inputs, results, arch, options):
        super().__init__()
        self.outputs = [node.meta["val"] for node in results]
        self.strides, arguments, orders = [], [], []
        for node in (*inputs, *results):
            shape, _ = aten.type_of(node)
            if not all(isinstance(size, int) for size in shape):
                raise Error(f"expected static extents, but got {shape} of '{node.name}'; use dynamic=False")
        for node in inputs:
            (shape, dtype), fake = aten.type_of(node), node.meta["val"]
            order = dense_order(fake) or list(range(len(shape)))
            contiguous = fake.permute(order).contiguous()
            restored = contiguous.permute([order.index(i) for i in range(len(order))])
            self.strides.append(restored.stride())
            arguments.append((tuple(shape[i] for i in order), dtype))
            orders.append(order)
        writer = linalg.Function("main", arguments)
        values = {
            node: writer.transpose(value, [order.index(i) for i in range(len(order))])
            for node, value, order in zip(inputs, writer.arguments, orders)
        }
        for node in nodes:
            emit(writer, values, node)
        text = writer.finish([values[node] for node in results])
        types = (*arguments, *(aten.type_of(node) for node in results))
        self.function = interface.compile(text, "main", tuple(types), arch, options)

    def forward(self, *tensors):
        tensors = [op.lay_out(tensor, strides)[0] for tensor, strides in zip(tensors, self.strides)]
        device = self.outputs[0].device
        outputs = [torch.empty(fake.shape, dtype=fake.dtype, device=device) for fake in self.outputs]
        pointers = [tensor.data_ptr() for tensor in (*tensors, *outputs)]
        if device.type == "cuda":
            with torch.cuda.device(device):
                workspace = torch.empty(self.function.workspace, dtype=torch.uint8, device=device)
                self.function(pointers, torch.cuda.current_stream().cuda_stream, workspace.data_ptr())
        else:
            self.function(pointers)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)


def replace_all(module, arch, options):
    """One function for everything; gives its ops."""
    graph = module.graph
    nodes = [node for node in graph.nodes if node.op == "call_function"]
    inputs = [node for node in graph.nodes if node.op in ("placeholder", "get_attr") and node.users]
    inputs = [node for node in inputs if any(user.op == "call_function" for user in node.users)]
    [output] = graph.find_nodes(op="output")
    results = [node for node in output.all_input_nodes if node.op == "call_function"]
    launch = Launch(nodes, inputs, results, arch, options)
    if arch != "host" and (work := launch.function.host_work()):
        raise Error(f"expected a graph that runs on the GPU alone, but got work on the host: {work[0]}")
    module.add_submodule("hone_0", launch)
    with graph.inserting_before(output):
        call = graph.call_module("hone_0", tuple(inputs))
        parts = [call] if len(results) == 1 else [graph.call_function(getitem, (call, i)) for i in range(len(results))]
    for node, part in zip(results, parts):
        output.replace_input_with(node, part)
    graph.eliminate_dead_code()
    graph.lint()
    return " ".join(str(node.target) for node in nodes)


def getitem(values, index):
    return values[index]
