//===- WholeKernel.h - Kernels from text ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule with `rewrites = [whole(NAME)]` takes a kernel that a person wrote
// (hone/Schedule/WholeKernel.h). The way from a file to a program:
//
//   file  --wholeKernelFrom-->  text  --database, tuning file-->
//         --hone-select-schedule: addWholeKernel-->  hone.kernel in the module
//         --hone-build-kernel: placeWholeKernel-->   gpu.func under the plan
//
// The kernel must fit its surroundings: the plan that launches it, and the
// problem that it computes. Both follow from the kernel that it replaces, so
// its text names that one, in the name of its function:
//
//   gpu.func @for_8d2c0c7d55e8b3a1(...) kernel ...
//
// are the digits of the built kernel's text. The builder builds that one first,
// compares digits and parameters, and only then exchanges the two. So a kernel
// for another problem, another plan, or for the output of an older Hone is
// refused without further checks. The simulator checks *correctness*, for the
// same kernel and plan that are launched.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_WHOLEKERNEL_H
#define HONE_PASSES_WHOLEKERNEL_H

#include "hone/Schedule/WholeKernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace hone {

/// The text of `written`, a kernel to be launched instead of `built`. An error
/// at `written` if it has other parameters or another number of threads.
mlir::FailureOr<WholeKernel> wholeKernelFrom(mlir::gpu::GPUFuncOp written,
                                             mlir::gpu::GPUFuncOp built);

/// The reason to refuse a kernel's text, for any replaced kernel: it is not
/// kernel IR, not one kernel, or it has ops that no proof models (inline
/// PTX, calls). Every reader of a text from a file calls this.
std::optional<std::string> faultOfText(const WholeKernel &kernel);

/// Puts the text into `module`, unless it already has it.
void addWholeKernel(mlir::ModuleOp module, const WholeKernel &kernel);
/// True if the text of a kernel of this name is in `module`.
bool hasWholeKernel(mlir::ModuleOp module, llvm::StringRef name);
/// Removes the texts of all whole kernels.
void eraseWholeKernels(mlir::ModuleOp module);

/// Replaces `built` by the kernel that `schedule` names, if it names one, under
/// the name of `built`. An error, without changes, if the module lacks the
/// kernel, it is not kernel IR, or it was written for another kernel.
mlir::LogicalResult placeWholeKernel(mlir::gpu::GPUFuncOp built,
                                     const Schedule &schedule);

} // namespace hone

#endif // HONE_PASSES_WHOLEKERNEL_H
