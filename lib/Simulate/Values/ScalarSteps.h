//===- ScalarSteps.h - Ops of a scalar region -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a ScalarRegion, for its two evaluations.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_SCALARSTEPS_H
#define HONE_LIB_SIMULATE_SCALARSTEPS_H

#include "Scalars.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone::simulate {

struct ScalarRegion::Step {
  enum Kind {
    argument,
    constant,
    select,
    compare,
    toWhole,
    toReal,
    wholes,
    reals
  } kind;
  mlir::Operation *op = nullptr;
  const ScalarOp *row = nullptr;                ///< of `op`
  llvm::SmallVector<unsigned, 3> operands = {}; ///< steps
  bool isWhole = false;
  unsigned width = 0;                  ///< of an integer, in bits
  ElementType type = ElementType::f32; ///< of a float
  double real = 0;
  int64_t whole = 0; ///< a constant; the predicate of a comparison
};

/// An op on integers alone.
int64_t evaluateWhole(const ScalarRegion::Step &step,
                      llvm::ArrayRef<int64_t> x);
/// Rounded towards zero. Beyond the type's range the result is undefined:
/// kernels saturate.
int64_t toWhole(double value, unsigned width);

/// Evaluates the steps in order, and calls `evaluate` for those that have
/// operands. Returns the result's value.
template <typename Number>
static Number
walkSteps(llvm::ArrayRef<ScalarRegion::Step> steps, unsigned last,
          llvm::ArrayRef<Number> arguments,
          llvm::function_ref<Number(const ScalarRegion::Step &,
                                    llvm::ArrayRef<Number>)>
              evaluate,
          llvm::function_ref<Number(const ScalarRegion::Step &)> constant) {
  llvm::SmallVector<Number, 24> values(steps.size());
  for (auto [i, step] : llvm::enumerate(steps)) {
    if (step.kind == ScalarRegion::Step::argument) {
      values[i] = arguments[i];
    } else if (step.kind == ScalarRegion::Step::constant) {
      values[i] = constant(step);
    } else {
      llvm::SmallVector<Number, 3> operands(step.operands.size());
      for (size_t j = 0; j < operands.size(); ++j)
        operands[j] = values[step.operands[j]];
      values[i] = evaluate(step, operands);
    }
  }
  return values[last];
}

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_SCALARSTEPS_H
