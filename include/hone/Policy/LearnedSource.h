//===- LearnedSource.h - The model's guess for a problem --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers with the schedule of the catalogue that the model ranks first. It
// takes about ten milliseconds, needs no GPU, and is the same on every machine.
//
// The model answers for the chip it was trained on and for chips with the same
// instruction set, which are treated as that one (AskedAs.h); and only for
// problems whose extents are known. Otherwise the cost model answers
// (ModelSource.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_LEARNEDSOURCE_H
#define HONE_POLICY_LEARNEDSOURCE_H

#include "hone/Policy/Model.h"
#include "hone/Schedule/ScheduleSource.h"
#include "hone/Search/Draw.h"
#include "hone/Search/RangedSource.h"

namespace hone {

/// The looks (Draw.h) per value where many values of one unknown extent are
/// judged.
constexpr size_t kBriefLooks = 4000;

/// The model's best schedule of the catalogue, of those that `looks` around it
/// find and, if the looks are those of a build, of schedules close to these.
/// None if the model was not trained for the problem and arch.
std::optional<Schedule> likedSchedule(const Model &model,
                                      const Problem &problem, const Arch &arch,
                                      size_t looks = quickDraw().looks);

/// log2 of the seconds that each of `schedules` should take, as the model
/// judges them together with its own candidates; empty if it was not trained
/// for the problem and arch.
std::vector<double> judgedPrices(const Model &model, const Problem &problem,
                                 const Arch &arch,
                                 llvm::ArrayRef<Schedule> schedules);

/// The shipped policy as a judge of kernels for several extents.
RangeJudge learnedJudge();

class LearnedSource : public ScheduleSource {
public:
  explicit LearnedSource(size_t looks = quickDraw().looks) : looks(looks) {}
  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override;
  std::vector<std::string> notices(const Arch &arch) override;

private:
  const size_t looks;
};

} // namespace hone

#endif // HONE_POLICY_LEARNEDSOURCE_H
