//===- Emit.h - The parts of hone-emit --------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-emit in four parts: device code (EmitPtx.cpp), launches through
// libhone_rt (EmitRuntimeLaunch.cpp), copies and waits through it
// (EmitRuntimeMemory.cpp), launches through the gpu dialect
// (EmitGpuLaunch.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_EMIT_H
#define HONE_PASSES_EMIT_H

#include "hone/Assemble/Assemble.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/BuildKernel.h"

namespace hone {

/// PTX of a lowered kernel module. An error if a kernel calls a function that
/// nothing defines: ptxas would accept it and the driver refuse it.
mlir::FailureOr<std::string> translateToPtx(mlir::gpu::GPUModuleOp module);
/// Warns of what counts against kernels of `module`, each where its matmul
/// stood.
void reportFaults(mlir::gpu::GPUModuleOp module, const AssemblyReport &report);
/// Machine code for `ptx`, by the ptxas on the PATH or in CUDA_HOME, with what
/// it had to say; faults are warned of.
mlir::FailureOr<Assembly> assemble(mlir::gpu::GPUModuleOp module,
                                   llvm::StringRef ptx);

/// Replaces a launch by a call of honeLaunch with the plan's text.
mlir::LogicalResult emitRuntimeLaunch(kernel::LaunchOp launch,
                                      llvm::StringRef planText);

/// The declaration of a function of libhone_rt that returns a status.
mlir::LLVM::LLVMFuncOp declareRuntime(mlir::ModuleOp module,
                                      llvm::StringRef name,
                                      llvm::ArrayRef<mlir::Type> arguments);
/// Replaces copies and waits in host functions by calls of libhone_rt.
void emitRuntimeMemory(mlir::ModuleOp module);
/// Removes the waits of a module whose every op of the gpu dialect waits for
/// itself.
void dropWaits(mlir::ModuleOp module);

/// True if the plan needs nothing that `gpu.launch_func` cannot say.
bool isPlainLaunch(const LaunchPlan &plan);
/// Replaces a launch by `gpu.launch_func`s behind the plan's guards.
mlir::LogicalResult emitGpuLaunch(kernel::LaunchOp launch,
                                  const LaunchPlan &plan,
                                  llvm::StringRef binary);

/// Replaces what attributes of Hone's own dialects say, on every op but those
/// of these dialects, by text.
void attributesToText(mlir::Operation *root);

} // namespace hone

#endif // HONE_PASSES_EMIT_H
