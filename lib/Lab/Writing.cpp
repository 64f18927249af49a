//===- Writing.cpp - Cost and quality of written schedules ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Writing.h.
//
//===----------------------------------------------------------------------===//

#include "Writing.h"
#include "hone/Model/Scribe.h"
#include "hone/Sources/LearnedSource.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <cmath>

using namespace hone;

template <typename Work>
static double secondsOf(Work work) {
  auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

MaskCost hone::maskCostOf(const Problem &problem, const Arch &arch,
                          size_t beams) {
  const Model costModel({}, 0);
  LawMaskOptions plain;
  plain.looks = plain.firstLooks = 0;
  MaskCost cost;
  cost.seconds = secondsOf([&] {
    Scribe scribe(costModel, problem, arch, allKinds(), plain);
    for (const Written &one : scribe.write({}, beams))
      cost.words += 1 + one.schedule.numbers().size();
  });
  return cost;
}

Writing hone::writingOf(const Problem &problem, const Arch &arch,
                        const Model &model, size_t beams) {
  Writing result;
  result.seconds = secondsOf([&] {
    Scribe scribe(model, problem, arch);
    result.fault = scribe.fault();
    for (const Written &one : scribe.write({}, beams))
      result.beams.push_back(one.schedule);
  });
  Model judges = model;
  judges.writer.reset();
  result.fromLists = preferredSchedule(judges, problem, arch);
  if (!result.fromLists || result.beams.empty())
    return result;
  std::vector<Schedule> all = result.beams;
  all.push_back(*result.fromLists);
  std::vector<double> prices = judgedPrices(judges, problem, arch, all);
  if (prices.empty())
    return result;
  double ofLists = prices.back();
  prices.pop_back();
  auto best = llvm::min_element(prices);
  result.written = result.beams[best - prices.begin()];
  result.overLists = std::exp2(ofLists - *best);
  return result;
}

std::vector<Schedule> hone::tilesOf(const Writing &writing,
                                    const Problem &problem, const Arch &arch,
                                    const Model &model) {
  constexpr size_t kOfBuild = 6;
  std::vector<Schedule> tiles = preferredTiles(model, problem, arch, kOfBuild);
  llvm::append_range(tiles, firstOfTiles(problem, writing.beams));
  return tiles;
}
