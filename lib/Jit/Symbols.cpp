//===- Symbols.cpp - libhone_rt symbols for compiled code -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that hone-emit and MLIR's lowering of the gpu dialect call. The
// latter are in no header: only their addresses matter here, so they are
// declared without their parameters.
//
//===----------------------------------------------------------------------===//

#include "hone-c/Runtime.h"
#include "hone/Jit/Jit.h"

#define HONE_MGPU_FUNCTIONS(X)                                                 \
  X(mgpuModuleLoad)                                                            \
  X(mgpuModuleLoadJIT)                                                         \
  X(mgpuModuleUnload)                                                          \
  X(mgpuModuleGetFunction)                                                     \
  X(mgpuLaunchKernel)                                                          \
  X(mgpuLaunchClusterKernel)                                                   \
  X(mgpuStreamCreate)                                                          \
  X(mgpuStreamDestroy)                                                         \
  X(mgpuStreamSynchronize)                                                     \
  X(mgpuStreamWaitEvent)                                                       \
  X(mgpuEventCreate)                                                           \
  X(mgpuEventDestroy)                                                          \
  X(mgpuEventSynchronize)                                                      \
  X(mgpuEventRecord)                                                           \
  X(mgpuMemAlloc)                                                              \
  X(mgpuMemFree)                                                               \
  X(mgpuMemcpy)                                                                \
  X(mgpuMemset16)                                                              \
  X(mgpuMemset32)

#define HONE_DECLARE(name) void name();
extern "C" {
HONE_MGPU_FUNCTIONS(HONE_DECLARE)
// Code for a CPU without bf16 calls it. A program may load the library without
// making its symbols visible to others.
__bf16 __truncsfbf2(float value);
}
#undef HONE_DECLARE

llvm::StringMap<void *> hone::runtimeSymbols() {
  llvm::StringMap<void *> symbols;
  symbols["honeLaunch"] = reinterpret_cast<void *>(&honeLaunch);
  symbols["honeCopy"] = reinterpret_cast<void *>(&honeCopy);
  symbols["honeConstant"] = reinterpret_cast<void *>(&honeConstant);
  symbols["honeAssertion"] = reinterpret_cast<void *>(&honeAssertion);
  symbols["honeReleaseResident"] =
      reinterpret_cast<void *>(&honeReleaseResident);
  symbols["honeSynchronize"] = reinterpret_cast<void *>(&honeSynchronize);
  symbols["honeRequire"] = reinterpret_cast<void *>(&honeRequire);
  symbols["honeFailureMark"] = reinterpret_cast<void *>(&honeFailureMark);
  symbols["honeStatusSince"] = reinterpret_cast<void *>(&honeStatusSince);
#define HONE_ADD(name) symbols[#name] = reinterpret_cast<void *>(&name);
  HONE_MGPU_FUNCTIONS(HONE_ADD)
#undef HONE_ADD
  symbols["__truncsfbf2"] = reinterpret_cast<void *>(&__truncsfbf2);
  return symbols;
}
