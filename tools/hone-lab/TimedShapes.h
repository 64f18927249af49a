//===- TimedShapes.h - Shapes of dense tables -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by benchmarks that replay: the times of a table, by shape and
// schedule, and the records that a build would have of them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_LAB_TIMEDSHAPES_H
#define HONE_TOOLS_LAB_TIMEDSHAPES_H

#include "hone/Database/Lookup.h"
#include "hone/Search/CostFit.h"
#include <map>

namespace hone {

/// A shape's times, by schedule and by group, and its winner.
struct Shape {
  Problem problem;
  std::string key;
  std::map<std::string, std::map<double, double>> byGroup;
  Schedule winner;
  double best = 0;
};

std::vector<Shape> shapesOf(const DenseTable &table);

/// A database of the winners of `shapes`, without `leftOut`.
std::shared_ptr<Lookup> winnersOf(llvm::ArrayRef<Shape> shapes,
                                  const Arch &arch,
                                  const Shape *leftOut = nullptr);

/// The slowdown of `schedule` against the best, as a search would try it here;
/// nothing if the table does not have it. A group larger than the matrix equals
/// the largest that fits, which is the only one in the table.
std::optional<double> lossOf(const Shape &shape, const Schedule &schedule);

} // namespace hone

#endif // HONE_TOOLS_LAB_TIMEDSHAPES_H
