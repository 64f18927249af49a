"""Makes a Python function a custom call of XLA's: the part of its C interface
(xla/ffi/api/c_api.h, which jaxlib installs) that a handler of plain buffers needs.

    xla_ffi.register("twice", lambda stream, pointers: ..., platform="CUDA")

`pointers` are the addresses of the arguments' buffers and then of the results'; `stream` is
XLA's CUstream, or None on a CPU. The function runs in a thread of XLA's. One that is capturable
only puts launches on the stream, so that XLA may keep them as part of a CUDA graph.
"""

import ctypes

import jax

API_VERSION = (0, 4)  # of the header that this file was written after
EXECUTE, METADATA_EXTENSION, COMMAND_BUFFER_COMPATIBLE, INTERNAL_ERROR = 3, 1, 1, 13

Pointer, Size, Int = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int


def struct(name, **fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields.items())})


Version = struct("Version", size=Size, extension=Pointer, major=Int, minor=Int)
Metadata = struct("Metadata", size=Size, version=Version, traits=ctypes.c_uint32)
Extension = struct("Extension", size=Size, type=Int, next=Pointer, metadata=ctypes.POINTER(Metadata))
Buffer = struct("Buffer", size=Size, extension=Pointer, dtype=Int, data=Pointer, rank=ctypes.c_int64, dims=Pointer)
Buffers = struct(
    "Buffers", size=Size, extension=Pointer, count=ctypes.c_int64, types=Pointer,
    buffers=ctypes.POINTER(ctypes.POINTER(Buffer)),
)  # fmt: skip
ErrorArgs = struct("ErrorArgs", size=Size, extension=Pointer, message=ctypes.c_char_p, code=Int)
StreamArgs = struct("StreamArgs", size=Size, extension=Pointer, context=Pointer, stream=Pointer)
Api = struct(
    "Api", size=Size, extension=Pointer, version=Version, internal=Pointer,
    error_create=ctypes.CFUNCTYPE(Pointer, ctypes.POINTER(ErrorArgs)), error_details=Pointer,
    error_destroy=Pointer, handler_register=Pointer,
    stream_get=ctypes.CFUNCTYPE(Pointer, ctypes.POINTER(StreamArgs)),
)  # fmt: skip
CallFrame = struct(
    "CallFrame", size=Size, extension=ctypes.POINTER(Extension), api=ctypes.POINTER(Api), context=Pointer,
    stage=Int, arguments=Buffers, results=Buffers,
)  # fmt: skip
Handler = ctypes.CFUNCTYPE(Pointer, ctypes.POINTER(CallFrame))

handlers = []  # XLA keeps their addresses


def register(name, function, platform, is_capturable=True):
    def call(frame):
        frame = frame.contents
        if frame.extension and frame.extension.contents.type == METADATA_EXTENSION:
            describe(frame.extension.contents.metadata.contents, is_capturable)
            return None
        try:
            stream = stream_of(frame) if platform == "CUDA" else None
            buffers = (frame.arguments, frame.results)
            function(stream, [side.buffers[i].contents.data for side in buffers for i in range(side.count)])
        except Exception as error:  # nothing may pass through XLA's frames
            arguments = ErrorArgs(ctypes.sizeof(ErrorArgs), None, str(error).encode(), INTERNAL_ERROR)
            return frame.api.contents.error_create(arguments)
        return None

    handlers.append(Handler(call))
    address = ctypes.cast(handlers[-1], Pointer).value
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(address), platform=platform)


def describe(metadata, is_capturable):
    """XLA asks what a handler is."""
    metadata.version.major, metadata.version.minor = API_VERSION
    metadata.traits = COMMAND_BUFFER_COMPATIBLE if is_capturable else 0


def stream_of(frame):
    arguments = StreamArgs(ctypes.sizeof(StreamArgs), None, frame.context, None)
    if frame.api.contents.stream_get(arguments):
        raise RuntimeError("expected a stream of XLA's, but got none")
    return arguments.stream
