//===- WarpSpecializedEdge.cpp - Position of the last tiles of ws ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last tiles of a line move back over their neighbours where that is legal
// and saves copies; see WarpSpecialized::standsBack.
//
//===----------------------------------------------------------------------===//

#include "WarpSpecializedParts.h"

using namespace hone;

bool detail::readsResult(const Problem &problem) {
  return problem.init == Init::read || problem.isAbbreviated() ||
         llvm::StringRef(problem.epilogue).contains("mn:");
}

bool WarpSpecialized::mayStandBack(const Problem &problem, size_t side) const {
  bool isColumns = side == 1;
  return slotsAlongK(problem, /*isA=*/!isColumns) &&
         (!isColumns || tile[side] > columnUnit(sizeOf(problem.c)));
}

/// True if the tiles of the last cluster reach beyond the matrix, and could
/// move back. All tiles of a cluster are computed, also those outside of C.
static bool wouldReachBeyond(const WarpSpecialized &knobs,
                             const Problem &problem, size_t side) {
  int64_t extent = side == 0 ? problem.m : problem.n;
  bool reaches = extent == kDynamic ||
                 (extent > knobs.tile[side] &&
                  extent % (knobs.tile[side] * knobs.cluster[side]) != 0);
  return reaches && knobs.mayStandBack(problem, side);
}

/// Not with `streams`: workers that share the sums of a tile cut K where their
/// runs end, so two overlapping tiles would add up the same rows in different
/// orders. Nor for ragged rows, where the rows before a tile are of another
/// group.
WarpSpecialized WarpSpecialized::standingBack(const Problem &problem) const {
  WarpSpecialized knobs = *this;
  knobs.standsBack = !streams && !problem.groups &&
                     !detail::readsResult(problem) &&
                     (wouldReachBeyond(*this, problem, 0) ||
                      wouldReachBeyond(*this, problem, 1));
  return knobs;
}

void detail::wsSettle(Schedule &schedule, const Problem &problem) {
  WarpSpecialized knobs(schedule), settled = knobs.standingBack(problem);
  if (settled.standsBack != knobs.standsBack)
    schedule = settled;
}
