//===- Scalars.h - The math of epilogues ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar region of an epilogue, carried out in f32 as a kernel does, or in
// f64 with errors as the reference does. Integers are exact in both, and wrap
// around where their type does.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_SCALARS_H
#define HONE_LIB_SIMULATE_SCALARS_H

#include "hone/Numerics/ErrorBound.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace hone::simulate {

bool compareFloats(mlir::arith::CmpFPredicate predicate, double a, double b);

/// A region whose ops are looked at once, for many evaluations. Its block must
/// outlive it.
class ScalarRegion {
public:
  explicit ScalarRegion(mlir::Block &block);
  ~ScalarRegion();

  /// What the terminator gives for these arguments, in f32; results of
  /// conversions are rounded.
  double inFloat(llvm::ArrayRef<double> arguments) const;
  /// The same in f64, with what the roundings of each op may make of it.
  Inexact<double> withErrors(llvm::ArrayRef<Inexact<double>> arguments) const;

  struct Step;

private:
  /// The arguments come first, and operands before their ops.
  std::vector<Step> steps;
  unsigned last = 0; ///< the step that is the result
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_SCALARS_H
