//===- Trials.h - Trials of one kernel --------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trials.cpp has the sizes that every kernel needs, SpecialTrials.cpp those of
// kernels with unrolled loops, windows, groups of rows, or shared tiles.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_TRIALS_TRIALS_H
#define HONE_LIB_SIMULATE_TRIALS_TRIALS_H

#include "../Program.h"
#include "TrialStart.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace hone::simulate {

/// Makes the trials of one kernel.
class Trials {
public:
  Trials(const Subject &subject, const Program &program, const Trial &start,
         int64_t tileM, int64_t tileN)
      : subject(subject), program(program), steps(stepsOf(subject.kernel)),
        start(start), tileM(tileM), tileN(tileN) {}

  std::vector<Trial> run();

private:
  /// The number of steps of K after which the state repeats: slots, phases, and
  /// the position in the unrolled loop.
  int64_t period() const { return std::lcm(2 * steps.slots, steps.atOnce); }

  /// Steps in which every ring goes around twice, and three more. Where a loop
  /// is unrolled, a ring goes around again after the last new state.
  int64_t longK() const;

  /// The extent of `whole` tiles and a part of one.
  int64_t partial(int64_t tile, int64_t whole, int64_t rest) const;

  Trial &add(int64_t m, int64_t n, int64_t k, int64_t maxClusters);

  /// Long tiles with remainders everywhere; where blocks take tiles in turn,
  /// one block has two.
  void addLong();

  /// No remainder anywhere, and as many steps as slots in the last round.
  void addExact();

  /// Tiles of a single step, so many that counters of tiles go around twice,
  /// too, and so do the rings of each of two teams: one worker has all tiles,
  /// in two bands of the raster.
  void addManyTiles();

  /// Several bands of the raster, the last one narrower, with whole tiles in
  /// both dimensions; in one dimension alone where no other trial has such
  /// bands.
  void addBands();

  /// Fewer steps than slots, in all batches, and more workers than tiles.
  void addShort();

  /// One line, with any distance to the next that the guard accepts and that is
  /// shorter than the line.
  void addSingle();

  /// Keeps the trial if some operand of a single line has a line that is longer
  /// than its distance.
  void addShortened(Trial &trial);

  bool holds(const Trial &trial) const;

  /// Uneven parts of K, and one step fewer than the slots. Where slots are
  /// filled before the loop, each of these steps is conditional.
  void addUneven();

  /// Filters with several rows and columns, with one of either, and with as
  /// many channels as make rings go around again after the last tap; tiles that
  /// begin and end within an image.
  void addWindows();

  /// The ends of groups in some tiles of rows: one group; empty ones, one row,
  /// whole tiles; rows of no group; ends that go back, are negative, or beyond
  /// the rows; tiles with a row more and one less; many groups; and, where
  /// steps of k do not count, no rows at all.
  static constexpr size_t kEndKinds = 9;
  std::vector<int32_t> drawEnds(size_t number, int64_t rows) const;
  /// The same for a ragged sum, whose segments are of k, in every trial: a
  /// batch for each.
  void drawSegments();

  /// Each kind of ends, with rows of several tiles; and as many workers as one
  /// row has tiles, with the one after all groups.
  void addRagged();

  /// One tile of this many steps, of which the last is partial.
  void addSteps(int64_t count);

  /// Unrolled loops and the loop over the rest: every number of remaining
  /// steps, after no round, one and many, and rings that go around once and
  /// twice.
  void addUnrolled();

  /// Tiles with `left` remaining steps, which start in every slot and phase
  /// that is possible.
  void addUnrolledTurns(int64_t left);

  /// Rings that continue from tile to tile, also over the tiles of another
  /// team: tiles that end in a different slot each time, with and without a
  /// wrap in between.
  void addTurns();

  /// Operands that are copied first, with one piece more than a block's run:
  /// runs are rounded up, and one worker has both. And operands of a single run
  /// each, for as many workers.
  void addPacked();

  /// Three workers with two or three tiles each, in bands of the raster, and
  /// four with one or two: of two steps and of one, so that no product of
  /// workers and steps is zero in both.
  void addWorkers();

  /// Extents beyond the points where a formula might be cut off, each in turn:
  /// only the plan is checked for them.
  void addLarge();

  void addPlanned(int64_t tilesM, int64_t tilesN, int64_t k);

  /// Workers that share tiles: one tile for as many as the launch allows, and
  /// several tiles of which no worker has a whole one. The plan sets the size
  /// of the workspace here; the device does not bound it.
  void addShared();

  void addMoreShared();

  void share(Trial &trial, int64_t count) const;

  /// Steps of a worker: rings have gone around before. The number of steps is
  /// not a multiple of the workers, so some have one more than others.
  static constexpr int64_t kRun = 2, kMany = 5;

  /// The maximum number of workers on a device, with fewer tiles than workers,
  /// and with a number of tiles of which as few as possible are whole.
  void addReach();

  /// The number of outer and, where there are any, inner batches.
  void setBatches(Trial &trial, int64_t outer, int64_t inner) const;

  /// More than a tile between lines: no distance has as many tiles as an
  /// extent.
  void spread(Trial &trial) const;

  /// A raster whose bands are narrower than the matrix; the other trials use
  /// the launch's own.
  void setGroup(Trial &trial) const { setKnob(subject, trial, "group", 2); }

  const Subject &subject;
  const Program &program;
  Steps steps;
  Trial start;
  int64_t tileM, tileN;
  std::vector<Trial> trials;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_TRIALS_TRIALS_H
