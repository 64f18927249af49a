//===- Location.h - Closeness of schedules ----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A measurement predicts the times of schedules close to the measured one. A
// number that doubles is one step. Schedules of different forms (Space.h) are
// never close.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SPACE_LOCATION_H
#define HONE_SPACE_LOCATION_H

#include "hone/Schedule/Schedule.h"

namespace hone {

struct Location {
  std::string form;
  llvm::SmallVector<double, 16> doublings; ///< log2 of the numbers
};
Location locationOf(const Schedule &schedule);

/// 1 for equal schedules, falling by a factor of e every 1.4 steps; 0 for
/// schedules of different forms.
double closeness(const Location &one, const Location &other);

/// The kind, and the rows and columns of C that a block computes. Schedules
/// with the same tile are often equally good.
using Tile = std::tuple<const Kind *, int64_t, int64_t>;
Tile tileOf(const Problem &problem, const Schedule &schedule);

} // namespace hone

#endif // HONE_SPACE_LOCATION_H
