//===- ModelSource.h - The cost model's guess for a problem -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers with the drawn schedule that has the best estimate, on every GPU. It
// needs no measurement.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SOURCES_MODELSOURCE_H
#define HONE_SOURCES_MODELSOURCE_H

#include "hone/Schedule/ScheduleSource.h"
#include "hone/Space/Draw.h"

namespace hone {

/// The schedule with the best estimate of those that are drawn for the problem,
/// without those that the model is known to misjudge. Only for problems of 16
/// bits whose extents are all known, on GPUs. The model's coefficients were
/// fitted on one of sm_90a; for others its estimates rank, and are not times.
/// Without `looks` (Draw.h) it is a schedule of the catalogue.
std::optional<Schedule> guessSchedule(const Problem &problem, const Arch &arch,
                                      size_t looks = quickDraw().looks);

class ModelSource : public ScheduleSource {
public:
  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override;
};

} // namespace hone

#endif // HONE_SOURCES_MODELSOURCE_H
