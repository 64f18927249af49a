//===- RestLines.h - Loads of lines in a body -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a body at neighbours along the last loop: which are one value
// for all of them, and which loads read adjacent elements.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REST_RESTLINES_H
#define HONE_PASSES_REST_RESTLINES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Rest/Rest.h"

namespace hone {

/// A sum of multiples of positions along loops. Tiles share the sums that are
/// equal at different points.
struct LoopSum {
  llvm::SmallVector<int64_t> factors; ///< by loop
  int64_t constant = 0;
};

class RestLines {
public:
  /// Of `width` neighbours along the last loop that threads share.
  RestLines(const RestStep &step, int64_t width);

  /// A number of the body that is a sum of positions; null for another value.
  const LoopSum *sumOf(mlir::Value value) const;
  /// True if neighbours have the same value.
  bool isSame(mlir::Value value) const;
  /// True if neighbours read adjacent elements.
  bool isLine(mlir::memref::LoadOp load) const;
  /// True if a choice between a line and one value takes all of it or nothing.
  bool isLine(mlir::Operation *select) const;
  /// The loads of lines.
  llvm::SmallVector<mlir::memref::LoadOp> loads() const;

private:
  void read(mlir::Operation &op);
  std::optional<LoopSum> readSum(mlir::Operation &op) const;

  mutable mlir::linalg::GenericOp op;
  int64_t width;
  unsigned last = 0; ///< the loop
  llvm::DenseMap<mlir::Value, LoopSum> sums;
  llvm::DenseSet<mlir::Value> varying;
};

} // namespace hone

#endif // HONE_PASSES_REST_RESTLINES_H
