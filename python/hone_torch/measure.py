"""Hone's kernel against Inductor's code for the same ops, on tensors of the model's strides.

Both run in turns, on the GPU as CUDA graphs over several copies of the tensors, so that weights
do not stay in the cache. A choice is kept on disk, with the device, torch's version and Hone's.
"""

import dataclasses
import functools
import hashlib
import json
import logging
import statistics
import threading
import time

import torch
from torch._inductor import compile_fx

from . import convolutions, op, ragged
from .aten import hint_of, size_of

log = logging.getLogger("hone")
ATEN = torch.ops.aten
FORMAT = 4  # of a record
CACHE_BYTES = 100 << 20  # copies of the tensors exceed a GPU's cache


@dataclasses.dataclass
class Choice:
    is_taken: bool
    reason: str
    is_measured: bool = False
    hone_us: float = None
    torch_us: float = None
    error: float = None

    @property
    def saved_us(self):
        return self.torch_us - self.hone_us if self.is_measured and self.hone_us else 0.0


def choose(candidate, settings, patches):
    """Whether `candidate` becomes Hone's."""
    device = candidate.result.meta["val"].device
    if not settings.is_measured:
        return Choice(True, "not measured")
    # Inductor fuses the epilogue with ops that follow, at no cost, if nothing else reads the result.
    is_fused = all(is_pointwise(user) for user in candidate.result.users)
    end = candidate.members.index(candidate.product) + 1 if is_fused else None
    nodes = candidate.members[:end]
    if settings.measure == "prepare":
        in_thread(lambda: compare(candidate, nodes, device, patches, is_timed=False))
        return Choice(False, "prepared", is_measured=True)
    parts = [candidate.text, len(nodes)]
    values, options = candidate.measured_values(), candidate.spec.options
    found = recall(parts, values, patches, options, lambda: compare(candidate, nodes, device, patches))
    choice = judge(found, settings)
    if choice.is_taken:
        candidate.text = candidate.with_options(found["variant"])
    return choice


def judge(found, settings):
    if found.get("failure"):
        log.warning("a kernel of Hone's: %s; Inductor's is used", found["failure"])
        return Choice(False, found["failure"])
    hone_us, torch_us, error, allowed = (found[word] for word in ("hone_us", "torch_us", "error", "allowed"))
    gain = min(found["ratio"], torch_us / hone_us)  # two medians: of turns, and of times
    fields = {"is_measured": True, "hone_us": hone_us, "torch_us": torch_us, "error": error}
    if not error <= allowed:
        log.warning("a kernel of Hone's has an error of %.2e, more than %.2e; Inductor's is used", error, allowed)
        return Choice(False, f"expected an error of at most {allowed:.2e}, but got {error:.2e}", **fields)
    return Choice(gain > 1 + settings.min_gain, f"{gain:.3f} of Inductor's speed", **fields)


# ---- The two sides -----------------------------------------------------------------------------


def compare(candidate, nodes, device, patches, is_timed=True):
    """Errors and times, as a record. Runs outside of the compilation that asks."""
    try:
        inputs = [sample(value) for value in candidate.measured_values()]
        draw_rows(candidate, inputs)
        size = [hint_of(s) for s in candidate.result.meta["val"].shape]
        extents = [extent_hints(candidate)[extent] for extent in candidate.extents]
        product = functools.partial(torch.ops.hone.product, size=size, extents=extents)
        ours = {more: functools.partial(product, spec=text) for more, text in candidate.variants().items()}
        module, used = as_module(nodes, candidate.inputs)
        whole = module if len(nodes) == len(candidate.members) else as_module(candidate.members, candidate.inputs)[0]
        rival = compiled(module, [inputs[i] for i in used], patches)
        if not is_timed:
            return None
        copies = copies_of(inputs)
        own = [list(map(in_strides_of, candidate.read_values(), each)) for each in copies]
        sides = {more: [lambda c=c, f=f: f(c) for c in own] for more, f in ours.items()}
        sides["inductor"] = [lambda c=c: rival(*(c[i] for i in used)) for c in copies]
        is_captured = candidate.product.target is not ragged.GROUPED or not ragged.reads_ends(device)
        times = in_turns(sides, device, is_captured=is_captured)
        rivals = times.pop("inductor")
        torch_us = statistics.median(rivals)
        ratios = {more: statistics.median(b / a for a, b in zip(each, rivals)) for more, each in times.items()}
        variant = max(ratios, key=ratios.get)
        error, allowed = errors(ours[variant], whole, inputs, candidate.has_tf32())
    except Exception as error_:  # the model runs without
        return {"failure": f"{type(error_).__name__}: {str(error_).splitlines()[0] if str(error_) else ''}"[:300]}
    hone_us = statistics.median(times[variant])
    return {"hone_us": hone_us, "torch_us": torch_us, "ratio": ratios[variant], "variant": variant,
            "error": error, "allowed": allowed}  # fmt: skip


