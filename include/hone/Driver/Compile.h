//===- Compile.h - Compilation of a module to device code -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of MLIR that measuring needs: read a module, run the end of the
// pipeline, extract the device code. Diagnostics of the passes are returned as
// errors, so that a caller with many candidates can continue with the next.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DRIVER_COMPILE_H
#define HONE_DRIVER_COMPILE_H

#include "hone/Runtime/LaunchPlan.h"
#include "hone/Schedule/Schedule.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace hone::simulate {
class VerdictCache;
} // namespace hone::simulate

namespace hone {

/// A context with every dialect that Hone's passes use.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Calls `work` for every index below `count`, on up to `threads` threads with
/// contexts of their own.
void forEachInThreads(
    size_t count, size_t threads,
    llvm::function_ref<void(mlir::MLIRContext &, size_t index, size_t thread)>
        work);

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readModule(mlir::MLIRContext &context, llvm::StringRef path);
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseModule(mlir::MLIRContext &context, llvm::StringRef text);
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseModule(mlir::MLIRContext &context,
            std::unique_ptr<llvm::MemoryBuffer> buffer);

/// The laws that ops of the module break, for one that was not parsed.
llvm::Error verifyModule(mlir::ModuleOp module);

/// Runs the passes that `add` puts into a pass manager.
llvm::Error runPasses(mlir::ModuleOp module,
                      llvm::function_ref<void(mlir::OpPassManager &)> add);

/// A schedule that every matmul gets.
struct PinnedChoice {
  std::string arch;
  Schedule schedule;
  /// Also build kernels for operands that the preferred one does not support.
  bool fallback = true;
  /// If not null, kernels are proven before they are lowered.
  simulate::VerdictCache *verdicts = nullptr;
};
/// A rewrite of the schedule does not apply to the kernel that is built: the
/// schedule is illegal, like one that breaks a law.
class RefusedRewrite
    : public llvm::ErrorInfo<RefusedRewrite, llvm::StringError> {
public:
  static char ID;
  explicit RefusedRewrite(const llvm::Twine &why)
      : ErrorInfo(why, llvm::inconvertibleErrorCode()) {}
};
/// The pipeline from `hone-select-schedule` to kernel IR that is proven, for a
/// module of memrefs.
llvm::Error runToKernels(mlir::ModuleOp module, const PinnedChoice &choice);
/// For a module whose matmuls have schedules: up to kernel IR.
llvm::Error runToKernels(mlir::ModuleOp scheduled);
/// The rest of it, for kernel IR.
llvm::Error runFromKernel(mlir::ModuleOp module);
/// A matmul without MLIR: device code and launch plan.
struct CompiledKernel {
  std::vector<std::string> images;
  LaunchPlan plan;
};
/// The same from a plan's text; an error if that is not a plan.
llvm::Expected<CompiledKernel> compiledKernel(std::vector<std::string> images,
                                              const std::string &planText);
/// The device code of every `gpu.binary` in the module.
std::vector<std::string> imagesOf(mlir::ModuleOp module);
/// The rest of the pipeline, for kernel IR with one plan. The fallback of the
/// plan may be in a module of its own.
llvm::Expected<CompiledKernel> compileFromKernel(mlir::ModuleOp module);

} // namespace hone

#endif // HONE_DRIVER_COMPILE_H
