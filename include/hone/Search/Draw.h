//===- Draw.h - Schedules made for a problem --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The space is too large to list, and what is good in it depends on the
// problem: 200 rows are two tiles of 104 rather than four of 64, and of two
// tiles that waste nothing the one is better that fills the processors. So
// schedules are drawn for each problem, by the cost model, from all decisions
// that a kind has.
//
// It begins at the catalogue (Catalogue.h) and the defaults and climbs: of what
// was priced so far, the best that was not looked around yet is looked around.
//
// | what changes          | to                                                |
// |-----------------------|---------------------------------------------------|
// | a choice of few       | each of the others                                |
// | a number              | its neighbours, half, double                      |
// | a side of the tile    | also the sizes at which the number of tiles       |
// |                       | changes; how many share a tile changes with it    |
// | what a slot takes     | the slots fill a block's memory, or half of a     |
// |                       | processor's                                       |
//
// Which number is a side of the tile, or counts slots, is found out by asking
// the facts of a block (Kind.h), so nothing here names a kind or a decision.
//
// What the cost model thinks best is often one tile in sixty disguises. So the
// space is looked at in *niches*: the form of a schedule (Space.h), and whether
// blocks share loads or K. All niches are looked around by turns, and the
// result takes few of a kind: it is the best by price, but only some with one
// tile, and fewer that differ only in slots or in numbers of the launch.
//
// Each new kernel has to be compiled, and most problems are served by kernels
// that others use, too: one that the catalogue has counts for half a percent.
//
// The same problem and options draw the same schedules on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_DRAW_H
#define HONE_SEARCH_DRAW_H

#include "hone/Schedule/Schedule.h"
#include <vector>

namespace hone {

struct DrawOptions {
  size_t most = 256;    ///< schedules
  size_t looks = 60000; ///< rows of numbers that are tried on the way
  Kinds kinds = allKinds();
};
/// What a build has time for.
DrawOptions quickDraw();

/// A schedule and what the cost model says of it.
struct Priced {
  Schedule schedule;
  double seconds;
  double price; ///< seconds, and half a percent where the kernel is new
};

/// Schedules made for `problem`, whose extents are known, that keep the laws
/// and run as they are; the most promising first. None where no kind runs.
std::vector<Priced> drawn(const Problem &problem, const Arch &arch,
                          const DrawOptions &options = {});

/// `schedule` with one of the decisions changed that are rarely taken (`quiet`,
/// but no rewrites), as far as the laws allow it. The cost model sees little of
/// what they do, so a draw hardly has them.
std::vector<Schedule> quietVariants(const Schedule &schedule,
                                    const Problem &problem, const Arch &arch);

/// All that one move leads to from `schedule`, rarely taken decisions included:
/// what keeps the laws and should take no more than `seconds`. For those who
/// climb by more than the cost model.
std::vector<Schedule> neighboursOf(const Schedule &schedule,
                                   const Problem &problem, const Arch &arch,
                                   double seconds);

/// `schedule` with any tile of C, alone or sharing loads by twos: what keeps
/// the laws and should take no more than `seconds`. A climb looks at the tiles
/// of what the cost model likes best; this is for judges who like others.
std::vector<Schedule> tileVariants(const Schedule &schedule,
                                   const Problem &problem, const Arch &arch,
                                   double seconds);

/// `schedule` with another tile of C, the most promising one that keeps the
/// laws: each side as small as the number of tiles along it allows, and as many
/// slots as fit. What won for other extents is fitted to these.
std::optional<Schedule> fittedTile(const Schedule &schedule,
                                   const Problem &problem, const Arch &arch);

/// A sample to learn from: half of it the first of `drawn`, half of it found by
/// walking at random through what costs less than three times as much as the
/// best, every niche alike.
std::vector<Schedule> sampled(const Problem &problem, const Arch &arch,
                              size_t count, uint64_t seed);

} // namespace hone

#endif // HONE_SEARCH_DRAW_H
