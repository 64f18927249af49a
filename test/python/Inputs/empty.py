"""The installed package without torch: the library, its C interface, and the entry point."""

import array
import importlib.metadata

import hone_torch
from hone_torch import interface, linalg

print("library:", interface.find_library())
function = linalg.Function("product", [((2, 2), "f32"), ((2, 2), "f32")])
text = function.finish([function.contract("mk,kn->mn", *function.arguments, "f32")])
product = interface.compile(text, "product", (((2, 2), "f32"),) * 3, "host")
a, b, c = (array.array("f", numbers) for numbers in ((1, 2, 3, 4), (5, 6, 7, 8), (0, 0, 0, 0)))
product([numbers.buffer_info()[0] for numbers in (a, b, c)])
print("product:", c.tolist())
[entry] = importlib.metadata.entry_points(group="torch_dynamo_backends")
print(f"entry point: {entry.name} = {entry.value}")
for what, name in (("without torch", "backend"), ("unknown", "tuen")):
    try:
        getattr(hone_torch, name)
    except (ImportError, AttributeError) as error:
        print(f"{what}: {error}")
