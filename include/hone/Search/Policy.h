//===- Policy.h - Proposers of schedules ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy proposes schedules worth trying and receives their results. It
// decides nothing: proposals are checked against the laws before they are
// built, the evaluator finds wrong ones, and the default always competes. So a
// bad policy costs only time.
//
//   policy.propose(8)  ->  some schedules; none: it has no more proposals,
//                          or waits for results
//   policy.receive(s, m)   the result of a schedule, new or known from before
//
// Every proposal gets one call of `receive`, in any order, even if it breaks a
// law. The exceptions: its result is known already, or the search ends first.
//
// | name       | proposes                                                   |
// |------------|------------------------------------------------------------|
// | default    | the default schedule, nothing else                         |
// | model      | the list (Space.h) in the order of the cost model          |
// | exhaustive | the list: the catalogue, kind by kind, and the drawn ones  |
// | random     | legal schedules of the whole space, each form alike        |
// | evolution  | the model's first, then generations of children of the     |
// |            | fastest, and the best of a cost model that the results     |
// |            | have corrected                                             |
//
// (Another one, hone/Chat/ChatPolicy.h, uses a large language model.)
//
// None of these proposes a schedule that breaks a law, or one twice. Their
// proposals depend only on problem, arch, seed and results:
//
//   default, model, exhaustive, random   are lists and ignore results
//   evolution                            waits for the results of a whole
//       generation, so the order of the replies within one does not matter.
//       Results that it did not propose (stale records) count from the next
//       generation on
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_POLICY_H
#define HONE_SEARCH_POLICY_H

#include "hone/Numerics/Measurement.h"
#include "hone/Space/Within.h"
#include <memory>
#include <vector>

namespace hone {

class Policy {
public:
  virtual ~Policy() = default;
  /// At most `count` schedules. A schedule that was proposed before may come
  /// again; the caller skips it.
  virtual std::vector<Schedule> propose(size_t count) = 0;
  virtual void receive(const Schedule &schedule, const Measurement &result) {
    (void)schedule;
    (void)result;
  }
  /// `schedules`, the most promising first by the results so far, if it can
  /// rank them. For callers that cannot try all of their own proposals.
  virtual std::vector<Schedule> ranked(std::vector<Schedule> schedules) {
    return schedules;
  }
  /// Rewritten forms of a measured schedule that it proposes; a caller adds its
  /// own.
  virtual std::vector<Schedule> rewritesOf(const Schedule &schedule) {
    (void)schedule;
    return {};
  }
  /// The part of the policy that proposed a schedule, for records; empty where
  /// there are no parts.
  virtual llvm::StringRef originOf(const Schedule &schedule) const {
    (void)schedule;
    return "";
  }
  /// True if it may propose more after the results that are under way.
  virtual bool isWaiting() const { return false; }
  /// True if it may propose more although no result is under way, because it
  /// computes elsewhere. The policy decides how long to wait for that.
  virtual bool isComputing() const { return false; }
  /// Trials to keep, while it is thinking, for the proposals that may come. Its
  /// other proposals could otherwise use up all trials before.
  virtual size_t reserve() const { return 0; }
  /// True if it stopped because it, or a language model, failed, and not
  /// because nothing is left to propose.
  virtual bool hasGivenUp() const { return false; }
};

/// The origin of the schedule that a build would use without a search. It
/// enters the final regardless of the time of its trial.
constexpr llvm::StringLiteral kBuildOrigin = "build";

/// A policy that first proposes `ofBuild` and then the proposals of `policy`.
std::unique_ptr<Policy> makeBuildFirst(Schedule ofBuild,
                                       std::unique_ptr<Policy> policy);

/// The policy that proposes the default only; in records, the proposer of the
/// default.
constexpr llvm::StringLiteral kDefaultPolicy = "default";

/// Makes the policy of one problem, whose extents are known and above 0. Its
/// schedules are of `kinds`.
llvm::Expected<std::unique_ptr<Policy>>
makePolicy(llvm::StringRef name, const Problem &problem, const Arch &arch,
           int64_t seed, Within isWithin = {}, Kinds kinds = allKinds());
/// A seed for a problem: the problems of one search draw different numbers.
uint64_t seedFor(const Problem &problem, int64_t seed);
/// Every name, for help texts and errors.
llvm::ArrayRef<llvm::StringRef> policyNames();
/// The error of a name outside of `names`.
llvm::Error unknownPolicy(llvm::StringRef name,
                          llvm::ArrayRef<llvm::StringRef> names);

} // namespace hone

#endif // HONE_SEARCH_POLICY_H
