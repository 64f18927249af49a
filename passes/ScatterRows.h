//===- ScatterRows.h - hone.scatter_rows as other ops -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both forms add the rows of the source in their order, so they have the same
// bits in each run.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_SCATTERROWS_H
#define HONE_PASSES_SCATTERROWS_H

#include "mlir/IR/Operation.h"

namespace hone {

/// How the rows that belong to a row of the result are found.
enum class ScatterForm {
  loop,     ///< a loop over the source adds each row where its index says
  reduction ///< each row of the result looks through its numbers of a sorted
            ///< index, or through the whole of a short one
};

/// Replaces each `hone.scatter_rows` inside (passes/Match/MatchScatter.cpp).
/// Returns true if there were any.
bool expandScatterRows(mlir::Operation *root, ScatterForm form);

} // namespace hone

#endif // HONE_PASSES_SCATTERROWS_H
