//===- Reference.h - What a matmul is to give -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result in f64, from the problem alone: sums of products of the inputs as
// they were rounded, the destination's old value where the problem reads it,
// and the epilogue. It knows nothing of kernel IR; the epilogue is the region
// of the `hone.matmul`, carried out op by op in f64, and says beside each value
// how far a kernel's may be off that rounds where the region does
// (hone/Measure/ErrorBound.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_REFERENCE_H
#define HONE_SIMULATE_REFERENCE_H

#include "hone/Measure/ErrorBound.h"
#include "hone/Schedule/Problem.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace hone {
class MatmulOp;
} // namespace hone

namespace hone::simulate {

class Reference {
public:
  /// Of a matmul without an epilogue.
  explicit Reference(Problem problem) : problem(std::move(problem)) {}
  /// Of `op`; the epilogue is copied, so the op may go away.
  explicit Reference(MatmulOp op);

  const Problem &getProblem() const { return problem; }
  /// The element of C for a sum (with C's old value, if it is read) and the
  /// epilogue operands' elements, as it is stored: its error counts the last
  /// rounding in.
  Inexact<double> finish(Inexact<double> sum,
                         llvm::ArrayRef<double> operands) const;

private:
  Problem problem;
  std::shared_ptr<mlir::Region> epilogue;
};

} // namespace hone::simulate

#endif // HONE_SIMULATE_REFERENCE_H