def as_module(nodes, inputs):
    """Nodes as a module of their own, with numbers for open extents; and the inputs that it reads."""
    graph, values, used = torch.fx.Graph(), {}, []
    inner = set(nodes)
    outer = [i for i, node in enumerate(inputs) if any(user in inner for user in node.users)]
    before = dict.fromkeys(each for node in nodes for each in node.all_input_nodes if each not in inner)
    for i in outer:
        values[inputs[i]] = graph.placeholder(f"input{i}")
        used.append(i)
    for node in before:
        if node not in values:
            hint = hint_of(node.meta["val"])
            values[node] = hint
    for node in nodes:
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda n: values[n])
        values[node] = graph.call_function(node.target, args, kwargs)
    graph.output((values[nodes[-1]],))
    return torch.fx.GraphModule(torch.nn.Module(), graph), used


def compiled(module, inputs, patches):
    """By Inductor, in the mode of the model; eager where that fails."""
    patches = {**patches, "post_grad_custom_pre_pass": None, "triton.cudagraphs": False}
    try:
        function = compile_fx.compile_fx(module, inputs, config_patches=patches)
        function(*inputs)
        return function
    except Exception as error:
        log.info("Inductor does not compile %s by itself: %s", module.code, error)
        return module


def sample(value):
    """Random numbers in a fake tensor's shape and strides."""
    shape, strides = [hint_of(s) for s in value.shape], [hint_of(s) for s in value.stride()]
    tensor = torch.empty_strided(shape, strides, dtype=value.dtype, device=value.device)
    dense = tensor.as_strided([sum((n - 1) * s for n, s in zip(shape, strides)) + 1], [1])
    if value.dtype.is_floating_point:
        dense.normal_()
    else:
        dense.random_(0, 2)
    return tensor


def draw_rows(candidate, inputs):
    """Puts other numbers into the ends of groups and into indices of rows."""
    for node in candidate.members:
        if node.target is ragged.GROUPED:
            ragged.draw_ends(inputs[candidate.inputs.index(ragged.ends_of(node))], *node.args[:2])
        elif node.target is ragged.GATHER:
            matrix, [rows] = node.args
            inputs[candidate.inputs.index(rows)].random_(0, hint_of(matrix.meta["val"].shape[0]))


def errors(hone, module, inputs, has_tf32):
    """The error of Hone's result and the allowed one, in units of the result's deviation. The
    reference is in f64; twice torch's own error and the rounding of a product are allowed."""
    inner = max((t for t in inputs if t.is_floating_point()), key=lambda t: t.numel())
    [own] = module(*inputs)
    ours = hone(inputs)
    [exact] = widened(module)(*(t.double() if t.is_floating_point() else t for t in inputs))
    scale = torch.where(exact.isfinite(), exact, 0).std(correction=0).clamp_min(1e-30)
    error, torch_error = (largest_difference(each, exact) / scale for each in (ours, own))
    step = max(torch.finfo(own.dtype).eps if own.is_floating_point() else 0, 2.0**-20)
    if inner.dtype == torch.float32 and has_tf32:
        step = max(step, 2.0**-9)
    return error.item(), (2 * torch_error + 4 * step).item()


def largest_difference(result, exact, at_once=1 << 26):
    """In parts: in f64 a large result takes much memory."""
    parts = zip(result.flatten().split(at_once), exact.flatten().split(at_once))
    return torch.stack([difference(a.double(), b).max() for a, b in parts]).max()  # NaN if one is


def difference(a, b):
    """Zero where both are the same infinity or NaN, as in masked scores."""
    return torch.where((a == b) | (a.isnan() & b.isnan()), 0, (a - b).abs())


def widened(module):
    """The same ops in f64, without roundings between them."""
    graph = torch.fx.Graph()
    result = graph.graph_copy(module.graph, {})
    graph.output(result)
    for node in graph.nodes:
        node.target = ragged.in_slices if node.target is ragged.GROUPED else node.target
        wide = [torch.float64 if isinstance(a, torch.dtype) and a.is_floating_point else a for a in node.args]
        node.args = tuple(wide)
        if getattr(node.kwargs.get("dtype"), "is_floating_point", False):
            node.kwargs = {**node.kwargs, "dtype": torch.float64}
    return torch.fx.GraphModule(torch.nn.Module(), graph)


def in_strides_of(value, tensor):
    """The tensor in the strides of a fake one."""
    return op.lay_out(tensor, tuple(map(hint_of, value.stride())))[0]


