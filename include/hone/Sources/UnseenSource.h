//===- UnseenSource.h - Sources for unmeasured problems ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A build has more problems than a database. Two sources answer from
// measurements of other problems, on the same chip, with the same types and
// layouts. Both judge by the cost model; an answer still has to keep the laws
// for the unmeasured problem.
//
// *Rounded*: an extent is unknown (`m = ?`, the batch of a language model). The
// measured problems that agree in every known extent take part. Of their
// schedules the source chooses the one with the smallest loss over all of them:
// the geometric mean, over these problems, of its estimate over the estimate of
// the problem's own schedule. So the measured sizes determine the choice.
//
// *Nearest*: every extent is known, but this problem is unmeasured. Of the
// nearest few measured problems, the source uses the first one, nearest first,
// whose schedule passes this test by the model:
//
//   estimate(its schedule, here) / estimate(the model's choice, here)
//     <= 1 + kMargin + (the same quotient there - 1) / (1 + distance^2)
//
// "There" is the measured problem, "here" the unmeasured one. The schedule was
// measured to be best there, so the same quotient there is the model's error,
// and for a close problem the error is similar. Distance is in doublings: the
// root of the sum of log2(m / m')^2 and so on. Another epilogue, initial
// value or window counts like one doubling; the model ignores the first two. If
// none passes, this source has no answer, and the model's own choice follows.
//
// Where the model has no choice of its own (ModelSource.h), the default is used
// instead. On `host` both sources have no answer.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SOURCES_UNSEENSOURCE_H
#define HONE_SOURCES_UNSEENSOURCE_H

#include "hone/Database/Lookup.h"
#include <limits>

namespace hone {

/// One half of a dense table chose the values; `hone-lab unseen` judges both.
struct NearestRule {
  size_t neighbours = 3; ///< number that are tried
  double margin = 0.05;  ///< max excess of a schedule's estimate
  /// In doublings: farther problems are ignored.
  double reach = std::numeric_limits<double>::infinity();
};

/// The rule for problems that differ in epilogue, initial value or window
/// only.
inline constexpr NearestRule kSameExtents = {3, 0.05, 0};

/// A measured problem, and how far it is.
struct Neighbour {
  const Problem *problem;
  double distance = 0; ///< squared, of extents alone
};
/// The problems in `measured`, without `problem` itself, whose schedules may
/// serve `problem`: nearest first, equally near ones in their order.
std::vector<Neighbour> neighboursOf(const Problem &problem,
                                    llvm::ArrayRef<Problem> measured);

std::shared_ptr<ScheduleSource>
makeRoundedSource(std::shared_ptr<Lookup> lookup);
std::shared_ptr<ScheduleSource>
makeNearestSource(std::shared_ptr<Lookup> lookup, NearestRule rule = {});

} // namespace hone

#endif // HONE_SOURCES_UNSEENSOURCE_H
