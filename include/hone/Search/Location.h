//===- Location.h - How close schedules are ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured says something about what is close by. A number that
// doubles is one step; between forms (Space.h) there are none, so their
// schedules are not close at all.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_LOCATION_H
#define HONE_SEARCH_LOCATION_H

#include "hone/Schedule/Schedule.h"

namespace hone {

struct Location {
  std::string form;
  llvm::SmallVector<double, 16> doublings; ///< log2 of the numbers
};
Location locationOf(const Schedule &schedule);

/// 1 where they are the same, and a factor of e less every 1.4 steps; 0 where
/// they are of two forms.
double closeness(const Location &one, const Location &other);

/// What a block computes: kind, and rows and columns of C. Schedules that have
/// the same are often as good as each other.
using Tile = std::tuple<const Kind *, int64_t, int64_t>;
Tile tileOf(const Problem &problem, const Schedule &schedule);

} // namespace hone

#endif // HONE_SEARCH_LOCATION_H
