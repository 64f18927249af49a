//===- TimedShapes.h - Shapes of dense tables -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What benchmarks by replay share: the times of a table, by shape and schedule,
// and what a build would know of them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_LAB_TIMEDSHAPES_H
#define HONE_TOOLS_LAB_TIMEDSHAPES_H

#include "hone/Database/Lookup.h"
#include "hone/Search/CostFit.h"
#include <map>

namespace hone {

/// A shape's times, by schedule and by group, and what won.
struct Shape {
  Problem problem;
  std::string key;
  std::map<std::string, std::map<double, double>> byGroup;
  Schedule winner;
  double best = 0;
};

std::vector<Shape> shapesOf(const DenseTable &table);

/// What `shapes` would have in a database, all but one, if one is left out.
std::shared_ptr<Lookup> winnersOf(llvm::ArrayRef<Shape> shapes,
                                  const Arch &arch,
                                  const Shape *leftOut = nullptr);

/// How much slower than the best `schedule` is, as a search would try it here;
/// nothing if the table does not have it. A group larger than the matrix is as
/// one that just fits, and the table has only that.
std::optional<double> lossOf(const Shape &shape, const Schedule &schedule);

} // namespace hone

#endif // HONE_TOOLS_LAB_TIMEDSHAPES_H
