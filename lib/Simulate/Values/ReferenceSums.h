//===- ReferenceSums.h - Sums of the reference in f64 -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For runs of trials and of programs alike: only their operands differ.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REFERENCESUMS_H
#define HONE_LIB_SIMULATE_REFERENCESUMS_H

#include "hone/Numerics/ErrorBound.h"
#include "hone/Schedule/Problem.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace hone::simulate {

/// The sums of the products of a row of A, of `depth` elements, with `cols`
/// columns of B, with their errors. They include C's old values, which `before`
/// reads, if the problem adds to them.
std::vector<Inexact<double>>
sumsOfRow(const Problem &problem, const double *a, llvm::ArrayRef<double> b,
          int64_t depth, int64_t cols,
          llvm::function_ref<double(int64_t col)> before);

/// Clears the rows of `b`, which has `cols` columns, that are not of a segment.
void keepSegment(llvm::ArrayRef<int32_t> ends, int64_t segment, int64_t cols,
                 std::vector<double> &b);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_REFERENCESUMS_H
