//===- TuneKernel.h - User kernels in hone tune -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conditions on a kernel before a search tries it: it is for the problems
// that are tuned, and correct.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_TUNE_TUNEKERNEL_H
#define HONE_TOOLS_TUNE_TUNEKERNEL_H

#include "hone/Matmul/WholeKernelFile.h"

namespace hone {

/// Proves that the kernel is correct, numbers included: its results are
/// unchecked so far. An error, after the findings, if that is not proven.
llvm::Error proveWholeKernel(mlir::MLIRContext &context,
                             const WholeKernelFile &file, const Arch &arch);

/// Checks that these problems, or else the one that the kernel was built for,
/// have known extents and are of its class.
llvm::Error checkProblems(const WholeKernelFile &file,
                          std::vector<Problem> &problems);

/// Reads the file of `--kernel` and proves it. Without problems, it is tuned
/// for the problem that it was built for.
llvm::Expected<WholeKernelFile>
readKernelToTune(mlir::MLIRContext &context, llvm::StringRef path,
                 const Arch &arch, std::vector<Problem> &problems);

} // namespace hone

#endif // HONE_TOOLS_TUNE_TUNEKERNEL_H
