//===- RowOps.h - hone.scatter_rows and hone.route as others ----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both forms add the rows of the source in their order, and keep the order of
// pairs of one expert, so they have the same bits in each run.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_ROWOPS_H
#define HONE_PASSES_ROWOPS_H

#include "mlir/IR/Operation.h"

namespace hone {

/// How the rows that belong to a row of the result, or to a group, are found.
enum class RowForm {
  loop,  ///< a loop over the source adds each row where its index says, or
         ///< counts it
  tables ///< each element of the result looks through its numbers of a sorted
         ///< index, or through the whole of a short one
};

/// Replaces each `hone.route` and `hone.scatter_rows` inside
/// (passes/Match/Rows). Returns true if there were any.
bool expandRowOps(mlir::Operation *root, RowForm form);

} // namespace hone

#endif // HONE_PASSES_ROWOPS_H
