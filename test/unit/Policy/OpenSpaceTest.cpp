//===- OpenSpaceTest.cpp - Tests of searches outside the tables -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fictitious machine: the cost model with every constant a little off, times
// a smooth random field over the numbers of a schedule and a factor for each
// form. The search has to find by trials where it differs from the model and
// the policy. The result of 64 trials is compared with that of 512.
//
//===----------------------------------------------------------------------===//

#include "../Search/Fixtures.h"
#include "hone/Policy/LearnedPolicy.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Location.h"
#include "llvm/Support/xxhash.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace hone;
using namespace hone::test;

namespace {

class Machine {
public:
  Machine(const Problem &problem, uint64_t seed) : problem(problem) {
    std::mt19937_64 dice(seed);
    auto normal = [&] { // Irwin and Hall's, the same in every library
      double sum = -6;
      for (int at = 0; at < 12; ++at)
        sum += double(dice() >> 11) * 0x1p-53;
      return sum;
    };
    CostCoefficients::visit(by, [&](llvm::StringRef, double &value) {
      value *= std::exp(0.1 * normal());
    });
    for (Wave &wave : waves) {
      for (double &slope : wave.slopes)
        slope = 0.6 * normal();
      wave.phase = 3 * normal();
    }
  }

  double seconds(const Schedule &schedule) const {
    constexpr double kField = 0.05, kForms = 0.05;
    Location at = locationOf(schedule);
    double field = 0;
    for (const Wave &wave : waves) {
      double angle = wave.phase;
      for (auto [place, doublings] : llvm::enumerate(at.doublings))
        angle += wave.slopes[place % std::size(wave.slopes)] * doublings;
      field += std::cos(angle);
    }
    field *= kField * std::sqrt(2.0 / std::size(waves));
    double form = double(llvm::xxh3_64bits(at.form) >> 11) * 0x1p-52 - 1;
    return estimateSeconds(problem, h200(), schedule, by) *
           std::exp(field + kForms * 1.7 * form);
  }

private:
  struct Wave {
    double slopes[24], phase;
  };
  const Problem problem;
  CostCoefficients by;
  Wave waves[12];
};

/// The best times that a policy finds in these numbers of trials.
std::vector<double> found(const Problem &problem, const Machine &machine,
                          llvm::StringRef name, llvm::ArrayRef<size_t> trials) {
  auto policy =
      llvm::cantFail(llvm::cantFail(policyMaker(name, 1))(problem, h200()));
  std::vector<double> bests;
  double best = HUGE_VAL;
  size_t count = 0;
  while (bests.size() < trials.size()) {
    std::vector<Schedule> some = policy->propose(8);
    if (some.empty())
      break;
    for (const Schedule &schedule : some) {
      double seconds = machine.seconds(schedule);
      policy->receive(schedule, okIn(seconds));
      best = std::min(best, seconds);
      if (++count == trials[bests.size()])
        bests.push_back(best);
      if (bests.size() == trials.size())
        break;
    }
  }
  bests.resize(trials.size(), best);
  return bests;
}

TEST(OpenSpace, FewTrialsFindWhatManyFind) {
  Problem problems[] = {problemOf(200, 12288, 4096), problemOf(900, 2816, 2048),
                        problemOf(577, 1024, 4096), problemOf(96, 5120, 25600)};
  double loss = 0, catalogues = 0;
  for (auto [at, problem] : llvm::enumerate(problems)) {
    Machine machine(problem, at + 1);
    std::vector<double> best = found(problem, machine, "hybrid", {64, 256});
    double known = HUGE_VAL;
    for (const Schedule &schedule : catalogue(problem, h200()))
      known = std::min(known, machine.seconds(schedule));
    loss += std::log(best[0] / best[1]);
    catalogues += std::log(known / best[0]);
    RecordProperty(problem.str(), std::to_string(best[0] / best[1]));
  }
  EXPECT_LT(loss / std::size(problems), 0.07);
  // The best of the whole catalogue is slower.
  EXPECT_GT(catalogues / std::size(problems), 0);
}

} // namespace
