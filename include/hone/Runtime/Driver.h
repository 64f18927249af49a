//===- Driver.h - The CUDA driver, found at run time ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that runs Hone's kernels needs the NVIDIA driver and nothing else:
// no toolkit at build time, no libcudart, no link against libcuda. So the
// driver's functions are a table, which is filled at the first request:
//
//   std::string why;
//   const hone::Driver *driver = hone::Driver::get(&why);
//   if (!driver)
//     return give up with `why`;
//   if (auto error = driver->cuMemAlloc(&address, bytes))
//     print driver->describe("cuMemAlloc", error);
//
// The fields have the names, arguments and results of the driver's manual. It
// only has the functions that Hone's runtime and tools use; to add one, add a
// line to HONE_DRIVER_FUNCTIONS.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVER_H
#define HONE_RUNTIME_DRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace hone {

/// Types and constants of the driver's binary interface, which is stable.
namespace cu {

using Result = int;
using Device = int;
using Address = unsigned long long;
using Context = struct ContextTag *;
using Library = struct LibraryTag *;
using Kernel = struct KernelTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;
using Graph = struct GraphTag *;
using GraphNode = struct GraphNodeTag *;
using GraphExec = struct GraphExecTag *;
using UserObject = struct UserObjectTag *;
using GreenContext = struct GreenContextTag *;
using ResourceDesc = struct ResourceDescTag *;
using HostFunction = void (*)(void *);

enum : Result {
  SUCCESS = 0,
  ERROR_INVALID_VALUE = 1,
  ERROR_OUT_OF_MEMORY = 2,
  ERROR_DEINITIALIZED = 4,
  ERROR_NO_DEVICE = 100,
  ERROR_NO_BINARY_FOR_GPU = 209,
  ERROR_NOT_FOUND = 500,
  ERROR_NOT_SUPPORTED = 801,
};

enum DeviceAttribute : int {
  CLOCK_RATE = 13, ///< kHz
  MULTIPROCESSOR_COUNT = 16,
  L2_CACHE_SIZE = 38,
  MAX_THREADS_PER_MULTIPROCESSOR = 39,
  COMPUTE_CAPABILITY_MAJOR = 75,
  COMPUTE_CAPABILITY_MINOR = 76,
  MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  MEMORY_POOLS_SUPPORTED = 115,
  PCI_BUS_ID = 33,
  PCI_DEVICE_ID = 34,
  PCI_DOMAIN_ID = 50,
};

enum FunctionAttribute : int {
  MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
};

enum JitOption : int {
  JIT_ERROR_LOG_BUFFER = 5,
  JIT_ERROR_LOG_BUFFER_SIZE = 6
};

enum PointerAttribute : int { POINTER_IS_MANAGED = 8 };

enum CaptureMode : int {
  CAPTURE_GLOBAL = 0,
  CAPTURE_THREAD_LOCAL = 1,
  CAPTURE_RELAXED = 2
};

enum CaptureStatus : int { CAPTURE_NONE = 0, CAPTURE_ACTIVE = 1 };

enum Flags : unsigned {
  STREAM_NON_BLOCKING = 1,
  EVENT_DISABLE_TIMING = 2,
  MEM_ATTACH_GLOBAL = 1,
  USER_OBJECT_NO_DESTRUCTOR_SYNC = 1,
  GRAPH_USER_OBJECT_MOVE = 1,
  GREEN_CTX_DEFAULT_STREAM = 1,
};

/// Handles that name a stream of the caller: the context's default stream
/// (null means the same), and the calling thread's own.
inline Stream streamLegacy() { return reinterpret_cast<Stream>(1); }
inline Stream streamPerThread() { return reinterpret_cast<Stream>(2); }

enum LaunchAttributeId : int {
  CLUSTER_DIMENSION = 4,
  PROGRAMMATIC_STREAM_SERIALIZATION = 6,
};

/// A share of a device: of its processors, if `type` is PROCESSORS. The rest of
/// its bytes is private to the driver.
struct Resource {
  enum Type : int { PROCESSORS = 1 };
  Type type;
  unsigned char inner[92];
  union {
    unsigned processors;
    unsigned char bytes[48];
  };
};
static_assert(sizeof(Resource) == 144, "the driver writes so many bytes");

struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[4];
  union {
    char bytes[64];
    unsigned clusterDim[3];
    int programmaticStreamSerializationAllowed;
  };
};

