"""The operator of torch that runs a product and its epilogue: torch.ops.hone.product.

Its argument `spec` has all that a process needs to compile the kernel, so graphs that Inductor
has cached or exported need nothing else. Text that Hone has lowered is kept on disk.
"""

import concurrent.futures as futures
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import threading

import torch

from . import interface
from .interface import Error

# ---- What is compiled --------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Spec:
    """A function of linalg.Buffers. `inputs` has, for each tensor, the order of its dimensions in
    memory, their strides (None where they are open), and those that are repeated. `order` is that
    of the result's dimensions in memory; empty: as they are."""

    text: str
    inputs: tuple
    dtype: str
    options: str
    arch: str  # empty: that of the tensors' device
    order: tuple = ()

    def dump(self):
        return json.dumps(dataclasses.asdict(self), separators=(",", ":"))


def cache_folder():
    root = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    folder = pathlib.Path(root) / "hone" / "torch"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@functools.cache
def library_identity():
    stat = os.stat(interface.find_library()) if os.path.exists(interface.find_library()) else None
    return f"{interface.library().honeVersion()} {stat and (stat.st_size, stat.st_mtime_ns)}"


def file_identities(options):
    """Of the files that the options of a pipeline name: a database may have got records."""
    values = (word.partition("=")[2] for word in options.split())
    return [(path, os.stat(path).st_mtime_ns, os.stat(path).st_size) for path in values if os.path.isfile(path)]


def arch_of(device):
    if device.type != "cuda":
        return "host"
    own = torch.cuda.get_device_name(device)
    if own == torch.cuda.get_device_name(0):
        return "native"  # the first device's
    major, minor = torch.cuda.get_device_capability(device)
    return f"sm_{major}{minor}" + ("a" if major >= 9 else "")


def identity_of(arch):
    """The chip: two machines that share a folder may have different ones."""
    return torch.cuda.get_device_name(0) if arch == "native" else arch


AHEAD = {}  # futures of lower_ahead


@functools.cache
def workers():
    return futures.ThreadPoolExecutor(max(1, min(8, len(os.sched_getaffinity(0)))))


def lower_ahead(spec, arch):
    """Starts to lower a spec, so that `lower` finds it done."""
    key = spec.text, arch, spec.options
    if key not in AHEAD:
        AHEAD[key] = workers().submit(lower_now, *key)


def lower(text, arch, options):
    """The module after Hone's pipeline."""
    ahead = AHEAD.pop((text, arch, options), None)
    return ahead.result() if ahead else lower_now(text, arch, options)


def run(text, pipeline):
    with interface.own_session() as session:
        return session.run(text, pipeline)


def lower_now(text, arch, options):
    pipeline = interface.pipeline(arch, options)
    if arch == "host":
        return run(text, pipeline)
    key = json.dumps([text, pipeline, identity_of(arch), library_identity(), file_identities(options)])
    path = cache_folder() / (hashlib.sha256(key.encode()).hexdigest() + ".json")
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        result = run(text, pipeline)
    unique = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    unique.write_text(json.dumps(result))
    unique.replace(path)  # readers see all of it or none
    return result


