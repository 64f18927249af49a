//===- WorkspaceOps.cpp - Verifiers of sums in global memory --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a single op of WorkspaceOps.td can know: accumulators fit the slots that
// they are written to, or are read from.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/Kernel.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hone::kernel;

LogicalResult SumsType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t cols) {
  constexpr int64_t kMost = 1024, kPiece = 16;
  for (int64_t extent : {rows, cols})
    if (extent < kPiece || extent > kMost || extent % kPiece)
      return emitError() << "expected extents that are multiples of " << kPiece
                         << " up to " << kMost << ", but got " << rows << " x "
                         << cols;
  return success();
}

void SumsOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getSums(), "sums");
}
void CountersOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getCounters(), "counters");
}
void SumsTotalOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getAcc(), "total");
}

LogicalResult SumsOp::verify() {
  constexpr int64_t kAlign = 128;
  int64_t offset = getOffsetAttr().getInt();
  if (offset < 0 || offset % kAlign)
    return emitOpError("expected an offset that is a multiple of ")
           << kAlign << " bytes, but got " << offset;
  return success();
}

LogicalResult SumsPutOp::verify() {
  AccType acc = getAcc().getType();
  SumsType sums = getSums().getType();
  if (!acc.getElement().isF32() || acc.getRun())
    return emitOpError("expected an accumulator of f32 without runs, but got ")
           << acc;
  if (acc.getRows() > sums.getRows() || acc.getCols() > sums.getCols())
    return emitOpError("expected slots of at least ")
           << acc.getRows() << " x " << acc.getCols() << ", but got " << sums;
  return success();
}

LogicalResult SumsTotalOp::verify() {
  AccType acc = getAcc().getType();
  SumsType sums = getSums().getType();
  if (!acc.getElement().isF32() || !acc.getRun())
    return emitOpError("expected a result of f32 in runs, but got ") << acc;
  if (acc.getRows() > sums.getRows() || acc.getCols() != sums.getCols())
    return emitOpError("expected a result of at most ")
           << sums.getRows() << " lines of " << sums.getCols() << ", but got "
           << acc;
  return success();
}