struct LaunchConfig {
  unsigned grid[3], block[3];
  unsigned sharedMemBytes;
  Stream stream;
  LaunchAttribute *attrs;
  unsigned numAttrs;
};

/// The descriptor that a kernel takes by value.
struct alignas(128) TensorMap {
  uint64_t opaque[16];
};

enum TensorMapType : int {
  TENSOR_MAP_UINT8 = 0,
  TENSOR_MAP_INT32 = 3,
  TENSOR_MAP_FLOAT16 = 6,
  TENSOR_MAP_FLOAT32 = 7,
  TENSOR_MAP_BFLOAT16 = 9,
  TENSOR_MAP_TFLOAT32 = 11, ///< f32, which arrive as the nearest tf32
};
enum TensorMapInterleave : int { TENSOR_MAP_INTERLEAVE_NONE = 0 };
enum TensorMapSwizzle : int {
  TENSOR_MAP_SWIZZLE_NONE = 0,
  TENSOR_MAP_SWIZZLE_32B = 1,
  TENSOR_MAP_SWIZZLE_64B = 2,
  TENSOR_MAP_SWIZZLE_128B = 3,
};
enum TensorMapPromotion : int { TENSOR_MAP_L2_128B = 2 };
enum TensorMapFill : int { TENSOR_MAP_OOB_ZERO = 0 };

} // namespace cu

