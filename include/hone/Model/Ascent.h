//===- Ascent.h - Local search guided by the model --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A draw climbs by the cost model (Draw.h), so it finds schedules that the cost
// model prefers. Decisions that only the model of times rates, such as fewer
// slots or the order of tiles, hardly occur among them. So one more local
// search expands the best judged schedules, guided by the model of times:
//
//   judged -> best schedule not yet expanded -> all schedules one move away
//     ^                                                        |
//     +------------------------- judged <----------------------+
//
// It ends after some expansions in a row without a better schedule. Only a few
// schedules of each tile of C are expanded, because judges are most accurate
// close to measured schedules. Rewrites stay unchanged: whether one applies is
// found out when the kernel is built, and rewrites chosen by the model made
// builds no faster.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_ASCENT_H
#define HONE_MODEL_ASCENT_H

#include "hone/Schedule/Schedule.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace hone::detail {

struct AscentOptions {
  size_t max = 24;     ///< schedules to expand
  size_t patience = 6; ///< expansions in a row without an improvement
  size_t ofTile = 8;   ///< expansions with one tile of C
};

/// Returns log of the expected seconds of each schedule.
using JudgeFn =
    llvm::function_ref<std::vector<double>(llvm::ArrayRef<Schedule>)>;

/// The schedules found on the way up from `start`, without `start` itself.
std::vector<Schedule> ascent(llvm::ArrayRef<Schedule> start, JudgeFn judge,
                             const Problem &problem, const Arch &arch,
                             const AscentOptions &options = {});

} // namespace hone::detail

#endif // HONE_MODEL_ASCENT_H
