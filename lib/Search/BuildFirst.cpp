//===- BuildFirst.cpp - Policy that tries a build's choice first ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search must not end with a schedule that is slower than the one that a
// build takes without a search. So that schedule is tried first, whichever
// policy proposes the others. Their proposals may depend on its result, so it
// is measured before them: a search is the same with any number of compilers.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/Policy.h"

using namespace hone;

namespace {
class BuildFirst : public Policy {
public:
  BuildFirst(Schedule ofBuild, std::unique_ptr<Policy> policy)
      : ofBuild(std::move(ofBuild)), policy(std::move(policy)) {}

  std::vector<Schedule> propose(size_t count) override {
    if (count > 0 && !wasProposed) {
      wasProposed = true;
      return {ofBuild};
    }
    return wasReceived ? policy->propose(count) : std::vector<Schedule>();
  }
  void receive(const Schedule &schedule, const Measurement &result) override {
    wasReceived |= schedule == ofBuild;
    policy->receive(schedule, result);
  }
  std::vector<Schedule> ranked(std::vector<Schedule> schedules) override {
    return policy->ranked(std::move(schedules));
  }
  std::vector<Schedule> rewritesOf(const Schedule &schedule) override {
    return policy->rewritesOf(schedule);
  }
  llvm::StringRef originOf(const Schedule &schedule) const override {
    if (schedule == ofBuild)
      return kBuildOrigin;
    return policy->originOf(schedule);
  }
  bool isWaiting() const override {
    return (wasProposed && !wasReceived) || policy->isWaiting();
  }
  bool isComputing() const override { return policy->isComputing(); }
  size_t reserve() const override { return policy->reserve(); }
  bool hasGivenUp() const override { return policy->hasGivenUp(); }

private:
  const Schedule ofBuild;
  const std::unique_ptr<Policy> policy;
  bool wasProposed = false, wasReceived = false;
};
} // namespace

std::unique_ptr<Policy> hone::makeBuildFirst(Schedule ofBuild,
                                             std::unique_ptr<Policy> policy) {
  return std::make_unique<BuildFirst>(std::move(ofBuild), std::move(policy));
}
