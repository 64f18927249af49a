//===- LearnedSource.h - A guess where nothing was measured -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers a compiler with the schedule of the catalogue that the model likes
// best. It takes some ten milliseconds, needs no GPU, and is the same on every
// machine.
//
// The model answers for the chip it was trained on, and for chips with the same
// instruction set, which are asked as that one (AskedAs.h); for problems
// whose extents are known. Elsewhere the cost model is asked (ModelSource.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_LEARNEDSOURCE_H
#define HONE_POLICY_LEARNEDSOURCE_H

#include "hone/Policy/Model.h"
#include "hone/Schedule/ScheduleSource.h"
#include "hone/Search/Draw.h"
#include "hone/Search/RangedSource.h"

namespace hone {

/// Looks where many values are asked about, for one unknown extent.
constexpr size_t kBriefLooks = 4000;

/// The schedule that the model likes best, of the catalogue and what `looks`
/// around it find, and of what is close to these if the looks are those of a
/// build; none where it was not trained for the question.
std::optional<Schedule> likedSchedule(const Model &model,
                                      const Problem &problem, const Arch &arch,
                                      size_t looks = quickDraw().looks);

/// log2 of the seconds that each of `schedules` should take, as the model
/// judges them beside what it knows; nothing where it was not trained for the
/// question.
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
