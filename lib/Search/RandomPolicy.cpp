//===- RandomPolicy.cpp - Random legal schedules --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The baseline for all other policies.
//
//===----------------------------------------------------------------------===//

#include "Policies.h"
#include "hone/Schedule/BySchedule.h"

using namespace hone;
using namespace hone::detail;

namespace {
class RandomPolicy : public Policy {
public:
  RandomPolicy(Space space, uint64_t seed)
      : space(std::move(space)), dice(seed) {}

  std::vector<Schedule> propose(size_t count) override {
    std::vector<Schedule> some;
    // A small space runs out of new schedules.
    constexpr int kTries = 100;
    for (int tries = 0; some.size() < count && tries < kTries; ++tries)
      if (std::optional<Schedule> drawn = space.draw(dice))
        if (proposed.insert(*drawn).second) {
          some.push_back(*drawn);
          tries = 0;
        }
    return some;
  }

private:
  const Space space;
  Dice dice;
  ScheduleSet proposed;
};
} // namespace

std::unique_ptr<Policy> detail::makeRandomPolicy(Space space, uint64_t seed) {
  return std::make_unique<RandomPolicy>(std::move(space), seed);
}
