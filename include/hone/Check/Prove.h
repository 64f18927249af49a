//===- Prove.h - Proofs of kernels ------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For commands that show unproven kernels: hone rewrite, and hone tune with a
// kernel of one's own.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHECK_PROVE_H
#define HONE_CHECK_PROVE_H

#include "hone/Matmul/WholeKernelFile.h"
#include "hone/Simulate/Reference.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace hone {

/// The result for all kernels together.
enum class Proven {
  no,
  barriers, ///< one has no reference
  numbers   ///< too
};

/// Proves every kernel of a module, and prints the result in one line each;
/// findings are emitted. `references` define the results of the kernels.
llvm::Expected<Proven>
proveKernels(mlir::ModuleOp module,
             llvm::ArrayRef<simulate::Reference> references, bool protocolOnly,
             llvm::raw_ostream &os = llvm::outs());

/// A program with kernels, and the references for their results.
struct ProvableProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<simulate::Reference> references;
};
llvm::Expected<ProvableProgram> buildWholeKernel(mlir::MLIRContext &context,
                                                 const WholeKernelFile &file,
                                                 const Arch &arch);

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

#endif // HONE_CHECK_PROVE_H
