//===- MatchLeft.cpp - Products that are left alone -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction that is no hone.matmul runs without Hone, often much slower. So
// it is a warning, or an error where the build requires measured schedules.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Diagnostics.h"
#include "passes/Match/Match.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

/// True if users expect a kernel for `op`: it is a contraction by its form or
/// its name, and has something to compute. Convolutions have remarks alone.
static bool isExpected(linalg::LinalgOp op) {
  return (linalg::isaContractionOpInterface(op) ||
          op->getName().getStringRef().contains("matmul")) &&
         !llvm::is_contained(op.getStaticLoopRanges(), 0);
}

void LeftAlone::add(linalg::LinalgOp op, const std::string &why) {
  remarkMissed(op, "not-matched", "not matched: " + why);
  if (isExpected(op))
    byCause["'" + op->getName().getStringRef().str() +
            "' is left alone: " + why]
        .push_back(op.getLoc());
}

bool LeftAlone::report(bool isError) const {
  for (const auto &[cause, locations] : byCause) {
    InFlightDiagnostic said =
        isError ? emitError(locations.front()) : emitWarning(locations.front());
    said << cause;
    for (Location other : llvm::drop_begin(locations))
      said.attachNote(other) << "so is this one";
  }
  return isError && !byCause.empty();
}
