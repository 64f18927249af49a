//===- Draw.h - Schedules drawn for a problem -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The space is too large to list, and its good schedules depend on the problem:
// for 200 rows, two tiles of 104 are better than four of 64, and of two tile
// sizes that waste nothing, the one that fills the processors is better. So the
// cost model draws schedules for each problem, from all decisions that a kind
// has.
//
// A draw starts at the catalogue (Catalogue.h) and the defaults and climbs: in
// each step it prices the neighbours of the best schedule so far whose
// neighbours have no price yet.
//
// | change of             | to                                                |
// |-----------------------|---------------------------------------------------|
// | a choice of few       | each of the others                                |
// | a number              | its neighbours, half, double                      |
// | a side of the tile    | also the sizes at which the number of tiles       |
// |                       | changes; how many share a tile changes with it    |
// | the size of a slot    | the slots fill a block's memory, or half of a     |
// |                       | processor's                                       |
//
// A schedule of a new form begins with the tile of another form, so it also
// gets the tiles that leave the fewest processors idle, in one round or two.
//
// The facts of a block (Kind.h) show which number is a side of the tile or
// counts slots, so nothing here names a kind or a decision.
//
// The cost model's best schedules are often dozens of variants of one tile. So
// the space is divided into *niches*: the form of a schedule (Space.h), and
// whether blocks share loads or K. The climb visits the niches in turns, and
// the result is diverse: the best by price, but only a few with the same tile,
// and fewer that differ only in slots or in numbers of the launch.
//
// Each new kernel has to be compiled, and most problems can use kernels that
// other problems use as well. So a kernel of the catalogue has an advantage of
// half a percent.
//
// The same problem and options draw the same schedules on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SPACE_DRAW_H
#define HONE_SPACE_DRAW_H

#include "hone/Schedule/Schedule.h"
#include <vector>

namespace hone {

struct DrawOptions {
  size_t max = 256;     ///< schedules
  size_t looks = 80000; ///< rows of numbers tried on the way; a legal one is 8
  Kinds kinds = allKinds();
};
/// Options for a build, which has little time.
DrawOptions quickDraw();

/// A schedule and its estimate by the cost model.
struct Priced {
  Schedule schedule;
  double seconds;
  double price; ///< seconds, and half a percent where the kernel is new
};

/// Schedules made for `problem`, whose extents are known, that keep the laws
/// and need no sibling (law 5); the most promising first. None if no kind
/// runs.
std::vector<Priced> drawn(const Problem &problem, const Arch &arch,
                          const DrawOptions &options = {});

/// Variants of `schedule` with one rare decision changed (`quiet`, but no
/// rewrites), as far as the laws allow. The cost model hardly models these
/// decisions, so a draw hardly contains them.
std::vector<Schedule> quietVariants(const Schedule &schedule,
                                    const Problem &problem, const Arch &arch);

/// All results of one move from `schedule`, including rare decisions, that keep
/// the laws and have an estimate of at most `seconds`. For searches that climb
/// by more than the cost model.
std::vector<Schedule> neighboursOf(const Schedule &schedule,
                                   const Problem &problem, const Arch &arch,
                                   double seconds);

/// `schedule` with any tile of C, alone or with loads shared by two blocks:
/// variants that keep the laws and have an estimate of at most `seconds`. A
/// climb only visits tiles that the cost model ranks highly; this is for judges
/// with another ranking.
std::vector<Schedule> tileVariants(const Schedule &schedule,
                                   const Problem &problem, const Arch &arch,
                                   double seconds);

/// `schedule` with another tile of C, the most promising one that keeps the
/// laws: each side as small as the number of tiles along it allows, and as many
/// slots as fit. Adapts a winner for other extents to these.
std::optional<Schedule> fittedTile(const Schedule &schedule,
                                   const Problem &problem, const Arch &arch);

/// A sample to learn from: half of it the first of `drawn`, three eighths found
/// by random walks among schedules that cost less than three times as much as
/// the best, every niche alike, and an eighth of these with rewrites.
std::vector<Schedule> sampled(const Problem &problem, const Arch &arch,
                              size_t count, uint64_t seed);

} // namespace hone

#endif // HONE_SPACE_DRAW_H
