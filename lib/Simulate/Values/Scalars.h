//===- Scalars.h - Math of epilogues ----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the scalar region of an epilogue: in f32 as a kernel does, or in
// f64 with errors as the reference does. Integers are exact in both, and wrap
// around in their type.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_SCALARS_H
#define HONE_LIB_SIMULATE_SCALARS_H

#include "hone/Numerics/ErrorBound.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace hone::simulate {

bool compareFloats(mlir::arith::CmpFPredicate predicate, double a, double b);

/// A region whose ops are analysed once, for many evaluations. Its block must
/// outlive it.
class ScalarRegion {
public:
  explicit ScalarRegion(mlir::Block &block);
  ~ScalarRegion();

  /// The terminator's value for these arguments, in f32; results of conversions
  /// are rounded.
  double inFloat(llvm::ArrayRef<double> arguments) const;
  /// The same for `count` elements, each with its arguments.
  std::vector<double>
  inFloat(size_t count,
          llvm::function_ref<double(size_t argument, size_t element)> arguments)
      const;
  /// The same in f64, with bounds of the rounding errors of all ops.
  Inexact<double> withErrors(llvm::ArrayRef<Inexact<double>> arguments) const;
  std::vector<Inexact<double>> withErrors(
      size_t count,
      llvm::function_ref<Inexact<double>(size_t argument, size_t element)>
          arguments) const;

  struct Step;

private:
  /// The arguments come first, and operands before their ops.
  std::vector<Step> steps;
  unsigned last = 0; ///< the step that is the result
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_SCALARS_H
