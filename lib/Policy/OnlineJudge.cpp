//===- OnlineJudge.cpp - Online training of a judging policy --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hone/Policy/Online.h.
//
//===----------------------------------------------------------------------===//

#include "OnlineKnown.h"
#include "hone/Model/Trace.h"
#include "hone/Policy/Objective.h"
#include "hone/Space/Ascending.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace hone;

/// The number of candidates of a problem that the policy draws from.
static constexpr size_t kMaxJudged = 160;

static std::vector<double> plus(llvm::ArrayRef<Reading> readings,
                                const Vector &residual) {
  std::vector<double> sums;
  for (auto [at, reading] : llvm::enumerate(readings))
    sums.push_back(reading.logEstimate + double(residual[at]));
  return sums;
}

static size_t drawFrom(llvm::ArrayRef<double> probabilities,
                       std::mt19937_64 &dice) {
  double left = double(dice() >> 11) * 0x1p-53;
  for (auto [at, probability] : llvm::enumerate(probabilities))
    if ((left -= probability) < 0)
      return at;
  return probabilities.size() - 1;
}

static std::vector<double> logitsOf(llvm::ArrayRef<double> said, double tau) {
  std::vector<double> logits;
  for (double value : said)
    logits.push_back(-value / tau);
  return logits;
}

namespace {
class OnlineJudge : public Online {
public:
  OnlineJudge(Ensemble &model, size_t at, OnlineOptions given,
              llvm::ArrayRef<Problem> problems, Evaluator &evaluator)
      : Online(model, at, given, problems, evaluator,
               std::make_unique<Trainer>(model, at, given.train)) {}

protected:
  void prepare(Known &known) override;
  std::vector<size_t> draw(Known &known, size_t count) override;
  void reward(const Group &group, llvm::ArrayRef<double> advantages,
              Vector &gradient) override;
};
} // namespace

/// Keeps the candidates with the best estimates before any measurement.
void OnlineJudge::prepare(Known &known) {
  std::vector<Schedule> schedules = std::move(known.schedules);
  std::vector<Reading> all = std::move(known.readings);
  known.schedules.clear();
  known.readings.clear();
  std::vector<double> said = plus(all, before.forward(model.batchOf({}, all)));
  std::vector<size_t> order = ascending(said);
  order.resize(std::min(order.size(), kMaxJudged));
  for (size_t at : order) {
    known.schedules.push_back(schedules[at]);
    known.readings.push_back(all[at]);
    known.before.push_back(said[at]);
  }
  known.batch = model.batchOf({}, known.readings);
}

std::vector<size_t> OnlineJudge::draw(Known &known, size_t count) {
  std::vector<double> probabilities = softmaxOf(logitsOf(
      plus(known.readings, network.forward(known.batch)), options.train.tau));
  std::vector<size_t> draws;
  while (draws.size() < count)
    draws.push_back(drawFrom(probabilities, dice));
  return draws;
}

void OnlineJudge::reward(const Group &group, llvm::ArrayRef<double> advantages,
                         Vector &gradient) {
  const Known &known = *group.known;
  Network::Trace trace;
  Vector residual = network.forward(known.batch, trace, {});
  double tau = options.train.tau;
  std::vector<double> logits = logitsOf(plus(known.readings, residual), tau);
  std::vector<double> probabilities = softmaxOf(logits);
  Valued away = divergence(logits, logitsOf(known.before, tau));
  double given = std::accumulate(advantages.begin(), advantages.end(), 0.0);
  Vector by(logits.size());
  // By each logit: gradient of KL minus that of the gain; a logit is -log t /
  // tau.
  for (auto [at, probability] : llvm::enumerate(probabilities))
    by[at] = float(-(options.divergence * away.gradient[at] +
                     options.policy * given * probability) /
                   tau);
  for (auto [at, advantage] : llvm::zip_equal(group.draws, advantages))
    by[at] += float(options.policy * advantage / tau);
  network.backward(trace, by, gradient);
}

std::unique_ptr<Online> hone::makeOnline(Ensemble &model, size_t network,
                                         OnlineOptions options,
                                         llvm::ArrayRef<Problem> problems,
                                         Evaluator &evaluator) {
  return std::make_unique<OnlineJudge>(model, network, std::move(options),
                                       problems, evaluator);
}
