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

/// Evaluates the steps in order, each for a block of elements, and calls
/// `evaluate` for those that have operands. Returns the result of each of
/// `count` elements.
template <typename Number>
std::vector<Number>
walkSteps(llvm::ArrayRef<ScalarRegion::Step> steps, unsigned last, size_t count,
          llvm::function_ref<Number(size_t argument, size_t element)> argument,
          llvm::function_ref<Number(const ScalarRegion::Step &)> constant,
          llvm::function_ref<void(const ScalarRegion::Step &,
                                  llvm::ArrayRef<const Number *> operands,
                                  llvm::MutableArrayRef<Number> results)>
              evaluate) {
  constexpr size_t kBlock = 64; // whose values stay in the cache
  size_t width = std::min(kBlock, count);
  std::vector<Number> values(steps.size() * width), results(count);
  for (size_t first = 0; first < count; first += width) {
    size_t size = std::min(width, count - first);
    for (auto [i, step] : llvm::enumerate(steps)) {
      llvm::MutableArrayRef<Number> to(&values[i * width], size);
      if (step.kind == ScalarRegion::Step::argument) {
        for (size_t j = 0; j < size; ++j)
          to[j] = argument(i, first + j);
      } else if (step.kind == ScalarRegion::Step::constant) {
        std::fill(to.begin(), to.end(), constant(step));
      } else {
        llvm::SmallVector<const Number *, 3> operands;
        for (unsigned operand : step.operands)
          operands.push_back(&values[operand * width]);
        evaluate(step, operands, to);
      }
    }
    std::copy_n(&values[last * width], size, &results[first]);
  }
  return results;
}

/// The operands of element `at`.
template <typename Number>
llvm::SmallVector<Number, 3> operandsAt(llvm::ArrayRef<const Number *> operands,
                                        size_t at) {
  llvm::SmallVector<Number, 3> all(operands.size());
  for (size_t i = 0; i < operands.size(); ++i)
    all[i] = operands[i][at];
  return all;
}

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_SCALARSTEPS_H
