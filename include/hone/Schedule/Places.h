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

#ifndef HONE_SCHEDULE_PLACES_H
#define HONE_SCHEDULE_PLACES_H

#include <cstddef>
#include <string>

namespace hone {

/// The condition, in a plan's syntax, for a C with `batches` batch dimensions
/// (at most 2).
std::string distinctPlaces(size_t batches);

/// A plan's guard, conditions joined by " && ", without that condition.
std::string withoutDistinctPlaces(const std::string &guard, size_t batches);

} // namespace hone

#endif // HONE_SCHEDULE_PLACES_H
