"""torch.compile(model, backend="hone"): Inductor, with products by Hone.

    torch.compile(model, backend="hone", options={"hone.f32": "tf32x3", "hone.mode": "reduce-overhead"})

Options that do not begin with `hone.` are Inductor's.
"""

import contextlib
import dataclasses
import functools

import torch

from . import linalg, op
from .interface import Error

WORDS = {"f32": ("", "exact", "tf32x3", "tf32")}


@dataclasses.dataclass
class Settings:
    """The options of the backend, without their prefix."""

    f32: str = ""  # products of f32 on a GPU; empty: by torch.set_float32_matmul_precision
    arch: str = ""  # empty: that of the tensors' device; another one is compiled for, not run
    database: str = ""  # measured schedules, of tune()
    pipeline: str = ""  # further options of hone-pipeline
    measure: object = True  # compare with Inductor's code, and take the faster; "prepare" compiles both
    min_gain: float = 0.02
    collect: dict = None  # of tune(): modules instead of kernels

    @property
    def is_measured(self):
        return self.measure and not self.arch and self.collect is None

    @classmethod
    def of(cls, options):
        names = {field.name for field in dataclasses.fields(cls)}
        for name, value in options.items():
            if name not in names:
                known = ", ".join(sorted(f"hone.{each}" for each in names))
                raise Error(f"expected an option of {known}, but got 'hone.{name}'")
            if value not in WORDS.get(name, (value,)):
                raise Error(f"expected hone.{name} to be one of {', '.join(WORDS[name][1:])}, but got '{value}'")
        return cls(**options)

    def products(self, is_convolution=False):
        """How products of f32 are computed on a GPU. torch has a switch of its own for convolutions."""
        if is_convolution and not self.f32:
            return "tf32" if torch.backends.cudnn.allow_tf32 else "exact"
        by_precision = {"highest": "exact", "high": "tf32", "medium": "tf32"}
        return self.f32 or by_precision[torch.get_float32_matmul_precision()]

    def options(self, is_convolution=False):
        database = f"database={self.database} " if self.database else ""
        return f"{database}f32={self.products(is_convolution)} {self.pipeline}".strip()

    def dtypes(self, device):
        return {torch.float16, torch.bfloat16, torch.float32}


def backend(graph, inputs, *, mode=None, options=None):
    """The backend of torch.compile, which torch finds by the name hone."""
    options = dict(options or {})
    mode = options.pop("hone.mode", mode)  # torch.compile takes a mode or options
    own = {key: options.pop(key) for key in list(options) if key.startswith("hone.")}
    inductor = torch._TorchCompileInductorWrapper(mode, options, None)
    inductor.config |= options_of(own, dict(inductor.config))
    return inductor(graph, inputs)


def options_of(options, patches=None):
    """Options of Inductor's that put Hone's pass into it, for other ways to call it:

    torch._inductor.aoti_compile_and_package(program, inductor_configs=hone_torch.options_of({}))"""
    from . import passes

    settings = Settings.of({key.removeprefix("hone."): value for key, value in options.items()})
    return {"post_grad_custom_pre_pass": passes.ProductPass(settings, patches or {})}


# ---- Products alone ----------------------------------------------------------------------------


def matmul(a, b, out):
    """out = a @ b, by Hone: for torch._inductor.config.external_matmul, which lets Inductor's own
    autotuning compare it with cuBLAS and Triton."""
    spec = spec_of_matmul(*((tuple(t.shape), t.stride(), t.dtype) for t in (a, b)), Settings().options())
    target = out if out.is_contiguous() else None
    with torch.cuda.device(out.device) if out.is_cuda else contextlib.nullcontext():
        result = op.launch_of(spec, op.arch_of(out.device))([a, b], out.shape, [], target)
    return out if target is not None else out.copy_(result)


@functools.cache
def spec_of_matmul(a, b, options):
    from . import aten, candidates

    layouts = [candidates.layout_of(shape, strides) for shape, strides, _ in (a, b)]
    dtype = aten.DTYPES[a[2]]
    writer = linalg.Buffers("main", [(shape, dtype, strides) for _, shape, strides, _ in layouts])
    values = [
        writer.transpose(value, [order.index(i) for i in range(2)])
        for value, (order, *_) in zip(writer.arguments, layouts)
    ]
    text = writer.finish([writer.contract("mk,kn->mn", *values, dtype)])
    inputs = tuple((order, strides, ()) for order, _, strides, _ in layouts)
    return op.Spec(text, inputs, str(a[2]).removeprefix("torch."), options, "").dump()