def copies_of(inputs):
    size = max(1, sum(t.untyped_storage().nbytes() for t in inputs))
    count = 1 if inputs[0].device.type == "cpu" else max(1, min(8, -(-CACHE_BYTES // size)))
    return [inputs, *([same_strides(t) for t in inputs] for _ in range(count - 1))]


def same_strides(tensor):
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device).copy_(tensor)


# ---- Times -------------------------------------------------------------------------------------


def in_turns(sides, device, seconds=0.15, rounds=15, is_captured=True):
    """Microseconds a call of each side, which is a list of functions, in each round. The order
    turns: a side after one that takes much power is slower."""
    timer = time_on_gpu(sides, device, is_captured) if device.type == "cuda" else time_on_cpu(sides)
    begin, times = time.perf_counter(), {side: [] for side in sides}
    for turn in range(rounds):
        if turn >= 6 and time.perf_counter() - begin > seconds:
            break
        order = list(sides)
        first = turn % len(order)
        for side in order[first:] + order[:first]:
            times[side].append(timer(side))
    return times


def time_on_cpu(sides):
    def run(side):
        begin = time.perf_counter()
        for function in sides[side]:
            function()
        return (time.perf_counter() - begin) * 1e6 / len(sides[side])

    for side in sides:
        run(side)
    return run


def time_on_gpu(sides, device, is_captured):
    torch.cuda.synchronize(device)
    stream, launches, counts = torch.cuda.Stream(device), {}, {}
    with torch.cuda.device(device), torch.cuda.stream(stream):
        for side, functions in sides.items():
            for function in functions[:1] * 2:
                function()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record(stream)
            functions[0]()
            end.record(stream)
            end.synchronize()
            repeats = max(1, min(8, round(1 / max(begin.elapsed_time(end), 1e-3) / len(functions))))
            counts[side] = len(functions) * repeats
            launches[side] = functools.partial(call_each, functions * repeats)
            if is_captured:
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
                    launches[side]()
                launches[side] = graph.replay
            launches[side]()
        stream.synchronize()

    def run(side):
        with torch.cuda.device(device), torch.cuda.stream(stream):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record(stream)
            launches[side]()
            end.record(stream)
            end.synchronize()
            return begin.elapsed_time(end) * 1000 / counts[side]

    return run


def call_each(functions):
    for function in functions:
        function()  # memory of a result is used again


# ---- Places ------------------------------------------------------------------------------------


def in_thread(function):
    """Calls `function` without the fake tensors and the state of the compilation that runs here."""
    answer = []

    def call():
        with torch.no_grad():
            answer.append(function())
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    return answer[0]


def memory_file():
    return op.cache_folder() / "choices.jsonl"


@functools.cache
def remembered():
    try:
        lines = memory_file().read_text().splitlines()
    except OSError:
        return {}
    records = {}
    for line in lines:
        try:
            record = json.loads(line)
            records[record.pop("key")] = record
        except (ValueError, KeyError):
            continue  # a line that another process did not end
    return records


def recall(parts, values, patches, options, compare):
    """The record of a measurement on tensors like `values`: an earlier one of the same parts, or that of `compare`."""
    places = [[list(map(hint_of, v.shape)), list(map(hint_of, v.stride())), str(v.dtype)] for v in values]
    precision = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    key = [FORMAT, *parts, places, sorted(map(str, patches.items())), precision, options]
    key += [device_name(values[0].device), torch.__version__, op.library_identity(), op.file_identities(options)]
    key = hashlib.sha256(json.dumps(key).encode()).hexdigest()
    found = remembered().get(key)
    if found is None:
        found = in_thread(compare)
        if "failure" not in found:  # memory may suffice the next time
            remember(key, found)
    return found


def remember(key, record):
    remembered()[key] = record
    with open(memory_file(), "a") as file:
        file.write(json.dumps({"key": key, **record}) + "\n")


# ---- Nodes -------------------------------------------------------------------------------------

VIEWS = ("aten.view", "aten.reshape", "aten.permute", "aten.expand", "aten.unsqueeze", "aten.squeeze")
READERS = ("prims.convert_element_type", "aten.clone", "aten.sum", "aten.mean", "aten.amax", "aten.amin", "aten.max",
           "aten.min", "aten.var")  # fmt: skip
PRODUCTS = (ATEN.mm.default, ATEN.bmm.default, ATEN.addmm.default, ragged.GROUPED, convolutions.CONVOLUTION)


def values_of(nodes):
    return [node.meta["val"] for node in nodes]


def extent_hints(candidate):
    values = [*values_of(candidate.inputs), *values_of(candidate.members)]
    return {size_of(size): hint_of(size) for value in values for size in value.shape}


def device_name(device):
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"


def is_pointwise(node):
    """Whether Inductor fuses this reader with ops before it."""
    if node.op != "call_function" or node.target in PRODUCTS:
        return False
    name = str(node.target)
    if name.startswith(VIEWS):
        return any(is_pointwise(user) for user in node.users)
    return torch.Tag.pointwise in getattr(node.target, "tags", ()) or name.startswith(READERS)