// X(name, version, parameters). The version ends the symbol of the function
// that has these parameters; CUDA's headers hide it behind a macro, libcuda.so
// does not.
#define HONE_DRIVER_FUNCTIONS(X)                                               \
  X(cuInit, "", (unsigned flags))                                              \
  X(cuDriverGetVersion, "", (int *version))                                    \
  X(cuGetErrorName, "", (cu::Result error, const char **text))                 \
  X(cuGetErrorString, "", (cu::Result error, const char **text))               \
  X(cuDeviceGet, "", (cu::Device * device, int ordinal))                       \
  X(cuDeviceGetCount, "", (int *count))                                        \
  X(cuDeviceGetName, "", (char *name, int size, cu::Device device))            \
  X(cuDeviceTotalMem, "_v2", (size_t *bytes, cu::Device device))               \
  X(cuDeviceGetAttribute, "",                                                  \
    (int *value, cu::DeviceAttribute attribute, cu::Device device))            \
  X(cuDevicePrimaryCtxRetain, "", (cu::Context * context, cu::Device device))  \
  X(cuDevicePrimaryCtxRelease, "_v2", (cu::Device device))                     \
  X(cuCtxGetCurrent, "", (cu::Context * context))                              \
  X(cuCtxSetCurrent, "", (cu::Context context))                                \
  X(cuCtxGetDevice, "", (cu::Device * device))                                 \
  X(cuCtxSynchronize, "", (void))                                              \
  X(cuLibraryLoadData, "",                                                     \
    (cu::Library * library, const void *code, cu::JitOption *jitOptions,       \
     void **jitValues, unsigned jitCount, int *libraryOptions,                 \
     void **libraryValues, unsigned libraryCount))                             \
  X(cuLibraryUnload, "", (cu::Library library))                                \
  X(cuLibraryGetKernel, "",                                                    \
    (cu::Kernel * kernel, cu::Library library, const char *name))              \
  X(cuKernelGetFunction, "", (cu::Function * function, cu::Kernel kernel))     \
  X(cuKernelGetAttribute, "",                                                  \
    (int *value, cu::FunctionAttribute attribute, cu::Kernel kernel,           \
     cu::Device device))                                                       \
  X(cuKernelSetAttribute, "",                                                  \
    (cu::FunctionAttribute attribute, int value, cu::Kernel kernel,            \
     cu::Device device))                                                       \
  X(cuFuncSetAttribute, "",                                                    \
    (cu::Function function, cu::FunctionAttribute attribute, int value))       \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, "",                           \
    (int *blocks, cu::Function function, int blockSize, size_t sharedBytes))   \
  X(cuOccupancyMaxActiveClusters, "",                                          \
    (int *clusters, cu::Function function, const cu::LaunchConfig *config))    \
  X(cuLaunchKernel, "",                                                        \
    (cu::Function function, unsigned gridX, unsigned gridY, unsigned gridZ,    \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     cu::Stream stream, void **params, void **extra))                          \
  X(cuLaunchKernelEx, "",                                                      \
    (const cu::LaunchConfig *config, cu::Function function, void **params,     \
     void **extra))                                                            \
  X(cuTensorMapEncodeTiled, "",                                                \
    (cu::TensorMap * map, cu::TensorMapType type, uint32_t rank, void *base,   \
     const uint64_t *dims, const uint64_t *strides, const uint32_t *box,       \
     const uint32_t *elementStrides, cu::TensorMapInterleave interleave,       \
     cu::TensorMapSwizzle swizzle, cu::TensorMapPromotion promotion,           \
     cu::TensorMapFill fill))                                                  \
  X(cuTensorMapEncodeIm2col, "",                                               \
    (cu::TensorMap * map, cu::TensorMapType type, uint32_t rank, void *base,   \
     const uint64_t *dims, const uint64_t *strides, const int *lower,          \
     const int *upper, uint32_t channels, uint32_t pixels,                     \
     const uint32_t *elementStrides, cu::TensorMapInterleave interleave,       \
     cu::TensorMapSwizzle swizzle, cu::TensorMapPromotion promotion,           \
     cu::TensorMapFill fill))                                                  \
  X(cuMemGetInfo, "_v2", (size_t *free, size_t *total))                        \
  X(cuMemAlloc, "_v2", (cu::Address * address, size_t bytes))                  \
  X(cuMemFree, "_v2", (cu::Address address))                                   \
  X(cuMemAllocAsync, "",                                                       \
    (cu::Address * address, size_t bytes, cu::Stream stream))                  \
  X(cuMemFreeAsync, "", (cu::Address address, cu::Stream stream))              \
  X(cuMemAllocManaged, "",                                                     \
    (cu::Address * address, size_t bytes, unsigned flags))                     \
  X(cuMemHostRegister, "_v2", (void *pointer, size_t bytes, unsigned flags))   \
  X(cuMemHostUnregister, "", (void *pointer))                                  \
  X(cuPointerGetAttribute, "",                                                 \
    (void *data, cu::PointerAttribute attribute, cu::Address address))         \
  X(cuMemcpyAsync, "",                                                         \
    (cu::Address to, cu::Address from, size_t bytes, cu::Stream stream))       \
  X(cuMemcpyHtoDAsync, "_v2",                                                  \
    (cu::Address to, const void *from, size_t bytes, cu::Stream stream))       \
  X(cuMemcpyDtoHAsync, "_v2",                                                  \
    (void *to, cu::Address from, size_t bytes, cu::Stream stream))             \
  X(cuMemsetD8Async, "",                                                       \
    (cu::Address to, unsigned char value, size_t count, cu::Stream stream))    \
  X(cuMemsetD16Async, "",                                                      \
    (cu::Address to, unsigned short value, size_t count, cu::Stream stream))   \
  X(cuMemsetD32Async, "",                                                      \
    (cu::Address to, unsigned value, size_t count, cu::Stream stream))         \
  X(cuStreamCreate, "", (cu::Stream * stream, unsigned flags))                 \
  X(cuStreamDestroy, "_v2", (cu::Stream stream))                               \
  X(cuStreamSynchronize, "", (cu::Stream stream))                              \
  X(cuStreamWaitEvent, "",                                                     \
    (cu::Stream stream, cu::Event event, unsigned flags))                      \
  X(cuStreamBeginCapture, "_v2", (cu::Stream stream, cu::CaptureMode mode))    \
  X(cuStreamEndCapture, "", (cu::Stream stream, cu::Graph * graph))            \
  X(cuThreadExchangeStreamCaptureMode, "", (cu::CaptureMode * mode))           \
  X(cuEventCreate, "", (cu::Event * event, unsigned flags))                    \
  X(cuEventDestroy, "_v2", (cu::Event event))                                  \
  X(cuEventRecord, "", (cu::Event event, cu::Stream stream))                   \
  X(cuEventSynchronize, "", (cu::Event event))                                 \
  X(cuEventElapsedTime, "",                                                    \
    (float *milliseconds, cu::Event start, cu::Event end))                     \
  X(cuGraphInstantiate, "WithFlags",                                           \
    (cu::GraphExec * exec, cu::Graph graph, unsigned long long flags))         \
  X(cuGraphGetNodes, "",                                                       \
    (cu::Graph graph, cu::GraphNode * nodes, size_t *count))                   \
  X(cuGraphLaunch, "", (cu::GraphExec exec, cu::Stream stream))                \
  X(cuGraphExecDestroy, "", (cu::GraphExec exec))                              \
  X(cuGraphDestroy, "", (cu::Graph graph))