class Launch:
    """A spec, compiled for an arch."""

    def __init__(self, spec, arch):
        self.spec = spec
        lowered, remarks = lower(spec.text, arch, spec.options)
        head = spec.text.partition(") {")[0]
        indices = head.count(": index")
        self.rank = head.partition("%result: memref<")[2].partition(">")[0].count("x")
        program = interface.session().load(lowered)
        types = (None,) * (len(spec.inputs) + 1)
        self.function = interface.Function(program, "main", types, lowered, remarks, indices)

    def __call__(self, inputs, size, extents, out=None):
        device = inputs[0].device
        out = empty_of(self.spec, size, torch.empty, device=device) if out is None else out
        if not out.numel():
            return out
        tensors, layouts = [], []
        for tensor, (order, strides, repeated) in zip(inputs, self.spec.inputs, strict=True):
            if tensor.dim() > len(order):
                tensor = tensor.flatten(0, -2)  # a matrix where extents are open
            for dim in repeated:
                tensor = tensor.narrow(dim, 0, 1)
            tensor, layout = lay_out(tensor.permute(order), strides)
            tensors.append(tensor)
            layouts.append(layout)
        whole = out.permute(self.spec.order) if self.spec.order else out
        whole = whole.flatten(0, -2) if whole.dim() > self.rank else whole
        layouts.append((*whole.shape, *whole.stride()))
        pointers = [tensor.data_ptr() for tensor in (*tensors, out)]
        if device.type != "cuda":
            self.function(pointers, layouts=layouts, extents=extents)
            return out
        bytes_ = self.function.workspace_of(layouts, extents)
        scratch = torch.empty(bytes_, dtype=torch.uint8, device=device) if bytes_ else None
        stream = torch.cuda.current_stream(device).cuda_stream
        self.function(pointers, stream, scratch is not None and scratch.data_ptr(), layouts, extents, bytes_)
        return out


def empty_of(spec, size, empty, **options):
    """New memory for the result of a spec."""
    return in_order(empty, size, spec.order or range(len(size)), dtype=getattr(torch, spec.dtype), **options)


def in_order(empty, sizes, order, **options):
    """A new tensor of these sizes whose dimensions have this order in memory."""
    places = [list(order).index(i) for i in range(len(sizes))]
    return empty([sizes[i] for i in order], **options).permute(places)


def lay_out(tensor, strides):
    """The tensor, in strides that the function was compiled for and at a multiple of 16 bytes,
    copied where it is not; and its descriptor's sizes and strides."""
    shape, own = tuple(tensor.shape), tensor.stride()
    wanted = tuple(b if a is None else a for a, b in zip(strides, own))
    is_alike = all(n == 1 or a == b for n, a, b in zip(shape, own, wanted))
    if not is_alike or tensor.data_ptr() % 16:
        tensor = torch.empty_strided(shape, wanted, dtype=tensor.dtype, device=tensor.device).copy_(tensor)
    return tensor, (*shape, *wanted)


@functools.cache
def spec_of(text):
    fields = json.loads(text)
    inputs = tuple(tuple(tuple(part) for part in each) for each in fields.pop("inputs"))
    return Spec(inputs=inputs, order=tuple(fields.pop("order")), **fields)


@functools.cache
def launch_of(text, arch):
    return Launch(spec_of(text), arch)


# ---- The operator ------------------------------------------------------------------------------


def product(inputs, size, extents, spec):
    device = inputs[0].device
    if any(tensor.device != device for tensor in inputs):
        places = ", ".join(str(tensor.device) for tensor in inputs)
        raise Error(f"expected tensors of one device, but got {places}; move them to one")
    arch = spec_of(spec).arch or arch_of(device)
    if (arch == "host") != (device.type == "cpu"):
        raise Error(f"expected tensors for a kernel of arch={arch}, but got some on {device}; compile for that device")
    launch = launch_of(spec, arch)
    if device.type == "cpu" or device.index == torch.cuda.current_device():
        return launch(inputs, size, extents)
    with torch.cuda.device(device):
        return launch(inputs, size, extents)


def fake(inputs, size, extents, spec):
    return empty_of(spec_of(spec), size, inputs[0].new_empty)


LIBRARY = torch.library.Library("hone", "DEF")
LIBRARY.define(
    "product(Tensor[] inputs, SymInt[] size, SymInt[] extents, str spec) -> Tensor",
    tags=(torch.Tag.needs_exact_strides, torch.Tag.pt2_compliant_tag),
)
for key in ("CPU", "CUDA"):
    LIBRARY.impl("product", product, key)
torch.library.register_fake("hone::product", fake, lib=LIBRARY)
