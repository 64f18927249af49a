//===- WriterReplay.cpp - Replay of a writer on recorded tables -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WriterTrainer.h.
//
//===----------------------------------------------------------------------===//

#include "WriterPool.h"
#include "hone/Policy/WriterTrainer.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace hone;
using namespace hone::detail;
using llvm::ArrayRef;

static double replayOne(const Ensemble &writer, const Language &language,
                        const Task &task, size_t k, bool withResults) {
  std::vector<Tried> context;
  std::vector<size_t> done;
  double best = 1e9;
  while (done.size() < std::min(k, task.size())) {
    WriterPool rest(task, done);
    Trie trie(language, rest.schedules, rest.readings);
    for (const Written &one : Writer(writer, language, trie, context)
                                  .likeliest(withResults ? 1 : k)) {
      size_t at = rest.places[trie.placeOf(one.state)];
      done.push_back(at);
      best = std::min(best, task.logSeconds[at]);
      context.push_back({task.readings[at], task.logSeconds[at]});
    }
  }
  return std::exp(task.best() - best);
}

std::vector<double> hone::replayWriter(const Ensemble &writer,
                                       ArrayRef<Task> tasks, size_t k,
                                       bool withResults) {
  Language language;
  std::vector<double> ratios;
  for (const Task &task : tasks)
    ratios.push_back(replayOne(writer, language, task, k, withResults));
  return ratios;
}

//===----------------------------------------------------------------------===//
// Draws
//===----------------------------------------------------------------------===//

/// Draws until `k` schedules have a time or the number of tries is exhausted.
static void drawOne(Writer &&writer, const Task &task, const Arch &arch,
                    size_t k, std::mt19937_64 &dice, Draws &draws) {
  constexpr size_t kMaxTries = 100;
  double best = 1e9;
  for (size_t tries = 0; tries < kMaxTries && k > 0; ++tries) {
    Schedule schedule = writer.draw(dice).schedule;
    ++draws.drawn;
    if (!isLegal(schedule, task.problem, arch)) {
      ++draws.illegal;
      continue;
    }
    auto at = llvm::find(task.schedules, schedule);
    if (at == task.schedules.end()) {
      ++draws.unknown;
      continue;
    }
    best = std::min(best, task.logSeconds[at - task.schedules.begin()]);
    --k;
  }
  draws.ratios.push_back(std::exp(task.best() - best));
}

Draws hone::drawFrom(const Ensemble &writer, ArrayRef<Task> tasks,
                     const Arch &arch, size_t k, bool hasMask, uint64_t seed) {
  Language language;
  std::mt19937_64 dice(seed);
  Draws draws;
  for (const Task &task : tasks) {
    Trie trie(language, task.schedules, task.readings);
    Loose loose(language, task.schedules, task.readings);
    Mask &mask = hasMask ? static_cast<Mask &>(trie) : loose;
    drawOne(Writer(writer, language, mask, {}), task, arch, k, dice, draws);
  }
  return draws;
}
