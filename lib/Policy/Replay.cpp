//===- Replay.cpp - Replay of a policy on recorded tables -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Trainer.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/Trainer.h"
#include "hone/Space/Ascending.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>

using namespace hone;

/// The number of a task's candidates that a policy considers.
static constexpr size_t kMaxReplayed = 96;

/// Indices in the order of the model's estimates.
static std::vector<size_t> orderOf(const Model &model, const Task &task,
                                   llvm::ArrayRef<Tried> context,
                                   llvm::ArrayRef<size_t> places) {
  std::vector<Reading> readings;
  for (size_t at : places)
    readings.push_back(task.readings[at]);
  std::vector<size_t> order = ascending(model.judge(context, readings));
  for (size_t &at : order)
    at = places[at];
  return order;
}

static double replayOne(const Model &model, const Task &task, size_t k,
                        bool withResults) {
  std::vector<size_t> places(task.size());
  std::iota(places.begin(), places.end(), 0);
  places = orderOf(model, task, {}, places);
  places.resize(std::min(places.size(), kMaxReplayed));
  std::vector<Tried> context;
  double best = 1e9;
  while (context.size() < k && !places.empty()) {
    if (withResults && !context.empty())
      places = orderOf(model, task, context, places);
    size_t at = places.front();
    places.erase(places.begin());
    best = std::min(best, task.logSeconds[at]);
    context.push_back({task.readings[at], task.logSeconds[at]});
  }
  return std::exp(task.best() - best);
}

std::vector<double> hone::replay(const Model &model, llvm::ArrayRef<Task> tasks,
                                 size_t k, bool withResults) {
  std::vector<double> ratios;
  for (const Task &task : tasks)
    ratios.push_back(replayOne(model, task, k, withResults));
  return ratios;
}

Quality hone::qualityOf(std::vector<double> ratios) {
  Quality quality;
  if (ratios.empty())
    return quality;
  double sum = 0;
  for (double ratio : ratios)
    sum += std::log(ratio);
  llvm::sort(ratios);
  quality.mean = std::exp(sum / ratios.size());
  quality.tenth = ratios[ratios.size() / 10];
  quality.min = ratios.front();
  return quality;
}
