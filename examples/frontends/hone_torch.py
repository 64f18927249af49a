"""A backend of torch.compile: products, and ops that fuse into them, run as kernels of Hone's, on
torch's stream and in torch's memory; torch runs the rest.

    model = torch.compile(model, backend=hone_torch.Backend(), dynamic=False)

With rest="hone" the whole graph goes to Hone, and an op that the exporter lacks is an error.
"""

import logging

import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd

import aten
import hone
import linalg
import products

log = logging.getLogger("hone")


class Backend:
    """`arch` is one of hone-pipeline's: by default native (the GPU in this machine) for a model on
    a GPU, and host for others. `options` are further options of hone-pipeline.

    `graphs` tells what became of each graph: how many functions Hone compiled, which ops they
    took, and how often torch runs which op."""

    def __init__(self, arch=None, rest="torch", options=""):
        if rest not in ("torch", "hone"):
            raise hone.Error(f"expected torch or hone to run the rest, but got '{rest}'")
        self.arch, self.rest, self.options, self.graphs = arch, rest, options, []
        self.compiler = aot_autograd(fw_compiler=self.compile)

    def __call__(self, module, inputs):
        return self.compiler(module, inputs)

    def compile(self, module, inputs):
        report = {"functions": [], "torch": {}}
        arch = self.arch or ("native" if any(is_on_gpu(node) for node in module.graph.nodes) else "host")
        if self.rest == "hone":
            replace_all(module, arch, self.options, report)
        else:
            replace_products(module, arch, self.options, report)
        for node in module.graph.nodes:
            if node.op == "call_function":
                report["torch"][str(node.target)] = report["torch"].get(str(node.target), 0) + 1
        log.info("%s", report)
        self.graphs.append(report)
        module.recompile()
        return make_boxed_func(module.forward)


def is_on_gpu(node):
    fake = node.meta.get("val")
    return isinstance(fake, torch.Tensor) and fake.device.type == "cuda"


# ---- A part of a graph as a function of Hone's -------------------------------------------------


def dense_order(fake):
    """The order of dimensions in which a tensor is contiguous, outermost first; None if there is
    none, as in a slice. A transposed weight is read where it lies."""
    order = sorted(range(fake.dim()), key=lambda i: (-fake.stride(i), i))
    return order if fake.permute(order).is_contiguous() else None


class Launch(torch.nn.Module):
    """Some nodes of a graph, compiled. It is called with `inputs` and allocates the results and the
    workspace: torch's allocator supports the stream, and CUDA graphs."""

    def __init__(self, nodes, inputs, results, arch, options):
        super().__init__()
        self.outputs = [node.meta["val"] for node in results]
        self.strides, arguments, orders = [], [], []
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
            aten.emit(writer, values, node)
        text = writer.finish([values[node] for node in results])
        types = (*arguments, *(aten.type_of(node) for node in results))
        self.function = hone.compile(text, "main", tuple(types), arch, options)

    def forward(self, *tensors):
        tensors = [lay_out(tensor, strides) for tensor, strides in zip(tensors, self.strides)]
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


def lay_out(tensor, strides):
    """The tensor, in the layout that the function was compiled for, at a multiple of 16 bytes."""
    if tensor.data_ptr() % 16 == 0 and all(size == 1 or a == b for size, a, b in zip(tensor.shape, tensor.stride(), strides)):
        return tensor
    return torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype, device=tensor.device).copy_(tensor)


def describe(nodes):
    return " ".join(str(node.target) for node in nodes)


# ---- Into the graph ----------------------------------------------------------------------------


def replace_products(module, arch, options, report):
    """Every product with the ops that fuse into it becomes a call; a group that would leave work on
    the host, or is refused, stays with torch."""
    dtypes = {"f16", "bf16", "f32"} if arch == "host" else {"f16", "bf16"}
    graph = module.graph
    nodes = [node for node in graph.nodes if node.op == "call_function"]
    products.take_groups(
        nodes,
        inputs_of=lambda node: node.all_input_nodes,
        users_of=lambda node: node.users,
        kind_of=lambda node: aten.kind_of(node, dtypes),
        take=lambda groups: replace_first(module, groups, arch, options, report),
        may_leave=lambda node: node.meta["val"].is_contiguous(),
    )
    graph.eliminate_dead_code()
    graph.lint()


def replace_first(module, groups, arch, options, report):
    """Replaces the first of `groups` that Hone runs without the host; gives its nodes."""
    for members in groups:
        inputs = products.inputs_of_group(members, lambda node: node.all_input_nodes)
        launch = Launch(members, inputs, members[-1:], arch, options)
        if arch != "host" and (work := launch.function.host_work()):
            log.info("%s leaves work on the host: %s", describe(members), work[0])
            continue
        name = f"hone_{len(report['functions'])}"
        module.add_submodule(name, launch)
        with module.graph.inserting_before(members[-1]):
            call = module.graph.call_module(name, tuple(inputs))
        call.meta.update(members[-1].meta)
        members[-1].replace_all_uses_with(call)
        report["functions"].append(describe(members))
        return members
    return []


def replace_all(module, arch, options, report):
    """One function for everything."""
    graph = module.graph
    nodes = [node for node in graph.nodes if node.op == "call_function"]
    inputs = [node for node in graph.nodes if node.op in ("placeholder", "get_attr") and node.users]
    inputs = [node for node in inputs if any(user.op == "call_function" for user in node.users)]
    [output] = graph.find_nodes(op="output")
    results = [node for node in output.all_input_nodes if node.op == "call_function"]
    launch = Launch(nodes, inputs, results, arch, options)
    if arch != "host" and (work := launch.function.host_work()):
        raise hone.Error(f"expected a graph that runs on the GPU alone, but got work on the host: {work[0]}")
    module.add_submodule("hone_0", launch)
    with graph.inserting_before(output):
        call = graph.call_module("hone_0", tuple(inputs))
        parts = [call] if len(results) == 1 else [graph.call_function(getitem, (call, i)) for i in range(len(results))]
    for node, part in zip(results, parts):
        output.replace_input_with(node, part)
    graph.eliminate_dead_code()
    graph.lint()
    report["functions"].append(describe(nodes))


def getitem(values, index):
    return values[index]
