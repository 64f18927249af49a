//===- WholeKernelFile.h - A file with a kernel of one's own ----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who wants a kernel of one's own tried starts with what a builder writes, and
// changes the body:
//
//   hone-opt mm.mlir --hone-select-schedule="arch=h200 schedule='ws, ...'"
//            --hone-build-kernel > kernel.mlir
//
// The file is a module, and its launch still says which problem and schedule
// the kernel was built for. So that is how it is read:
//
//   | the file must have                | which says                        |
//   |-----------------------------------|-----------------------------------|
//   | one kernel.launch with a problem  | the class: the problem without    |
//   | and a schedule                    | its extents                       |
//   | a plan, that of the schedule      | what the kernel is launched with  |
//   | the gpu.func that the plan ends   | the kernel; what else there is    |
//   | with                              | (fallbacks, copies) is as built   |
//
// The same problem and schedule are built anew, and what the file has must
// agree with that, up to the body of the one kernel. Nobody vouches for a file:
// whatever is wrong with it is an error, at the op where there is one.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MATMUL_WHOLEKERNELFILE_H
#define HONE_MATMUL_WHOLEKERNELFILE_H

#include "hone/Driver/Compile.h"
#include "hone/Schedule/WholeKernel.h"
#include <functional>

namespace hone {

struct WholeKernelFile {
  Problem problem;   ///< as the file states it; its extents do not matter
  Schedule base;     ///< what the kernel was built from, without rewrites
  Schedule schedule; ///< the same with the kernel in its place
  WholeKernel kernel;
  std::string text; ///< of the whole file, as it would be written

  /// What all problems of the class have in common.
  Problem ofClass() const { return problem.open(kBestAlign); }
};

/// Reads a file for `arch`. With `body`, the text of another gpu.func, as if
/// that were the kernel in the file.
llvm::Expected<WholeKernelFile> readWholeKernel(mlir::MLIRContext &context,
                                                llvm::StringRef path,
                                                const Arch &arch,
                                                llvm::StringRef body = "");

/// A program with a matmul of the class, with the schedule and the text of the
/// kernel in it: what a build has before it builds kernels.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
programWith(mlir::MLIRContext &context, const WholeKernelFile &file,
            const Arch &arch);

/// Finds the texts of whole kernels in databases, for workers that compile what
/// was searched before (WorkerOptions::kernelText).
std::function<std::string(llvm::StringRef)>
kernelTextsIn(std::vector<std::string> databases);

} // namespace hone

#endif // HONE_MATMUL_WHOLEKERNELFILE_H
