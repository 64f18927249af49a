//===- UnseenSource.h - Problems that nobody measured -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A build asks for more problems than anybody measured. Two sources answer from
// what was measured of others, on the same chip, with the same types and
// layouts. Both judge by the cost model; the answer has still to keep the laws
// for the problem that was asked.
//
// *Rounded*: the program does not know an extent (`m = ?`, the batch of a
// language model). Measured problems that agree in every extent that is known
// take part; among their schedules the one is taken that loses least over all
// of them: the geometric mean, over these problems, of its estimate over the
// estimate of the problem's own schedule. So whoever measures some sizes gets
// the schedule that serves those sizes.
//
// *Nearest*: every extent is known, and nobody measured them together. Of the
// nearest few measured problems, nearest first, the first is taken whose
// schedule the model has nothing against here:
//
//   estimate(its schedule, here) / estimate(the model's choice, here)
//     <= 1 + kMargin + (the same quotient over there - 1) / (1 + distance^2)
//
// Over there its schedule was measured to be best, so what the model had
// against it was wrong by that much, and close by it still is. Distance is in
// doublings: the root of the sum of log2(m / m')^2 and so on. Another epilogue
// or initial value puts a problem as far back as one doubling does; the model
// sees no difference. If none passes, this source says nothing and the model's
// own choice follows.
//
// Where the model has no choice of its own (it knows sm_90a), the default
// stands in for it. On `host` both say nothing.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_UNSEENSOURCE_H
#define HONE_SEARCH_UNSEENSOURCE_H

#include "hone/Database/Lookup.h"
#include <limits>

namespace hone {

/// What `hone-lab unseen` chose by one half of a dense table.
struct NearestRule {
  size_t neighbours = 3; ///< so many are tried
  double margin = 0.05;  ///< what the model may have against a schedule
  /// In doublings: who is farther is not asked.
  double reach = std::numeric_limits<double>::infinity();
};

/// Those with another epilogue or initial value only.
inline constexpr NearestRule kSameExtents = {3, 0.05, 0};

/// A measured problem, and how far it is.
struct Neighbour {
  const Problem *problem;
  double distance = 0; ///< squared, of extents alone
};
/// Of `measured` those whose schedules may serve `problem`, and not itself:
/// nearest first, and of those that are equally near the first.
std::vector<Neighbour> neighboursOf(const Problem &problem,
                                    llvm::ArrayRef<Problem> measured);

std::shared_ptr<ScheduleSource>
makeRoundedSource(std::shared_ptr<Lookup> lookup);
std::shared_ptr<ScheduleSource>
makeNearestSource(std::shared_ptr<Lookup> lookup, NearestRule rule = {});

} // namespace hone

#endif // HONE_SEARCH_UNSEENSOURCE_H
