//===- Writing.h - Cost and quality of written schedules --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures a writer without a list on one problem: the time of its mask, and
// the model's estimates of its schedules and of a choice from lists.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_LAB_WRITING_H
#define HONE_LIB_LAB_WRITING_H

#include "hone/Model/Model.h"

namespace hone {

struct Writing {
  std::string fault; ///< why nothing was written; empty: something was
  std::vector<Schedule> beams;
  double seconds = 0; ///< of the beams
  /// A build's choice if the model had no writer, and the written schedule that
  /// the judges prefer; none if the model does not judge the problem.
  std::optional<Schedule> fromLists, written;
  /// The judges' estimate of the time of `fromLists`, over that of `written`.
  double overLists = 0;
};

/// Writes with `beams` beams; where the model has no writer, by its judges.
Writing writingOf(const Problem &problem, const Arch &arch, const Model &model,
                  size_t beams);

/// The best schedules of a build's best tiles, and the first written schedule
/// of each tile.
std::vector<Schedule> tilesOf(const Writing &writing, const Problem &problem,
                              const Arch &arch, const Model &model);

/// A mask's cost for `beams` beams of the cost model, with neither networks nor
/// better witnesses.
struct MaskCost {
  size_t words = 0;
  double seconds = 0;
};
MaskCost maskCostOf(const Problem &problem, const Arch &arch, size_t beams);

} // namespace hone

#endif // HONE_LIB_LAB_WRITING_H