// Functions of newer drivers; null if the driver lacks them.
#define HONE_DRIVER_OPTIONAL_FUNCTIONS(X)                                      \
  X(cuFuncGetParamInfo, "",                                                    \
    (cu::Function function, size_t index, size_t *offset, size_t *size))       \
  X(cuStreamGetCaptureInfo, "_v2",                                             \
    (cu::Stream stream, cu::CaptureStatus * status, uint64_t *id,              \
     cu::Graph *graph, const cu::GraphNode **dependencies,                     \
     size_t *dependencyCount))                                                 \
  X(cuUserObjectCreate, "",                                                    \
    (cu::UserObject * object, void *data, cu::HostFunction destroy,            \
     unsigned references, unsigned flags))                                     \
  X(cuUserObjectRelease, "", (cu::UserObject object, unsigned references))     \
  X(cuGraphRetainUserObject, "",                                               \
    (cu::Graph graph, cu::UserObject object, unsigned references,              \
     unsigned flags))                                                          \
  X(cuDeviceGetDevResource, "",                                                \
    (cu::Device device, cu::Resource * resource, cu::Resource::Type type))     \
  X(cuCtxGetDevResource, "",                                                   \
    (cu::Context context, cu::Resource * resource, cu::Resource::Type type))   \
  X(cuDevSmResourceSplitByCount, "",                                           \
    (cu::Resource * groups, unsigned *groupCount, const cu::Resource *whole,   \
     cu::Resource *rest, unsigned flags, unsigned min))                        \
  X(cuDevResourceGenerateDesc, "",                                             \
    (cu::ResourceDesc * desc, cu::Resource * resources, unsigned count))       \
  X(cuGreenCtxCreate, "",                                                      \
    (cu::GreenContext * context, cu::ResourceDesc desc, cu::Device device,     \
     unsigned flags))                                                          \
  X(cuGreenCtxDestroy, "", (cu::GreenContext context))                         \
  X(cuCtxFromGreenCtx, "", (cu::Context * context, cu::GreenContext green))    \
  X(cuGreenCtxStreamCreate, "",                                                \
    (cu::Stream * stream, cu::GreenContext green, unsigned flags,              \
     int priority))

struct Driver {
#define HONE_DECLARE(NAME, VERSION, PARAMS) cu::Result(*NAME) PARAMS;
  HONE_DRIVER_FUNCTIONS(HONE_DECLARE)
  HONE_DRIVER_OPTIONAL_FUNCTIONS(HONE_DECLARE)
#undef HONE_DECLARE

  int32_t version; ///< 13000 for CUDA 13.0

  /// The table, after cuInit; or null, with the reason in `why`. The first call
  /// opens the driver; every call returns the same, on any thread.
  static const Driver *get(std::string *why = nullptr);

  /// "cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY)"
  std::string describe(const char *call, cu::Result error) const;
};

} // namespace hone

#endif // HONE_RUNTIME_DRIVER_H
