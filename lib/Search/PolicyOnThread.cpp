//===- PolicyOnThread.cpp - Policies that run on a thread -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PolicyOnThread.h.
//
//===----------------------------------------------------------------------===//

#include "PolicyOnThread.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>

using namespace hone;
using namespace hone::detail;

PolicyOnThread::~PolicyOnThread() {
  if (underWay.valid())
    underWay.wait();
}

llvm::Error PolicyOnThread::failure() const {
  if (last.failure.empty())
    return llvm::Error::success();
  return llvm::createStringError(last.failure);
}

void PolicyOnThread::catchUp(const Results &results) {
  for (const auto &[schedule, result] : results)
    policy->receive(schedule, result);
}

/// Runs on a thread of the pool.
PolicyOnThread::Call PolicyOnThread::compute(size_t count,
                                             const Results &results) {
  Call call;
  if (!policy) {
    auto made = make();
    if (!made) {
      call.failure = llvm::toString(made.takeError());
      return call;
    }
    policy = std::move(*made);
  }
  catchUp(results);
  call.proposals = policy->propose(count);
  for (const Schedule &schedule : call.proposals)
    call.origins.push_back(policy->originOf(schedule).str());
  call.isWaiting = policy->isWaiting();
  call.isComputing = policy->isComputing();
  call.reserve = policy->reserve();
  call.hasGivenUp = policy->hasGivenUp();
  return call;
}

std::vector<Schedule> PolicyOnThread::propose(size_t count) {
  if (underWay.valid()) {
    if (underWay.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      return {};
    underWay = {};
    wasMade = true;
    last = std::move(next);
    for (auto [schedule, origin] :
         llvm::zip_equal(last.proposals, last.origins))
      origins[schedule] = origin;
    wasSilent = last.proposals.empty();
    if (!wasSilent)
      return std::move(last.proposals);
  }
  bool wouldRepeat = wasSilent && unsent.empty() && !last.isComputing;
  if (wouldRepeat || !last.failure.empty())
    return {};
  underWay = pool.async([this, count, results = std::exchange(unsent, {})] {
    next = compute(count, results);
  });
  return {};
}

/// The policy, with all results; null if it is not made yet.
Policy *PolicyOnThread::caughtUp() {
  if (underWay.valid())
    underWay.wait();
  if (policy)
    catchUp(std::exchange(unsent, {}));
  return policy.get();
}

std::vector<Schedule> PolicyOnThread::ranked(std::vector<Schedule> schedules) {
  Policy *now = caughtUp();
  return now ? now->ranked(std::move(schedules)) : schedules;
}

std::vector<Schedule> PolicyOnThread::rewritesOf(const Schedule &schedule) {
  Policy *now = caughtUp();
  return now ? now->rewritesOf(schedule) : std::vector<Schedule>();
}

llvm::StringRef PolicyOnThread::originOf(const Schedule &schedule) const {
  auto at = origins.find(schedule);
  return at == origins.end() ? llvm::StringRef() : at->second;
}
