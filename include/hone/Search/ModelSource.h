//===- ModelSource.h - A guess where nothing was measured -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers a compiler with the schedule of the catalogue that the cost model
// likes best. It takes a millisecond and needs no GPU.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_MODELSOURCE_H
#define HONE_SEARCH_MODELSOURCE_H

#include "hone/Schedule/ScheduleSource.h"
#include "hone/Search/Draw.h"

namespace hone {

/// The schedule that the cost model likes best of those that were drawn for the
/// problem and that it is not known to misjudge, for problems whose extents are
/// all known, on chips like the one that the model was fitted to (sm_90a).
/// Without `looks` (Draw.h) it is one of the catalogue.
std::optional<Schedule> guessSchedule(const Problem &problem, const Arch &arch,
                                      size_t looks = quickDraw().looks);

class ModelSource : public ScheduleSource {
public:
  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override;
};

} // namespace hone

#endif // HONE_SEARCH_MODELSOURCE_H
