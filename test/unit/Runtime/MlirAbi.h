//===- MlirAbi.h - Functions of MLIR's runtime wrappers ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emitted code calls these functions, which have no header upstream.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_RUNTIME_MLIRABI_H
#define HONE_TEST_RUNTIME_MLIRABI_H

#include <cstddef>
#include <cstdint>

extern "C" {
void *mgpuModuleLoad(void *, size_t);
void *mgpuModuleLoadJIT(void *, int32_t);
void mgpuModuleUnload(void *);
void *mgpuModuleGetFunction(void *, const char *);
void mgpuLaunchKernel(void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                      intptr_t, int32_t, void *, void **, void **, size_t);
void mgpuLaunchClusterKernel(void *, intptr_t, intptr_t, intptr_t, intptr_t,
                             intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                             int32_t, void *, void **, void **);
void *mgpuStreamCreate();
void mgpuStreamDestroy(void *);
void mgpuStreamSynchronize(void *);
void mgpuStreamWaitEvent(void *, void *);
void *mgpuEventCreate();
void mgpuEventDestroy(void *);
void mgpuEventSynchronize(void *);
void mgpuEventRecord(void *, void *);
void *mgpuMemAlloc(uint64_t, void *, bool);
void mgpuMemFree(void *, void *);
void mgpuMemcpy(void *, void *, size_t, void *);
void mgpuMemset16(void *, unsigned short, size_t, void *);
void mgpuMemset32(void *, unsigned, size_t, void *);
void mgpuMemHostRegisterMemRef(int64_t, void *, int64_t);
void mgpuMemHostUnregisterMemRef(int64_t, void *, int64_t);
void mgpuSetDefaultDevice(int32_t);
}

#endif // HONE_TEST_RUNTIME_MLIRABI_H
