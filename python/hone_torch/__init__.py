"""Products of torch models by Hone, inside Inductor.

    import torch, hone_torch
    model = torch.compile(model, backend="hone")
    model(x)
    print(hone_torch.report())

docs/Torch.md describes the backend. `interface`, `linalg` and `products` need no torch: the
example for JAX uses them, so this file imports torch only for a name that needs it.
"""

import importlib
import sys

_HOMES = {
    "backend": "inductor", "matmul": "inductor", "options_of": "inductor",
    "tune": "tuning", "report": "reports", "Backend": "whole",
}  # fmt: skip


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"expected a name of hone_torch, but got '{name}'; there are {', '.join(sorted(_HOMES))}")
    value = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


if "torch" in sys.modules:
    from . import op as _op  # saved programs call it by name
