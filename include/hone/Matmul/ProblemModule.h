//===- ProblemModule.h - A program for a problem ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A database identifies problems by their text. To measure one again, this
// builds a program that contains it, with a single `hone.matmul` on memrefs of
// unknown extents and strides, because kernels do not depend on them. Where A
// reads windows, extents and strides are the problem's. The epilogue is parsed
// from its text:
//
//   addf(acc, n:f32) | maximumf($0, 0:f32)
//
// becomes a region with one operand, a row of f32.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MATMUL_PROBLEMMODULE_H
#define HONE_MATMUL_PROBLEMMODULE_H

#include "dialects/Hone/Hone.h"
#include "hone/Schedule/Schedule.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace hone {

struct EpilogueOperand {
  ElementType type = ElementType::f32;
  std::string dims; ///< some of b, m, n, in its own order; empty: a scalar
};

struct ProblemModule {
  /// A function `matmul` of a, b, c and the operands.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  MatmulOp matmul; ///< until passes replace it
  std::vector<EpilogueOperand> operands;

  /// A problem does not distinguish two batches from one: with `batchesB`
  /// ("bh", "b" or "h": the batches of B) the program has two.
  static llvm::Expected<ProblemModule> of(mlir::MLIRContext &context,
                                          const Problem &problem,
                                          llvm::StringRef batchesB = "");
};

/// The key of a compiled kernel.
std::string kernelKey(const Problem &problem, const Schedule &schedule,
                      const Arch &arch);

} // namespace hone

#endif // HONE_MATMUL_PROBLEMMODULE_H
