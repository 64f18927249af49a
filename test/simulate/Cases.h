//===- Cases.h - Matmuls to simulate ----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the programs of this folder: schedules of every family, matmuls for
// them, and the route from both to kernel IR.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SIMULATE_CASES_H
#define HONE_TEST_SIMULATE_CASES_H

#include "hone/Simulate/Reference.h"
#include "hone/Simulate/Simulate.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <atomic>
#include <functional>

namespace hone::test {

/// One matmul on memrefs with open leading dimensions, and its schedule.
struct Case {
  std::string arch = "h200", schedule;
  bool colA = false, colB = false;
  std::string in = "f16", out = "f16";
  bool batched = false, reads = false;
  /// Rows belong to groups, each with a B of its own.
  bool ragged = false;
  /// Rows of A are read through an index.
  bool indexed = false;
  /// Each matrix of C is a sum over a segment of k.
  bool raggedSum = false;
  /// Batch dimensions of B, out of "bh". Epilogues then have the inner ones.
  std::string batchesB;
  /// "", "bias" (and gelu), or "residual".
  std::string epilogue;
  /// The same order of additions at every size.
  bool isInvariant = false;
  /// Lines are padded to a multiple of this many elements.
  int64_t pad = 8;
  /// A is read as windows of images. No other member but the schedule counts.
  bool windows = false;

  std::string str() const;
  std::string moduleText() const;
};

/// A few schedules of each family, for every form of its kernel.
std::vector<std::string> schedulesOfEveryKind();
/// True if the kernel exists. Some tiles are legal in some layouts only.
bool isLegal(const Case &one);

/// Kernel IR, and the product that it has to compute.
struct Built {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<simulate::Subject> subjects;
  std::vector<simulate::Reference> references; ///< one
};
/// Prints kernel IR and reads it back before use. Returns nothing if the
/// passes or that round trip fail, with the reason on standard error.
std::optional<Built> build(mlir::MLIRContext &context, const Case &one);

std::unique_ptr<mlir::MLIRContext> makeContext();

/// Calls `run` for 0 .. count - 1 from as many threads as there are cores, each
/// with a context of its own.
void inParallel(size_t count,
                std::function<void(mlir::MLIRContext &, size_t)> run);

} // namespace hone::test

#endif // HONE_TEST_SIMULATE_CASES_H
