//===- Places.h - Guard for distinct elements of C --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul writes every element of C once, so no two may share an address. If
// strides are unknown, types do not guarantee that, and the plan checks it at
// launch:
//
//   lines      (m <= 1 || max(ldc, 0 - ldc) >= n)
//   batches    the same of matrices and lines, nested in either order
//
// Only the plan has this check: kernel and proof are the same with and without
// it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_GUARDS_PLACES_H
#define HONE_GUARDS_PLACES_H

#include "hone/Runtime/Expression.h"

namespace hone {

/// The number of outer batches, of a plan with two: batch / max(heads, 1).
PlanFormula outerBatches();

/// The condition for a C with `batches` batch dimensions (at most 2).
PlanFormula distinctPlaces(size_t batches);

/// A plan's guard without that condition, its last one.
PlanFormula withoutDistinctPlaces(const PlanFormula &guard, size_t batches);

} // namespace hone

#endif // HONE_GUARDS_PLACES_H
