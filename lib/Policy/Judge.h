//===- Judge.h - What a schedule should take --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model learned from samples of the whole space, with the decisions that
// there were. Of a decision that came later it says nothing. So a judge asks
// two:
//
// | of a schedule whose decisions | answers                                  |
// |-------------------------------|------------------------------------------|
// | the model knows, or which are | the model                                |
// | as usual                      |                                          |
// | it does not know              | the cost model, corrected by how wrong   |
// |                               | it was about what was heard of close by  |
// |                               | (Location.h) and, the less that is, by   |
// |                               | what the model says of the best that it  |
// |                               | knows                                    |
//
// A build takes what is judged best and measures nothing. The best of many that
// are judged badly is most likely one that is misjudged, so there what the
// model does not know has to promise more: `caution`, in parts of the time.
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
  bool isKnown = true; ///< to the model
};

/// A case that was measured.
struct Precedent {
  const Case *of;
  std::optional<double> logSeconds; ///< none: it failed
};

class Judge {
public:
  explicit Judge(const Ensemble &model, double caution = 0)
      : model(model), caution(caution) {}

  Case caseOf(const Schedule &schedule, Reading reading) const;
  /// log of the seconds that each should take.
  std::vector<double> judge(llvm::ArrayRef<Precedent> precedents,
                            llvm::ArrayRef<const Case *> cases) const;
  /// The same of schedules that nobody has read yet.
  std::vector<double> judge(llvm::ArrayRef<Precedent> precedents,
                            const Reader &reader,
                            llvm::ArrayRef<Schedule> schedules) const;

private:
  const Ensemble &model;
  const double caution;
};

} // namespace hone::detail

#endif // HONE_LIB_POLICY_JUDGE_H
