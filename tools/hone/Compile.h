//===- Compile.h - From a file to kernels and functions ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the subcommands need of MLIR: read a module, run a part of the pipeline
// over it, take out what a GPU gets. Diagnostics of the passes come back as the
// text of an error, so that a caller with many cases can go on to the next.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_COMPILE_H
#define HONE_TOOLS_COMPILE_H

#include "hone/Runtime/LaunchPlan.h"
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

/// A context that knows every dialect Hone's passes use.
std::unique_ptr<mlir::MLIRContext> makeContext();

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readModule(mlir::MLIRContext &context, llvm::StringRef path);
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseModule(mlir::MLIRContext &context, llvm::StringRef text);

/// Runs the passes that `add` puts into a pass manager.
llvm::Error runPasses(mlir::ModuleOp module,
                      llvm::function_ref<void(mlir::OpPassManager &)> add);

struct PipelineChoice {
  std::string arch, schedule;
  /// Kernels for what the preferred one can not take, too.
  bool fallback = true;
  /// If not null, kernels are proven there before they are lowered.
  simulate::VerdictCache *verdicts = nullptr;
  std::string database = {};
  /// Where public functions have arguments and results: device or host.
  std::string arguments = "device";
};
/// `hone-pipeline`.
llvm::Error runPipeline(mlir::ModuleOp module, const PipelineChoice &choice);
/// The pipeline until every matmul has a schedule.
llvm::Error runToSelect(mlir::ModuleOp module, const PipelineChoice &choice);
/// Until matmuls are found and on memrefs, which the pipeline may be run on.
llvm::Error runToMatmuls(mlir::ModuleOp module, llvm::StringRef arch);
/// The pipeline from `hone-select-schedule` on, for a module of memrefs.
llvm::Error runFromSelect(mlir::ModuleOp module, const PipelineChoice &choice);
/// The rest of it, for kernel IR.
llvm::Error runFromKernel(mlir::ModuleOp module);
/// A matmul without MLIR: device code, and how it is launched.
struct CompiledKernel {
  std::vector<std::string> images;
  std::string planText;
  LaunchPlan plan;
};
/// The device code of every `gpu.binary` in the module.
std::vector<std::string> imagesOf(mlir::ModuleOp module);
/// The kernel of a module that holds one plan; what the plan falls back to may
/// be in a binary of its own.
llvm::Expected<CompiledKernel> kernelOf(mlir::ModuleOp module);

} // namespace hone

#endif // HONE_TOOLS_COMPILE_H
