//===- ModelSource.cpp - A guess where nothing was measured ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ModelSource.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/ModelSource.h"
#include "hone/Search/Catalogue.h"
#include "hone/Search/CostModel.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;

/// What the model is wrong about most: rings of few slots, and tiles cut where
/// runs of steps end although there are tiles for half of the processors. As one
/// of many to measure they are welcome; as the only one they lose to the
/// default.
static bool isSafe(const Problem &problem, const Arch &arch,
                   const Schedule &schedule) {
  constexpr int64_t kLeastSlots = 4;
  BlockFacts facts = blockFacts(problem, schedule);
  int64_t tiles = llvm::divideCeil(problem.m, facts.tile[0]) *
                  llvm::divideCeil(problem.n, facts.tile[1]) *
                  problem.batch.value_or(1);
  return facts.stages >= kLeastSlots &&
         (facts.parts == 0 || 2 * tiles < arch.processors);
}

std::optional<Schedule> hone::guessSchedule(const Problem &problem,
                                            const Arch &arch) {
  if (arch.isa != "sm_90a" || !problem.isStatic() || !problem.flops() ||
      *problem.flops() <= 0)
    return std::nullopt;
  std::optional<Schedule> best;
  double least = 0;
  for (const Schedule &schedule : catalogue(problem, arch)) {
    // Of operands that its best kernels can not address the model knows little.
    if (checkMemory(schedule, problem))
      return std::nullopt;
    if (!isSafe(problem, arch, schedule))
      continue;
    double seconds = estimateSeconds(problem, arch, schedule);
    if (best && seconds >= least)
      continue;
    best = schedule;
    least = seconds;
  }
  return best;
}

std::optional<Answer> ModelSource::ask(const Problem &problem,
                                       const Arch &arch) {
  std::optional<Schedule> best = guessSchedule(problem, arch);
  if (!best)
    return std::nullopt;
  return Answer{*best, "the cost model", Basis::guess};
}
