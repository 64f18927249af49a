//===- WorkspaceOps.cpp - Verifiers of sums in global memory --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that need a single op of WorkspaceOps.td: accumulators fit the slots
// that they are written to, or read from.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/Verifiers.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hone::kernel;

LogicalResult SumsType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t cols) {
  return verifySumTile(emitError, rows, cols);
}

LogicalResult SumsOp::verify() {
  constexpr int64_t kAlign = 128;
  return verifyOffset(*this, getOffsetAttr().getInt(), kAlign);
}

LogicalResult SumsPutOp::verify() {
  AccType acc = getAcc().getType();
  SumsType sums = getSums().getType();
  if (failed(verifyPutSums(*this, acc)))
    return failure();
  if (acc.getRows() > sums.getRows() || acc.getCols() > sums.getCols())
    return emitOpError("expected slots of at least ")
           << acc.getRows() << " x " << acc.getCols() << ", but got " << sums;
  return success();
}

LogicalResult SumsTotalOp::verify() {
  SumsType sums = getSums().getType();
  return verifyReadSums(*this, getAcc().getType(), sums.getRows(),
                        sums.getCols());
}
