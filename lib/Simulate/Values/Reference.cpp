//===- Reference.cpp - Expected results of a matmul -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The epilogue in f64; the sums are in ValuesCompare.cpp, where the inputs are.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/Reference.h"
#include "Elements.h"
#include "Scalars.h"
#include "dialects/Hone/Hone.h"
#include "mlir/IR/IRMapping.h"
#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

Reference::Reference(MatmulOp op) : problem(op.getProblem()) {
  if (!op.hasEpilogue())
    return;
  for (size_t i = 0; i < op.getEpilogueOperands().size(); ++i)
    dims.push_back(op.getDimsOf(i).str());
  epilogue = std::make_shared<Region>();
  IRMapping mapping;
  op.getEpilogue().cloneInto(epilogue.get(), mapping);
  math = std::make_shared<ScalarRegion>(epilogue->front());
}

std::vector<Inexact<double>>
Reference::finish(ArrayRef<Inexact<double>> sums,
                  llvm::function_ref<double(size_t, size_t)> operands) const {
  auto argument = [&](size_t i, size_t element) -> Inexact<double> {
    return i == 0 ? sums[element]
                  : Inexact<double>{operands(i - 1, element), 0};
  };
  std::vector<Inexact<double>> results =
      epilogue ? math->withErrors(sums.size(), argument) : sums.vec();
  // The region's last op, if there is one, has rounded to C's type.
  if (!epilogue ||
      !epilogue->front().getTerminator()->getOperand(0).getDefiningOp())
    for (Inexact<double> &result : results)
        // Inline, the numbers of the type are computed once.
        [[clang::always_inline]]
      result = roundInto(problem.c, result);
  return results;
}

Inexact<double> Reference::finish(Inexact<double> sum,
                                  ArrayRef<double> operands) const {
  return finish(ArrayRef(sum), [&](size_t i, size_t) { return operands[i]; })
      .front();
}

double Reference::finishInFloat(double sum, ArrayRef<double> operands) const {
  if (!epilogue)
    return rounded(problem.c, sum);
  SmallVector<double, 8> arguments = {sum};
  llvm::append_range(arguments, operands);
  return math->inFloat(arguments);
}

/// The error bounds of intermediate values allow for only one outcome of an
/// overflow. A value whose error reaches the limit may overflow or not.
double Reference::distance(double got, Inexact<double> sum,
                           Inexact<double> wanted,
                           llvm::function_ref<double(size_t)> operandAt) const {
  double units = unitsOff(problem.c, got, wanted);
  if (units <= 1)
    return units;
  SmallVector<double, 8> operands(operandCount());
  for (size_t i = 0; i < operands.size(); ++i)
    operands[i] = operandAt(i);
  for (double deviations : {0., kDeviations, -kDeviations}) {
    double own = finishInFloat(sum.value + deviations * sum.error, operands);
    if (!std::isfinite(own) && !std::isfinite(got))
      return 0;
    units = std::min(units, unitsOff(problem.c, got, {own, wanted.error}));
  }
  return units;
}
