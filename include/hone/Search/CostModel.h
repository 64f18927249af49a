//===- CostModel.h - How long a schedule should take ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An estimate from geometry and a chip's rates, to choose which schedules are
// worth measuring. It only has to put the good ones first; no decision that a
// measurement can make rests on it.
//
// Blocks are dealt out to processors, and a processor is busy with its share:
//
//   seconds = start + rounds * (fill + store) + max(share * step * steps, bus)
//
// | term   | what it is                                                       |
// |--------|------------------------------------------------------------------|
// | start  | of a launch, per family                                          |
// | rounds | blocks of the busiest processor over those that live there       |
// |        | together                                                         |
// | fill   | until the first operands are in shared memory; once where blocks |
// |        | are persistent                                                   |
// | store  | the tile of C, of which nothing hides                            |
// | share  | blocks of the busiest processor                                  |
// | step   | one step of K: the longest of multiplying, reading shared        |
// |        | memory, the block's part of the L2's bandwidth, and the latency  |
// |        | that the ring's slots leave                                      |
// | bus    | everything that must cross the memory bus once                   |
//
// A family says what it is made of (`BlockFacts`) in one overload of `factsOf`
// in CostModel.cpp. One that has none is taken for its `tile`, so a new family
// can be searched before it is modelled.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_COSTMODEL_H
#define HONE_SEARCH_COSTMODEL_H

#include "hone/Schedule/Schedule.h"

namespace hone {

/// What the estimate needs of a schedule.
struct BlockFacts {
  std::array<int64_t, 3> tile = {128, 128, 64};
  int64_t stages = 4;
  int64_t splits = 1;             ///< blocks that share a tile's K
  int64_t resident = 1;           ///< blocks that live on a processor together
  int64_t sharedBytesPerStep = 0; ///< read from shared memory
  std::array<int64_t, 2> cluster = {1, 1}; ///< blocks that share their loads
  double efficiency = 0.9;                 ///< of the arithmetic peak, at best
  double storeBytesPerClock = 48;          ///< one processor, the tile of C
  double startSeconds = 1e-6;
  bool persistent = false; ///< loads of the next tile overlap this one's end
};

/// The machine's part of the model, to be fitted to measurements.
struct CostCoefficients {
  double clockFraction = 0.9;       ///< of the nominal clock, under load
  double l2BytesPerClock = 4200;    ///< all processors together
  double sharedBytesPerClock = 128; ///< one processor
  double fillSeconds = 0.7e-6;
  double loadSeconds = 0.75e-6;    ///< latency of one load from memory
  double reduceSeconds = 1e-6;     ///< where K is split
  double busFraction = 0.95;       ///< of the memory's bandwidth
  double mmaSyncEfficiency = 0.62; ///< of a chip whose peak is wgmma's
  double mmaSyncStart = 0.9e-6;
  double mmaSyncStore = 10;   ///< bytes per clock: pieces of 4 bytes
  double wsEfficiency = 0.92; ///< of blocks with roles
  double wsStart = 1.4e-6;
  double singleStart = 1.1e-6; ///< of blocks with roles and one tile
  double wsStore = 64;
  double otherEfficiency = 0.9; ///< families without facts of their own
  double otherStart = 1.4e-6;
  double otherStore = 48;
};

/// What one block of `schedule` is made of.
BlockFacts blockFacts(const Problem &problem, const Arch &arch,
                      const Schedule &schedule,
                      const CostCoefficients &coefficients = {});

/// Seconds that one launch should take. Extents must be known.
double estimateSeconds(const Problem &problem, const Arch &arch,
                       const Schedule &schedule,
                       const CostCoefficients &coefficients = {});

/// The shortest time that `arch` allows: arithmetic at its peak, and everything
/// read and written once. Without the start of a launch.
double rooflineSeconds(const Problem &problem, const Arch &arch);

} // namespace hone

#endif // HONE_SEARCH_COSTMODEL_H
