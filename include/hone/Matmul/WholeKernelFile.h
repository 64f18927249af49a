//===- WholeKernelFile.h - A file with a handwritten kernel -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To write a kernel by hand, start with a built one and change the body:
//
//   hone-opt mm.mlir --hone-select-schedule="arch=h200 schedule='ws, ...'"
//            --hone-build-kernel > kernel.mlir
//
// The file is a module, and its launch still states the problem and schedule
// that the kernel was built for:
//
//   | the file must have                | with                              |
//   |-----------------------------------|-----------------------------------|
//   | one kernel.launch with a problem  | the class: the problem without    |
//   | and a schedule                    | its extents                       |
//   | a plan, that of the schedule      | the arguments of the launch       |
//   | the gpu.func that the plan ends   | the kernel; all others            |
//   | with                              | (fallbacks, copies) are as built  |
//
// The same problem and schedule are built again, and the file must agree with
// the result, except for the body of the one kernel. Files are untrusted: every
// fault is an error, at the op where there is one.
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
  Schedule base;     ///< the kernel's original schedule, without rewrites
  Schedule schedule; ///< the same, naming the whole kernel
  WholeKernel kernel;
  std::string text; ///< of the whole file, as MLIR prints it

  /// The problem without its extents, the same for the whole class.
  Problem ofClass() const { return problem.open(kBestAlign); }
};

/// Reads a file for `arch`. `body`, the text of another gpu.func, replaces the
/// kernel in the file.
llvm::Expected<WholeKernelFile> readWholeKernel(mlir::MLIRContext &context,
                                                llvm::StringRef path,
                                                const Arch &arch,
                                                llvm::StringRef body = "");

/// A program with a matmul of the class, the schedule and the text of the
/// kernel: the module of a build before kernels are built.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
programWith(mlir::MLIRContext &context, const WholeKernelFile &file,
            const Arch &arch);

/// Finds the texts of whole kernels in databases, for workers that compile
/// known schedules (WorkerOptions::kernelText).
std::function<std::string(llvm::StringRef)>
kernelTextsIn(std::vector<std::string> databases);

} // namespace hone

#endif // HONE_MATMUL_WHOLEKERNELFILE_H
