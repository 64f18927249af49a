//===- Ascent.h - Climbing by what a model says -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A draw climbs by the cost model (Draw.h), and what it finds is what the cost
// model likes: it has hardly any decision that the model of times has an
// opinion of and the cost model has not, such as fewer slots or the order of
// tiles. So the best that was judged is looked around in once more, by the
// model:
//
//   judged -> the best that was not looked around -> all that one move leads to
//     ^                                                        |
//     +------------------------- judged <----------------------+
//
// until nothing better was found for some looks. Of one tile of C only a few
// are looked around, as judges are surest of what lies closest. Rewrites are
// left alone: one that does not apply is found out when the kernel is built,
// and builds that took what a model thinks of them were no faster.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_POLICY_ASCENT_H
#define HONE_LIB_POLICY_ASCENT_H

#include "hone/Schedule/Schedule.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace hone::detail {

struct AscentOptions {
  size_t most = 24;    ///< schedules that are looked around
  size_t patience = 6; ///< of these, in a row, that brought nothing better
  size_t ofTile = 8;   ///< of these, with one tile of C
};

/// log of the seconds that each should take.
using JudgeFn =
    llvm::function_ref<std::vector<double>(llvm::ArrayRef<Schedule>)>;

/// What was found on the way up from `start`, without these.
std::vector<Schedule> ascent(llvm::ArrayRef<Schedule> start, JudgeFn judge,
                             const Problem &problem, const Arch &arch,
                             const AscentOptions &options = {});

} // namespace hone::detail

#endif // HONE_LIB_POLICY_ASCENT_H
