//===- Emit.h - The parts of hone-emit --------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-emit in six parts: device code (EmitTarget.cpp, EmitPtx.cpp), launches
// through libhone_rt (EmitRuntimeLaunch.cpp), copies and waits through it
// (EmitRuntimeMemory.cpp), constants and flags (EmitResidents.cpp), launches
// through the gpu dialect (EmitGpuLaunch.cpp), and the handling of failed calls
// (Failures.h).
//
// The calls of host code (hone-c/Runtime.h has the functions):
//
//   | op of the input         | call                                          |
//   |-------------------------|-----------------------------------------------|
//   | kernel.launch           | i32 honeLaunch(slot, plan, args, count)       |
//   | gpu.memcpy, no token    | i32 honeCopy(to, from, bytes)                 |
//   | hone.wait               | i32 honeSynchronize()                         |
//   | hone.constant           | i32 honeConstant(slot, data, bytes, &pointer) |
//   | hone.assertion          | i32 honeAssertion(slot, text, &pointer)       |
//   | gpu.alloc, .dealloc and | left to upstream, which calls mgpuMemAlloc,   |
//   | the rest of the dialect | mgpuMemFree, ...: no status                   |
//   | a check of a status     | void honeRequire(status, where), or a branch  |
//   | a check of the others   | i64 honeFailureMark() before,                 |
//   |                         | i32 honeStatusSince(mark) after               |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_EMIT_EMIT_H
#define HONE_PASSES_EMIT_EMIT_H

#include "hone/Assemble/Assemble.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Build/BuildKernel.h"
#include "passes/Passes.h"

namespace hone {

/// Checks that LLVM can translate the lowered `module` for `target`; reports
/// the reason if it cannot.
mlir::LogicalResult checkTarget(mlir::gpu::GPUModuleOp module,
                                mlir::NVVM::NVVMTargetAttr target);
/// PTX of a lowered kernel module. An error if a kernel calls an undefined
/// function: ptxas would accept that, and the driver reject it.
mlir::FailureOr<std::string> translateToPtx(mlir::gpu::GPUModuleOp module);
/// Warns about faults of the kernels of `module`, each at the location of its
/// matmul.
void reportFaults(mlir::gpu::GPUModuleOp module, const AssemblyReport &report);
/// Machine code for `ptx`, by the ptxas on the PATH or in CUDA_HOME, with its
/// report; faults become warnings.
mlir::FailureOr<Assembly> assemble(mlir::gpu::GPUModuleOp module,
                                   llvm::StringRef ptx);

/// Replaces a launch with a call to honeLaunch with the plan's text.
mlir::LogicalResult emitRuntimeLaunch(kernel::LaunchOp launch,
                                      const LaunchPlan &plan, OnError onError);

/// The declaration of a function of libhone_rt that returns a status.
mlir::LLVM::LLVMFuncOp declareRuntime(mlir::ModuleOp module,
                                      llvm::StringRef name,
                                      llvm::ArrayRef<mlir::Type> arguments);
/// Replaces copies and waits in host functions with calls to libhone_rt, and
/// orders allocations on its stream.
void emitRuntimeMemory(mlir::ModuleOp module);
/// The address of the first element of a memref without an offset.
mlir::Value addressOfMemref(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value memref);
/// The size in bytes of the elements of a memref without gaps.
mlir::Value bytesOfMemref(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value memref);
/// The global `name`: a text that ends in NUL.
mlir::LLVM::GlobalOp textGlobal(mlir::ModuleOp module, mlir::Location loc,
                                const std::string &name, llvm::StringRef text);
/// The global `name`: a null pointer, in which the runtime keeps its state.
mlir::LLVM::GlobalOp slotGlobal(mlir::ModuleOp module, mlir::Location loc,
                                const std::string &name);
/// Replaces constants and flags on the device by calls to libhone_rt.
void emitResidents(mlir::ModuleOp module, bool hasRuntime);
/// Frees memory of the device in the order of the thread's stream.
void freeOnStream(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value memory);
/// Removes the waits of a module in which every op of the gpu dialect waits by
/// itself.
void dropWaits(mlir::ModuleOp module);

/// True if `gpu.launch_func` can express the whole plan.
bool isPlainLaunch(const LaunchPlan &plan);
/// Replaces a launch with `gpu.launch_func`s under the plan's guards.
mlir::LogicalResult emitGpuLaunch(kernel::LaunchOp launch,
                                  const LaunchPlan &plan,
                                  llvm::StringRef binary);

/// Replaces attributes of Hone's own dialects with text on every op outside of
/// these dialects.
void attributesToText(mlir::Operation *root);

} // namespace hone

#endif // HONE_PASSES_EMIT_EMIT_H
