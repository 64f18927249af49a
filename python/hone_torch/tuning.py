"""Schedules for a model's products, measured on this machine's GPU by the tool `hone`."""

import logging
import os
import pathlib
import shutil
import subprocess
import tempfile

import torch

from . import inductor
from .interface import Error

log = logging.getLogger("hone")


def tune(model, inputs, db="hone.db", trials=64, options=None):
    """Searches schedules for the products of `model(*inputs)`, stores them in the database `db`,
    and gives the compiled model. Further `options` are those of the backend."""
    settings = {**(options or {}), "hone.database": str(pathlib.Path(db).resolve())}
    modules, f32 = {}, inductor.Settings.of({"f32": (options or {}).get("hone.f32", "")}).products()
    with torch.no_grad():
        torch._dynamo.reset()
        collecting = {**(options or {}), "hone.collect": modules}
        torch.compile(model, backend=inductor.backend, dynamic=False, options=collecting)(*inputs)
    torch._dynamo.reset()
    if not modules:
        raise Error("expected products in the model, but got none; see hone_torch.report()")
    with tempfile.TemporaryDirectory() as folder:
        for text, arch in modules.items():
            file = pathlib.Path(folder) / "product.mlir"
            file.write_text(text)
            command = [find_tool(), "tune", str(file), f"--db={db}", f"--trials={trials}", f"--arch={arch}",
                       f"--pipeline=f32={f32}"]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode == 1:  # a problem without a schedule: a build takes its own choice
                log.warning("hone tune has no schedule for a product: %s", done.stderr.splitlines()[-1])
            elif done.returncode:
                raise Error(f"hone tune failed with status {done.returncode}:\n{done.stderr}")
    return torch.compile(model, backend=inductor.backend, options=settings)


def find_tool():
    """The tool `hone`: $HONE_TOOL, or that of the wheel, of the build folder, or of the path."""
    here = pathlib.Path(__file__).resolve()
    for path in (os.environ.get("HONE_TOOL"), here.parent / "bin" / "hone", here.parents[2] / "build" / "bin" / "hone"):
        if path and os.access(path, os.X_OK):
            return str(path)
    if found := shutil.which("hone"):
        return found
    raise Error("expected the tool hone, but got none; set HONE_TOOL to its path")
