//===- Judge.h - Estimates of a schedule's time -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model is trained on samples of the whole space, with the decisions of that
// time. It has no estimate for the effect of a later decision. So a judge
// combines two sources:
//
// | decisions of the schedule     | estimate                                 |
// |-------------------------------|------------------------------------------|
// | in the model, or at their     | the model                                |
// | usual values                  |                                          |
// | not in the model              | the cost model, corrected by its error   |
// |                               | for similar measured schedules           |
// |                               | (Location.h) and, the fewer there are,   |
// |                               | by the model's correction of the best    |
// |                               | schedules that it can judge              |
//
// A build takes the schedule with the best estimate, without a measurement. The
// best of many inaccurate estimates is most likely an error, so a schedule with
// decisions unknown to the model needs a better estimate: by `caution`, as a
// fraction of the time.
//
// The model was trained without batches. There it and the cost model estimate
// schedules with `streams` to be much faster than they are.
//
// On a machine unlike those of the model's training the model has a share of
// the estimate, and the cost model the rest (Model::shareOn).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_JUDGE_H
#define HONE_MODEL_JUDGE_H

#include "hone/Model/Model.h"
#include "hone/Space/Location.h"

namespace hone::detail {

/// A schedule to judge.
struct Case {
  Schedule schedule;
  Reading reading;
  Location location;
  bool isKnown = true; ///< the model has its decisions
  double added = 0;    ///< to the log of the seconds
};

/// A case that was measured.
struct Precedent {
  const Case *of;
  std::optional<double> logSeconds; ///< none: it failed
};

class Judge {
public:
  explicit Judge(const Ensemble &model, const Problem &problem,
                 double caution = 0, double share = 1)
      : model(model), caution(caution), share(share),
        isBatched(problem.batch.value_or(1) != 1) {}

  Case caseOf(const Schedule &schedule, Reading reading) const;
  /// Returns log of the expected seconds of each case.
  std::vector<double> judge(llvm::ArrayRef<Precedent> precedents,
                            llvm::ArrayRef<const Case *> cases) const;
  /// The same for schedules that have no Reading yet.
  std::vector<double> judge(llvm::ArrayRef<Precedent> precedents,
                            const Reader &reader,
                            llvm::ArrayRef<Schedule> schedules) const;

private:
  const Ensemble &model;
  const double caution;
  const double share; ///< of the model in the estimate of a known case
  const bool isBatched;
};

} // namespace hone::detail

#endif // HONE_MODEL_JUDGE_H
