//===- Policy.h - Who proposes schedules ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy is asked for schedules worth trying and hears what came of them. It
// decides nothing: a proposal is checked against the laws before anybody
// builds it, a wrong one is found by the evaluator, and the default competes
// whatever a policy says. So a policy may be as wild as it likes.
//
//   policy.propose(8)  ->  some schedules; none: it has nothing more to say,
//                          or waits for what it is to hear
//   policy.hear(s, m)      what came of one, or what is known from before
//
// | name       | proposes |
// |------------|---------------------------------------------------------------|
// | default    | the default schedule, nothing else | | model      | the
// catalogue in the order of the cost model                  | | exhaustive |
// the catalogue, all of it, family by family                    | | random |
// legal schedules of the whole space, each family alike         | | evolution
// | starts as `model`, then changes and crosses the fastest       |
//
// The same seed and the same measurements give the same proposals.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_POLICY_H
#define HONE_SEARCH_POLICY_H

#include "hone/Measure/Measurement.h"
#include "hone/Schedule/Schedule.h"
#include <memory>
#include <vector>

namespace hone {

class Policy {
public:
  virtual ~Policy() = default;
  /// At most `count` schedules; what was proposed before may come again, and
  /// is passed over.
  virtual std::vector<Schedule> propose(size_t count) = 0;
  virtual void hear(const Schedule &schedule, const Measurement &result) {
    (void)schedule;
    (void)result;
  }
  /// True if more may come once it has heard what is under way.
  virtual bool isWaiting() const { return false; }
};

/// Makes the policy of one problem.
llvm::Expected<std::unique_ptr<Policy>> makePolicy(llvm::StringRef name,
                                                   const Problem &problem,
                                                   const Arch &arch,
                                                   int64_t seed);
/// Every name, for help texts and errors.
llvm::ArrayRef<llvm::StringRef> policyNames();

} // namespace hone

#endif // HONE_SEARCH_POLICY_H
