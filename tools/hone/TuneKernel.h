//===- TuneKernel.h - A kernel of one's own in hone tune --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold before a search hears of a kernel: it is for the problems that
// are tuned, and right.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_TUNEKERNEL_H
#define HONE_TOOLS_TUNEKERNEL_H

#include "hone/Matmul/WholeKernelFile.h"

namespace hone {

/// Whether the kernel is right, numbers included: nobody has ever checked what
/// it computes. An error, behind the findings, if that is not proven.
llvm::Error proveWholeKernel(mlir::MLIRContext &context,
                             const WholeKernelFile &file, const Arch &arch);

/// Whether these, or else the one that the kernel was built for, have extents
/// and are of its class.
llvm::Error checkProblems(const WholeKernelFile &file,
                          std::vector<Problem> &problems);

/// Reads the file of `--kernel` and proves it. Where there are no problems it
/// is tuned for the one that it was built for.
llvm::Expected<WholeKernelFile>
readKernelToTune(mlir::MLIRContext &context, llvm::StringRef path,
                 const Arch &arch, std::vector<Problem> &problems);

} // namespace hone

#endif // HONE_TOOLS_TUNEKERNEL_H
