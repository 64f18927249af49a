//===- Retile.h - Other tiles for promising forms ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules are drawn by the cost model (Draw.h). It is sometimes wrong about
// the cost of a tile or about which blocks should share loads, and schedules
// that it rates too slow are never drawn. The model is more accurate about
// them, because it was trained on measured ones. So it judges every tile in the
// forms (Space.h) that it rates best:
//
//   drawn -> judged -> the best of each form -> with any tile -> judged again
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_RETILE_H
#define HONE_MODEL_RETILE_H

#include "hone/Schedule/Schedule.h"
#include <vector>

namespace hone::detail {

struct Judged {
  const Schedule *schedule;
  double logSeconds;
};

/// The best schedule of each of the best `forms` forms, the best first.
std::vector<Schedule> bestOfForms(llvm::ArrayRef<Judged> all, size_t forms);

/// These with any tile, except those that the cost model rates as far slower
/// than `all`.
std::vector<Schedule> retiled(llvm::ArrayRef<Judged> all, size_t forms,
                              const Problem &problem, const Arch &arch);

} // namespace hone::detail

#endif // HONE_MODEL_RETILE_H
