"""Hone's C interface for Python, through ctypes: the functions of hone-c/Hone.h and
hone-c/Runtime.h alone.

    function = interface.compile(module, "main", [((512, 768), "f16"), ...], arch="native")
    scratch = torch.empty(function.workspace, dtype=torch.uint8, device="cuda")
    function([a.data_ptr(), b.data_ptr(), out.data_ptr()], stream, scratch.data_ptr())

The library is libhone.so of a build or an installation, or libhone-static.so, which needs
no LLVM: $HONE_LIBRARY, or else the one of the wheel, or of the build folder or installation that
this file belongs to, or else the one that the loader finds.
"""

import contextlib
import ctypes
import functools
import os
import pathlib
import threading

Pointer, Text, Size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t


class Error(RuntimeError):
    """A message of the compiler or the runtime."""


# ---- The library -----------------------------------------------------------------------------


def find_library():
    here = pathlib.Path(__file__).resolve()
    build = here.parents[2] / "build" / "lib"
    packaged = here.parent / "lib" / "libhone-static.so"
    installed = here.parents[5] / "lib" / "libhone.so" if len(here.parents) > 5 else packaged
    given = os.environ.get("HONE_LIBRARY")
    for path in (given, packaged, build / "libhone.so", build / "libhone-static.so", installed):
        if path and os.path.exists(path):
            return str(path)
    return "libhone.so"


@functools.cache
def library():
    path = find_library()
    try:
        lib = ctypes.CDLL(path)
    except OSError as error:
        raise Error(f"expected Hone's library, but got '{error}'; set HONE_LIBRARY to its path") from None
    for name, result, parameters in (
        ("honeVersion", ctypes.c_int, []),
        ("honeSessionCreate", Pointer, []),
        ("honeRunPipelineOnBytes", ctypes.c_int, [Pointer, Text, Size, Text, Pointer, Pointer]),
        ("honeProgramCreate", ctypes.c_int, [Pointer, Text, Size, Pointer, Pointer]),
        ("honeProgramFunction", Pointer, [Pointer, Text]),
        ("honeProgramDestroy", None, [Pointer]),
        ("honeFreeText", None, [Pointer]),
        # These are libhone_rt's, which libhone brings along.
        ("honeSetStream", None, [Pointer]),
        ("honeTakeStatus", ctypes.c_int32, []),
        ("honeLastError", Text, []),
    ):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, parameters
    return lib


def take_text(pointer):
    text = ctypes.string_at(pointer).decode() if pointer else ""
    library().honeFreeText(pointer)
    return text


# ---- The compiler ----------------------------------------------------------------------------


class Session:
    """One thread at a time uses the compiler."""

    def __init__(self):
        self.handle, self.lock = library().honeSessionCreate(), threading.Lock()

    def run(self, module, pipeline):
        """The module after the pipeline, and the remarks of its passes."""
        out, messages, text = Pointer(), Pointer(), module.encode()
        with self.lock:
            failed = library().honeRunPipelineOnBytes(
                self.handle, text, len(text), pipeline.encode(), ctypes.byref(out), ctypes.byref(messages)
            )
        lowered, said = take_text(out), take_text(messages)
        if failed:
            raise Error(f"the compiler refused a module:\n{said}\n{module}")
        return lowered, said

    def load(self, lowered):
        """A module that a pipeline is done with, as code in this process."""
        program, messages, text = Pointer(), Pointer(), lowered.encode()
        with self.lock:
            failed = library().honeProgramCreate(
                self.handle, text, len(text), ctypes.byref(program), ctypes.byref(messages)
            )
        said = take_text(messages)
        if failed:
            raise Error(f"the compiler refused host code:\n{said}\n{lowered}")
        return program


@functools.cache
def session():
    return Session()


IDLE = []  # sessions


@contextlib.contextmanager
def own_session():
    """One that no other thread uses."""
    try:
        mine = IDLE.pop()
    except IndexError:
        mine = Session()
    try:
        yield mine
    finally:
        IDLE.append(mine)


