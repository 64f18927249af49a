//===- TimedShapes.cpp - Shapes of dense tables ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TimedShapes.h.
//
//===----------------------------------------------------------------------===//

#include "TimedShapes.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using llvm::formatv;

/// A schedule without the tile rows that are walked together, and those.
static std::pair<std::string, double> splitGroup(const Schedule &schedule) {
  std::string text = schedule.kind().name.str();
  double group = 0;
  for (const Schedule::Decided &one : schedule.decided())
    if (one.decision->name == "group")
      group = one.numbers.front();
    else
      text += formatv(", {0} = {1}", one.decision->name, one.text());
  return {text, group};
}

std::vector<Shape> hone::shapesOf(const DenseTable &table) {
  std::vector<Shape> shapes;
  for (const DenseShape &dense : table) {
    Shape shape;
    shape.problem = dense.problem;
    shape.key = dense.problem.str();
    for (size_t at = 0; at < dense.schedules.size(); ++at) {
      auto [text, group] = splitGroup(dense.schedules[at]);
      shape.byGroup[text][group] = dense.seconds[at];
      if (at && dense.seconds[at] >= shape.best)
        continue;
      shape.best = dense.seconds[at];
      shape.winner = dense.schedules[at];
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

std::shared_ptr<Lookup> hone::winnersOf(llvm::ArrayRef<Shape> shapes,
                                        const Arch &arch,
                                        const Shape *leftOut) {
  std::vector<Found> records;
  for (const Shape &shape : shapes) {
    if (leftOut && shape.key == leftOut->key)
      continue;
    Found found;
    found.record.problem = shape.problem;
    found.record.arch = arch.chip;
    found.record.schedule = shape.winner;
    found.record.times = {shape.best, shape.best, shape.best, 1};
    records.push_back(std::move(found));
  }
  return makeLookup(std::move(records), "table");
}

std::optional<double> hone::lossOf(const Shape &shape,
                                   const Schedule &schedule) {
  std::optional<double> seconds;
  double min = 0;
  auto [text, group] = splitGroup(settled(schedule, shape.problem));
  auto times = shape.byGroup.find(text);
  if (times == shape.byGroup.end())
    return std::nullopt;
  for (auto [known, time] : times->second) {
    double apart = std::abs(known - group);
    if (seconds && apart >= min)
      continue;
    seconds = time;
    min = apart;
  }
  return *seconds / shape.best - 1;
}
