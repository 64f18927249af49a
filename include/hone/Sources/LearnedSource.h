//===- LearnedSource.h - Schedules of the policy for builds -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers a build with the schedule that the model expects to be fastest, where
// nothing was measured. The candidates are
//
// - the best of the catalogue by the cost model, at most 128;
// - the schedules that a draw finds for the problem (Draw.h);
// - eight schedules of the model's writer, if it has one (Scribe.h);
// - other tiles in the best two forms of these, without a writer six (Retile.h);
// - the result of a climb from all of these by the model (Ascent.h).
//
// A source with fewer looks than a build has (`kBriefLooks`) has the first two
// alone. An answer needs no GPU and is the same on every machine.
//
// The model answers for problems whose extents are known, on machines with an
// instruction set of its training. The less like those a machine is, the
// smaller is the model's share of an estimate (Model::shareOn). Elsewhere the
// cost model answers (ModelSource.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SOURCES_LEARNEDSOURCE_H
#define HONE_SOURCES_LEARNEDSOURCE_H

#include "hone/Model/Model.h"
#include "hone/Schedule/ScheduleSource.h"
#include "hone/Sources/RangedSource.h"
#include "hone/Space/Draw.h"

namespace hone {

/// Looks for each value of an unknown extent, because there are many values.
constexpr size_t kBriefLooks = 8000;

/// The schedule that the model expects to be fastest, of the catalogue and a
/// draw of `looks` rows. With at least the looks of a build the candidates also
/// include written schedules, other tiles and a climb. None if the model was
/// not trained for the problem, the instruction set or a schedule of the
/// catalogue.
std::optional<Schedule> preferredSchedule(const Model &model,
                                          const Problem &problem,
                                          const Arch &arch,
                                          size_t looks = quickDraw().looks);

/// The first of `schedules` with each tile of C.
std::vector<Schedule> firstOfTiles(const Problem &problem,
                                   llvm::ArrayRef<Schedule> schedules);

/// Of the candidates of a build, the best schedule of each of the `count` best
/// tiles, the best first; empty as above.
std::vector<Schedule> preferredTiles(const Model &model, const Problem &problem,
                                     const Arch &arch, size_t count);

/// The schedule that the model expects to be fastest of `starts`, which are
/// legal, and of a climb from them; none as above or without a start.
std::optional<Schedule> climbedSchedule(const Model &model,
                                        const Problem &problem,
                                        const Arch &arch,
                                        std::vector<Schedule> starts);

/// log2 of the expected seconds of each of `schedules`, by the model. Where a
/// schedule has a decision that the model was not trained on, the corrected
/// cost model answers (hone/Model/Judge.h). Empty if the model was not
/// trained for the problem or the instruction set.
std::vector<double> judgedPrices(const Model &model, const Problem &problem,
                                 const Arch &arch,
                                 llvm::ArrayRef<Schedule> schedules);

/// The shipped model as a judge of kernels that serve several extents.
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

#endif // HONE_SOURCES_LEARNEDSOURCE_H