class Function:
    """A compiled function. It is called with the addresses of its arguments, outputs last, and of
    `workspace` bytes on the device, which no other call may use until this one is done.

    `types` are (shape, element type) of arguments that are contiguous. A function with open
    extents or strides has None, and gets `layouts` in each call."""

    def __init__(self, program, name, types, lowered, remarks, indices=0):
        self.program, self.name, self.types = program, name, types
        self.lowered, self.remarks = lowered, remarks
        address = library().honeProgramFunction(program, name.encode())
        if not address:
            raise Error(f"expected a function, but got none of the name '{name}'")
        self.fixed = None if None in types else [(*shape, *strides_of(shape)) for shape, _ in types]
        query = library().honeProgramFunction(program, f"{name}_workspace".encode())  # none on the host
        self.takes_workspace = bool(query)
        arguments = [Pointer] * len(types) + [ctypes.c_int64] * indices
        self.query = ctypes.CFUNCTYPE(ctypes.c_int64, *arguments)(query) if query else None
        self.call = ctypes.CFUNCTYPE(None, *arguments, *[Pointer] * self.takes_workspace)(address)
        self.workspace = self.workspace_of(self.fixed) if self.fixed else None

    def workspace_of(self, layouts, extents=()):
        """How many bytes of workspace a call with these layouts takes."""
        if not self.query:
            return 0
        descriptors = describe([0] * len(layouts), layouts)
        return self.query(*map(ctypes.addressof, descriptors), *extents)

    def __call__(self, pointers, stream=None, workspace=None, layouts=None, extents=(), size=None):
        """Starts the work on `stream` (a CUstream), in the calling thread's CUDA context, and
        does not wait. On the host it is done when this returns.

        `layouts` are the sizes, then the strides, of each argument; `extents` are the arguments of
        index type; `size` is the number of bytes of the workspace for these."""
        layouts, size = layouts or self.fixed, self.workspace if size is None else size
        if len(pointers) != len(layouts):
            raise Error(f"expected {len(layouts)} addresses for '{self.name}', but got {len(pointers)}")
        if size and not workspace:
            raise Error(f"expected a workspace of {size} bytes for '{self.name}', but got none")
        descriptors = describe(pointers, layouts)
        places = list(map(ctypes.addressof, descriptors))
        places.extend(extents)
        if self.takes_workspace:
            scratch = (ctypes.c_int64 * 5)(workspace or 0, workspace or 0, 0, size, 1)
            places.append(ctypes.addressof(scratch))
        lib = library()
        lib.honeSetStream(stream)
        lib.honeTakeStatus()  # drop the status of earlier calls
        self.call(*places)
        if status := lib.honeTakeStatus():
            raise Error(f"a launch of '{self.name}' failed with status {status}: {lib.honeLastError().decode()}")

    def host_work(self):
        """The work of a function for a GPU on the host: the lines of loops and of ops that read
        or write single elements. Empty if it only launches."""
        marks = ("linalg.", "scf.", "cf.br", "affine.", "memref.load", "memref.store", "memref.copy", "honeSynchronize")
        # A variable that holds a memref is for the way out of a failure, as is cf.cond_br.
        others = ("func.func private", "memref<memref<")
        lines = (line.strip() for line in self.lowered.splitlines())
        return [
            line
            for line in lines
            if any(mark in line for mark in marks) and not any(other in line for other in others)
        ]

    def allocates(self):
        """Whether a call takes more memory from the stream than its workspace."""
        return "gpu.alloc" in self.lowered


def describe(pointers, layouts):
    """MLIR's descriptors of memrefs."""
    return [(ctypes.c_int64 * (3 + len(sizes)))(at, at, 0, *sizes) for at, sizes in zip(pointers, layouts)]


def strides_of(shape):
    strides = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = strides[i + 1] * shape[i + 1]
    return tuple(strides)


@functools.cache
def compile(module, name, types, arch, options=""):
    """Compiles a module of tensors; the same one once. `types` are those of the arguments and then
    of the results, as (shape, element type): the caller of the function allocates both, and its
    workspace. `options` are further ones of hone-pipeline."""
    lowered, remarks = session().run(module, pipeline(arch, options))
    return Function(session().load(lowered), name, types, lowered, remarks)


def pipeline(arch, options):
    # A failed launch ends the call, which raises, and not the process.
    return f"hone-pipeline{{arch={arch} results=destinations workspace=argument on-error=return {options}}}"
