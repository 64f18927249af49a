//===- Reference.h - The expected result of a matmul ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result in f64, from the problem alone: sums of products of the rounded
// inputs, the destination's old value if the problem reads it, and the
// epilogue. It does not depend on kernel IR. The epilogue is the region of the
// `hone.matmul`, evaluated op by op in f64; each value has a bound for the
// error of a kernel that rounds where the region does
// (hone/Numerics/ErrorBound.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_REFERENCE_H
#define HONE_SIMULATE_REFERENCE_H

#include "hone/Numerics/ErrorBound.h"
#include "hone/Schedule/Problem.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>
#include <vector>

namespace hone {
class MatmulOp;
} // namespace hone

namespace hone::simulate {
class ScalarRegion;

class Reference {
public:
  /// For a matmul without an epilogue.
  explicit Reference(Problem problem) : problem(std::move(problem)) {}
  /// For `op`; the epilogue is copied, so the op may be erased.
  explicit Reference(MatmulOp op);

  const Problem &getProblem() const { return problem; }
  /// The letters of the dimensions that an operand of the epilogue has.
  llvm::StringRef dimsOf(size_t operand) const { return dims[operand]; }
  size_t operandCount() const { return dims.size(); }
  /// The elements of C as they are stored, for their sums (including C's old
  /// values, if these are read) and the epilogue operands' elements. Their
  /// errors include the last rounding.
  std::vector<Inexact<double>>
  finish(llvm::ArrayRef<Inexact<double>> sums,
         llvm::function_ref<double(size_t operand, size_t element)> operands)
      const;
  /// The same for one element.
  Inexact<double> finish(Inexact<double> sum,
                         llvm::ArrayRef<double> operands) const;
  /// The distance of the element `got` from the correct value, in units of the
  /// tolerance; correct up to 1. `wanted` is the finished sum.
  double distance(double got, Inexact<double> sum, Inexact<double> wanted,
                  llvm::function_ref<double(size_t operand)> operandAt) const;

private:
  /// The element as a kernel computes it, without errors: intermediate values
  /// that are too large for the program's types are infinite.
  double finishInFloat(double sum, llvm::ArrayRef<double> operands) const;

  Problem problem;
  std::shared_ptr<mlir::Region> epilogue;
  std::shared_ptr<const ScalarRegion> math; ///< of the epilogue
  std::vector<std::string> dims;
};

} // namespace hone::simulate

#endif // HONE_SIMULATE_REFERENCE_H
