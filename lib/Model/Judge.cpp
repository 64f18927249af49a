//===- Judge.cpp - Estimates of a schedule's time -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Judge.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Judge.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using namespace hone::detail;

static bool streams(const Schedule &schedule) {
  return &schedule.kind() == &WarpSpecialized::kind() &&
         WarpSpecialized(schedule).streams;
}

Case Judge::caseOf(const Schedule &schedule, Reading reading) const {
  // On an H200, 2 to 4 times as long as the estimate.
  constexpr double kStreamsOfBatch = 1.4;
  return {schedule, std::move(reading), locationOf(schedule),
          model.covers(schedule),
          isBatched && streams(schedule) ? kStreamsOfBatch : 0};
}

namespace {
/// The model's estimate for a case, and its difference from the cost model.
struct Said {
  double logSeconds, off;
};
} // namespace

/// The mean difference between model and cost model over the best known cases;
/// 0 if no case is known.
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

/// The expected error of the cost model for a case.
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

/// The difference between measured times and estimates close to a case. Trees
/// do not read measurements, and the networks were trained on measurements of
/// one machine only.
static double residueOf(const Case &one,
                        llvm::ArrayRef<std::pair<const Case *, double>> off) {
  constexpr double kDoubt = 0.4;
  double weights = kDoubt, errors = 0;
  for (auto [other, error] : off) {
    double weight = closeness(one.location, other->location);
    weights += weight;
    errors += weight * error;
  }
  return errors / weights;
}

std::vector<double> Judge::judge(llvm::ArrayRef<Precedent> precedents,
                                 llvm::ArrayRef<const Case *> cases) const {
  // Measurements that the model cannot place would distort its estimates.
  std::vector<Tried> context;
  std::vector<Reading> readings;
  std::vector<const Precedent *> timed;
  for (const Precedent &precedent : precedents) {
    if (!precedent.of->isKnown)
      continue;
    context.push_back({precedent.of->reading, precedent.logSeconds});
    if (precedent.logSeconds) {
      timed.push_back(&precedent);
      readings.push_back(precedent.of->reading);
    }
  }
  for (const Case *one : cases)
    if (one->isKnown)
      readings.push_back(one->reading);
  std::vector<double> answers = model.judge(context, readings);
  for (auto [answer, reading] : llvm::zip_equal(answers, readings))
    answer = share * answer + (1 - share) * reading.logModel;
  std::vector<std::pair<const Case *, double>> off;
  for (auto [precedent, answer] : llvm::zip_first(timed, answers))
    off.emplace_back(precedent->of, *precedent->logSeconds - answer);
  std::vector<Said> known;
  size_t next = timed.size();
  for (size_t at = next; at < answers.size(); ++at)
    known.push_back({answers[at], answers[at] - readings[at].logModel});
  double bias = biasOf(std::move(known));
  std::vector<double> judged;
  for (const Case *one : cases)
    judged.push_back(one->added +
                     (one->isKnown ? answers[next++] + residueOf(*one, off)
                                   : one->reading.logModel + caution +
                                         correctionOf(*one, precedents, bias)));
  return judged;
}

std::vector<double> Judge::judge(llvm::ArrayRef<Precedent> precedents,
                                 const Reader &reader,
                                 llvm::ArrayRef<Schedule> schedules) const {
  std::vector<Case> cases;
  for (const Schedule &schedule : schedules)
    cases.push_back(caseOf(schedule, reader.read(schedule)));
  std::vector<const Case *> asked;
  for (const Case &one : cases)
    asked.push_back(&one);
  return judge(precedents, asked);
}
