//===- WholeKernel.h - Kernels that are taken, not built --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule with `rewrites = [whole(NAME)]` takes a kernel that somebody wrote
// (hone/Schedule/WholeKernel.h). How it gets from a file to a program:
//
//   file  --wholeKernelFrom-->  text  --database, tuning file-->
//         --hone-select-schedule: addWholeKernel-->  hone.kernel in the module
//         --hone-build-kernel: placeWholeKernel-->   gpu.func under the plan
//
// The kernel must fit what surrounds it: the plan that launches it, the problem
// that it computes. Both follow from the kernel in whose place it stands, so
// its text says which one that is, by the name of its function:
//
//   gpu.func @for_8d2c0c7d55e8b3a1(...) kernel ...
//
// are the digits of the built kernel's text. The builder builds that one first,
// compares digits and parameters, and only then exchanges the two. So a kernel
// for another problem, another plan, or for what an older Hone built is
// refused, and nothing else has to be believed. Whether it is *right* is for
// the simulator to say, about the very kernel and plan that are launched.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_WHOLEKERNEL_H
#define HONE_PASSES_WHOLEKERNEL_H

#include "hone/Schedule/WholeKernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace hone {

/// The text of `written`, a kernel to be launched in the place of `built`. An
/// error at `written` if it has other parameters or other threads.
mlir::FailureOr<WholeKernel> wholeKernelFrom(mlir::gpu::GPUFuncOp written,
                                             mlir::gpu::GPUFuncOp built);

/// Why the text of a kernel is refused, whatever it stands in the place of: it
/// is no kernel IR, it is not one kernel, or it has ops that no proof speaks of
/// (inline PTX, calls). Everything that takes a text from a file asks this.
std::optional<std::string> faultOfText(const WholeKernel &kernel);

/// Puts the text into `module`, unless it is there.
void addWholeKernel(mlir::ModuleOp module, const WholeKernel &kernel);
/// True if the text of a kernel of this name is in `module`.
bool hasWholeKernel(mlir::ModuleOp module, llvm::StringRef name);
/// Removes the texts of all.
void eraseWholeKernels(mlir::ModuleOp module);

/// Puts the kernel that `schedule` names, if it names one, in the place of
/// `built`, under its name. An error, and nothing is changed, if the module
/// does not have it, it is no kernel IR, or it was written for another kernel.
mlir::LogicalResult placeWholeKernel(mlir::gpu::GPUFuncOp built,
                                     const Schedule &schedule);

} // namespace hone

#endif // HONE_PASSES_WHOLEKERNEL_H
