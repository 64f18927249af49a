//===- Driver.h - The part of the CUDA driver that is used -------*- C++
//-*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of driver functions, found when a Device is opened. Declared here
// and not taken from cuda.h, so that building needs no CUDA. Handles are void
// pointers, results are integers; the names are those that libcuda.so exports.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_DEVICE_DRIVER_H
#define HONE_LIB_DEVICE_DRIVER_H

#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>

namespace hone {

// Enumerators of cuda.h, by value.
namespace cuda {
constexpr int kProcessors = 16, kL2Bytes = 38, kMajor = 75, kMinor = 76;
constexpr unsigned kNonBlockingStream = 1;
constexpr int kThreadLocalCapture = 1;
constexpr int kOutOfMemory = 2, kNoDevice = 100;
} // namespace cuda

// name, parameters
#define HONE_DRIVER_FUNCTIONS(X)                                               \
  X(cuInit, (unsigned))                                                        \
  X(cuDriverGetVersion, (int *))                                               \
  X(cuGetErrorName, (int, const char **))                                      \
  X(cuGetErrorString, (int, const char **))                                    \
  X(cuDeviceGet, (int *, int))                                                 \
  X(cuDeviceGetName, (char *, int, int))                                       \
  X(cuDeviceGetAttribute, (int *, int, int))                                   \
  X(cuDevicePrimaryCtxRetain, (void **, int))                                  \
  X(cuDevicePrimaryCtxRelease_v2, (int))                                       \
  X(cuCtxSetCurrent, (void *))                                                 \
  X(cuMemGetInfo_v2, (size_t *, size_t *))                                     \
  X(cuMemAlloc_v2, (uint64_t *, size_t))                                       \
  X(cuMemFree_v2, (uint64_t))                                                  \
  X(cuMemcpyHtoDAsync_v2, (uint64_t, const void *, size_t, void *))            \
  X(cuMemcpyDtoHAsync_v2, (void *, uint64_t, size_t, void *))                  \
  X(cuMemsetD8Async, (uint64_t, unsigned char, size_t, void *))                \
  X(cuModuleLoadData, (void **, const void *))                                 \
  X(cuModuleUnload, (void *))                                                  \
  X(cuModuleGetFunction, (void **, void *, const char *))                      \
  X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, \
                     unsigned, unsigned, void *, void **, void **))            \
  X(cuStreamCreate, (void **, unsigned))                                       \
  X(cuStreamDestroy_v2, (void *))                                              \
  X(cuStreamSynchronize, (void *))                                             \
  X(cuStreamBeginCapture_v2, (void *, int))                                    \
  X(cuStreamEndCapture, (void *, void **))                                     \
  X(cuGraphInstantiateWithFlags, (void **, void *, unsigned long long))        \
  X(cuGraphLaunch, (void *, void *))                                           \
  X(cuGraphDestroy, (void *))                                                  \
  X(cuGraphExecDestroy, (void *))                                              \
  X(cuEventCreate, (void **, unsigned))                                        \
  X(cuEventDestroy_v2, (void *))                                               \
  X(cuEventRecord, (void *, void *))                                           \
  X(cuEventSynchronize, (void *))                                              \
  X(cuEventElapsedTime, (float *, void *, void *))

struct DriverTable {
#define HONE_DECLARE(name, params) int(*name) params = nullptr;
  HONE_DRIVER_FUNCTIONS(HONE_DECLARE)
#undef HONE_DECLARE

  /// Opens libcuda.so.1 and finds every function.
  llvm::Error open();
};

} // namespace hone

#endif // HONE_LIB_DEVICE_DRIVER_H
