//===- Judge.cpp - What a schedule should take ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Judge.h.
//
//===----------------------------------------------------------------------===//

#include "Judge.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace hone;
using namespace hone::detail;

Judge::Judge(const Ensemble &model, llvm::ArrayRef<Schedule> learned,
             double caution)
    : model(model), caution(caution) {
  for (const Schedule &schedule : learned)
    seen.push_back(locationOf(schedule));
}

double Judge::familiarityOf(const Schedule &schedule,
                            const Location &at) const {
  double most = 0;
  if (!model.knows(schedule))
    return most;
  for (const Location &one : seen)
    if (most < 1)
      most = std::max(most, closeness(at, one));
  return most;
}

Case Judge::caseOf(const Schedule &schedule, Reading reading) const {
  Case result = {schedule, std::move(reading), locationOf(schedule)};
  result.familiarity = familiarityOf(schedule, result.location);
  return result;
}

namespace {
/// What the model says of a case, and how far that is from the cost model.
struct Said {
  double logSeconds, off;
};
} // namespace

/// Of the best that the model knows, what it says the cost model is off by; of
/// nothing that it knows, nothing.
static double biasOf(std::vector<Said> known) {
  constexpr size_t kBest = 32;
  llvm::stable_sort(known, [](const Said &one, const Said &other) {
    return one.logSeconds < other.logSeconds;
  });
  known.resize(std::min(known.size(), kBest));
  double sum = 0;
  for (const Said &one : known)
    sum += one.off;
  return known.empty() ? 0 : sum / double(known.size());
}

/// How wrong the cost model should be about a case.
static double correctionOf(const Case &one,
                           llvm::ArrayRef<Precedent> precedents, double bias) {
  constexpr double kOfBias = 0.4, kOfFailed = 0.5;
  double weights = kOfBias, errors = kOfBias * bias;
  for (const Precedent &precedent : precedents) {
    double weight = closeness(one.location, precedent.of->location);
    double off = precedent.logSeconds
                     ? *precedent.logSeconds - precedent.of->reading.logModel
                     : kOfFailed;
    weights += weight;
    errors += weight * off;
  }
  return errors / weights;
}

std::vector<double> Judge::judge(llvm::ArrayRef<Precedent> precedents,
                                 llvm::ArrayRef<const Case *> cases) const {
  // A model that hears of what it cannot place is confused by it.
  constexpr double kStrange = 0.05, kFamiliar = 0.95;
  std::vector<Tried> context;
  for (const Precedent &precedent : precedents)
    if (precedent.of->familiarity >= kStrange)
      context.push_back({precedent.of->reading, precedent.logSeconds});
  std::vector<Reading> readings;
  for (const Case *one : cases)
    if (one->familiarity >= kStrange)
      readings.push_back(one->reading);
  std::vector<double> answers = model.judge(context, readings);
  std::vector<Said> known;
  size_t next = 0;
  for (const Case *one : cases)
    if (one->familiarity >= kStrange) {
      double answer = answers[next++];
      if (one->familiarity >= kFamiliar)
        known.push_back({answer, answer - one->reading.logModel});
    }
  double bias = biasOf(std::move(known));
  std::vector<double> judged;
  next = 0;
  for (const Case *one : cases) {
    double trust = one->familiarity >= kStrange ? one->familiarity : 0;
    double answer = trust > 0 ? answers[next++] : 0;
    if (trust < 1)
      answer =
          trust * answer + (1 - trust) * (one->reading.logModel + caution +
                                          correctionOf(*one, precedents, bias));
    judged.push_back(answer);
  }
  return judged;
}
