//===- Factors.h - Two products of three factors ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REORDER_FACTORS_H
#define HONE_PASSES_REORDER_FACTORS_H

#include "passes/Reorder/Reorder.h"

namespace hone::reorder {

/// The number of a dimension's name.
using Name = unsigned;
using Names = llvm::SmallVector<Name, 4>;

struct Factor {
  mlir::Value value;
  Names names;
};

/// A product of two factors.
struct Pair {
  mlir::Operation *op = nullptr;
  std::array<Factor, 2> factors = {};
  Names result = {};
};

/// Two products, one of the other's result and a third factor.
struct Chain {
  Pair inner, outer;
  /// The factor of `outer` that is the result of `inner`.
  unsigned place = 0;
  /// An op that rounds it in between, or null.
  mlir::Operation *rounding = nullptr;
  /// The extent of each name.
  llvm::DenseMap<Name, int64_t> extents;
  /// For ragged rows, the names of rows and groups.
  std::optional<std::pair<Name, Name>> ragged;

  /// Reads `op` and the product that its factor `place` is.
  static std::optional<Chain> read(mlir::Operation *op, unsigned place);
  const Factor &third() const { return outer.factors[1 - place]; }
};

/// True for a sum that starts from zero.
bool startsFromZero(mlir::Operation *product);

} // namespace hone::reorder

#endif // HONE_PASSES_REORDER_FACTORS_H
