//===- Reference.cpp - What a matmul is to give ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The epilogue in f64; the sums are in ValuesCompare.cpp, where the inputs are.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/Reference.h"
#include "Scalars.h"
#include "dialects/Hone/Hone.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

Reference::Reference(MatmulOp op) : problem(op.getProblem()) {
  if (!op.hasEpilogue())
    return;
  epilogue = std::make_shared<Region>();
  IRMapping mapping;
  op.getEpilogue().cloneInto(epilogue.get(), mapping);
}

double Reference::finish(double sum, ArrayRef<double> operands) const {
  if (!epilogue)
    return sum;
  SmallVector<double> arguments = {sum};
  arguments.append(operands.begin(), operands.end());
  return evaluateRegion<double>(epilogue->front(), arguments,
                                /*exactEnd=*/true);
}
