//===- Judge.h - What a schedule should take --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model learned from some schedules of each problem, and knows these well. The
// space has far more. Of what is unlike everything that it saw a model says
// something, too, but nobody should listen. So a judge asks two:
//
//   familiarity * the model + (1 - familiarity) * the cost model, corrected
//
// | what        | is                                                         |
// |-------------|------------------------------------------------------------|
// | familiarity | closeness (Location.h) to the closest schedule that the    |
// |             | model learned from; 0 where it does not know a decision    |
// | corrected   | by how wrong the cost model was about what was heard of    |
// |             | close by and, the less that is, by what the model says of  |
// |             | the best that it knows                                     |
//
// Where all is familiar, the model alone is asked.
//
// A build takes what is judged best and measures nothing. The best of many that
// are judged badly is most likely one that is misjudged, so there the unfamiliar
// has to promise more: `caution`, in parts of the time.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_POLICY_JUDGE_H
#define HONE_LIB_POLICY_JUDGE_H

#include "hone/Policy/Model.h"
#include "hone/Search/Location.h"

namespace hone::detail {

/// Something to be judged.
struct Case {
  Schedule schedule;
  Reading reading;
  Location location;
  double familiarity = 1;
};

/// A case that was measured.
struct Precedent {
  const Case *of;
  std::optional<double> logSeconds; ///< none: it failed
};

class Judge {
public:
  /// `learned` is what the model learned from, of the problem that is asked
  /// about.
  Judge(const Ensemble &model, llvm::ArrayRef<Schedule> learned,
        double caution = 0);

  Case caseOf(const Schedule &schedule, Reading reading) const;
  /// log of the seconds that each should take.
  std::vector<double> judge(llvm::ArrayRef<Precedent> precedents,
                            llvm::ArrayRef<const Case *> cases) const;

private:
  double familiarityOf(const Schedule &schedule, const Location &at) const;

  const Ensemble &model;
  const double caution;
  std::vector<Location> seen;
};

} // namespace hone::detail

#endif // HONE_LIB_POLICY_JUDGE_H
