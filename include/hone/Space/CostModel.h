//===- CostModel.h - Estimated time of a schedule ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An estimate from geometry and a chip's rates, to choose which schedules are
// worth measuring. It only has to rank the good ones first: measurements, where
// there are any, make the decisions.
//
// Blocks are distributed to processors. The busiest processor determines the
// time, unless a resource that all share does:
//
//   seconds = start + ends + near(loops, bus, power)
//
// | term   | meaning                                                          |
// |--------|------------------------------------------------------------------|
// | start  | from a launch until its blocks run; longer for clusters          |
// | ends   | work outside a tile's loop over K: waiting for the first         |
// |        | operands, adding up the parts of a split K, writing the tile of  |
// |        | C. Once for every round of blocks; after the first round, only   |
// |        | the part that other blocks do not hide                           |
// | loops  | steps of K of the busiest processor, times `step`                |
// | step   | one step of K of the blocks that share a processor: `near` of    |
// |        | the parts in the next table                                      |
// | bus    | everything that must cross the memory bus; operands again where  |
// |        | the L2 does not hold them from one band of tiles to the next     |
// | power  | all multiplications at the rate that the chip sustains: its      |
// |        | clock falls when all tensor cores work, and not when some do     |
//
// | part of a step | meaning                                                  |
// |----------------|----------------------------------------------------------|
// | multiply       | tensor cores at the rate that this width of tile allows; |
// |                | a single block also waits at its barriers                |
// | shared         | operands, from shared memory to the tensor cores         |
// | cache          | operands, out of the L2; blocks that share loads need    |
// |                | less, lines that start within a sector more              |
// | arrive         | operands, at the processor: shared loads count in full;  |
// |                | lines of a box that lie outside of the matrix, which the |
// |                | copy engine fills with zeros, several times as much      |
// | latency        | of a slot's loads, over the other slots: it must be back |
// |                | when their products have ended                           |
//
// Outside are parts of the last row and of the last column of tiles. Where
// every block has one tile, the block in the corner decides; of more tiles some
// are at an edge.
//
// `near` is the maximum with rounded corners, (a^p + b^p + ...)^(1/p): where
// two resources are almost equally busy, neither is free.
//
// The model uses only the facts of a schedule's blocks (`BlockFacts`, a
// function of its kind's row), so every point of the space has a price. Code
// for a CPU has no blocks: its estimate counts the vectors and bytes of one
// thread (lib/Search/Host.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SPACE_COSTMODEL_H
#define HONE_SPACE_COSTMODEL_H

#include "hone/Schedule/Roofline.h"
#include "hone/Schedule/Schedule.h"

namespace hone {

/// The machine's part of the model. `hone-lab fit` chose these for an H200.
struct CostCoefficients {
  double stepCorner = 6.044;          ///< exponent of `near` within a step
  double chipCorner = 3.45;           ///< and of loops, bus and power
  double clockFraction = 1;           ///< of the nominal clock, under load
  double l2BytesPerClock = 9697;      ///< all processors together
  double arriveBytesPerClock = 192.5; ///< operands, at one processor
  double outsideClocks =
      1.835;                   ///< of a line of 128 bytes outside of the matrix
  double outsideCrowd = 2.319; ///< times that more, where many blocks have some
  double cutSectors = 2.948; ///< bytes out of the L2, of lines that cut sectors
  double sharedBytesPerClock = 92.36; ///< one processor
  double busFraction = 0.9455;        ///< of the memory's bandwidth
  /// Of the arithmetic peak, that the whole chip sustains
  double powerFraction = 1;
  /// Of the L2, that holds operands between rounds
  double cacheFraction = 0.6278;
  /// Latency of a load that runs alone
  double loadSeconds = 8.521e-07;
  double fillSeconds = 1.71e-06;   ///< until the first operands are there
  double clusterStart = 2.232e-07; ///< of a launch whose blocks share loads
  double clusterStartMore =
      2.504e-08; ///< the same, for each doubling above two
  /// Clocks of a step: slots are released across blocks
  double clusterSerial = 10.85;
  double clusterSerialMore = 0.0361; ///< the same, for each doubling above two
  double splitStart =
      4.611e-09; ///< of a launch, for each doubling of a K's parts
  double reduceSeconds = 3.842e-07; ///< of a split K: the barriers of a cluster
  double reduceBytesPerClock = 24.94; ///< one consumer, the sums of its tile
  double remoteBytesPerClock = 14;    ///< one consumer, sums of its cluster
  double cutSeconds = 1.94e-06;       ///< of tiles cut between workers
  double cutBytesPerClock = 22.37;   ///< one processor, sums to memory and back
  double mmaSyncEfficiency = 0.4934; ///< of a chip whose peak is wgmma's
  double mmaSyncStart = 4.907e-07;
  double mmaSyncFill = 7.223e-07;
  double mmaSyncSerial = 1.698; ///< clocks of a step
  double mmaSyncSlice = 28.21;  ///< clocks of 16 elements of K in a step
  double mmaSyncCopy = 39.73;   ///< clocks of a copy of a thread
  double mmaSyncWait = 350.6;  ///< clocks of a step whose copies are waited for
  double mmaSyncStore = 4.849; ///< bytes per clock, of pieces of 16
  /// Exponent of the time of smaller pieces
  double mmaSyncPieces = 0.374;
  double mmaSyncMeet = 6.798e-08; ///< seconds: slices of K meet
  double wsEfficiency = 0.8562;   ///< of blocks with roles
  double wsNarrow = 2.149e-07;    ///< columns that a wgmma loses, at any width
  double wsSerial = 0.02137;      ///< clocks of a step
  /// Clocks of a step of ragged rows whose block has one consumer
  double soleClocks = 250;
  double wsTileSerial = 30.63;    ///< clocks of a tile that are not hidden
  double wsStore = 24.71;         ///< bytes per clock and consumer
  double wsStoreClocks = 23.63;   ///< of a tile, besides its bytes
  double wsStorePieces = 0.7998;  ///< exponent of time, pieces below 16 bytes
  double packBusFraction = 1;     ///< of the memory's bandwidth, of a copy
  double packSeconds = 1.3e-06;   ///< of a launch that copies operands
  double singleStart = 2.311e-07; ///< of blocks with roles and one tile
  double coopStart = 9.969e-07;
  double coopExposed = 1; ///< of a tile's end
  double pingpongStart = 4.362e-07;
  double pingpongExposed = 0.2835;

  /// Names every coefficient to `visitor`, one after the other.
  template <typename Self, typename Visitor>
  static void visit(Self &self, Visitor &&coefficient) {
    coefficient("stepCorner", self.stepCorner);
    coefficient("chipCorner", self.chipCorner);
    coefficient("clockFraction", self.clockFraction);
    coefficient("l2BytesPerClock", self.l2BytesPerClock);
    coefficient("arriveBytesPerClock", self.arriveBytesPerClock);
    coefficient("outsideClocks", self.outsideClocks);
    coefficient("outsideCrowd", self.outsideCrowd);
    coefficient("cutSectors", self.cutSectors);
    coefficient("sharedBytesPerClock", self.sharedBytesPerClock);
    coefficient("busFraction", self.busFraction);
    coefficient("powerFraction", self.powerFraction);
    coefficient("cacheFraction", self.cacheFraction);
    coefficient("loadSeconds", self.loadSeconds);
    coefficient("fillSeconds", self.fillSeconds);
    coefficient("clusterStart", self.clusterStart);
    coefficient("clusterStartMore", self.clusterStartMore);
    coefficient("clusterSerial", self.clusterSerial);
    coefficient("clusterSerialMore", self.clusterSerialMore);
    coefficient("splitStart", self.splitStart);
    coefficient("reduceSeconds", self.reduceSeconds);
    coefficient("reduceBytesPerClock", self.reduceBytesPerClock);
    coefficient("remoteBytesPerClock", self.remoteBytesPerClock);
    coefficient("cutSeconds", self.cutSeconds);
    coefficient("cutBytesPerClock", self.cutBytesPerClock);
    coefficient("mmaSyncEfficiency", self.mmaSyncEfficiency);
    coefficient("mmaSyncStart", self.mmaSyncStart);
    coefficient("mmaSyncFill", self.mmaSyncFill);
    coefficient("mmaSyncSerial", self.mmaSyncSerial);
    coefficient("mmaSyncSlice", self.mmaSyncSlice);
    coefficient("mmaSyncCopy", self.mmaSyncCopy);
    coefficient("mmaSyncWait", self.mmaSyncWait);
    coefficient("mmaSyncStore", self.mmaSyncStore);
    coefficient("mmaSyncPieces", self.mmaSyncPieces);
    coefficient("mmaSyncMeet", self.mmaSyncMeet);
    coefficient("wsEfficiency", self.wsEfficiency);
    coefficient("wsNarrow", self.wsNarrow);
    coefficient("wsSerial", self.wsSerial);
    coefficient("wsTileSerial", self.wsTileSerial);
    coefficient("wsStore", self.wsStore);
    coefficient("wsStoreClocks", self.wsStoreClocks);
    coefficient("wsStorePieces", self.wsStorePieces);
    coefficient("packBusFraction", self.packBusFraction);
    coefficient("packSeconds", self.packSeconds);
    coefficient("singleStart", self.singleStart);
    coefficient("coopStart", self.coopStart);
    coefficient("coopExposed", self.coopExposed);
    coefficient("pingpongStart", self.pingpongStart);
    coefficient("pingpongExposed", self.pingpongExposed);
  }
};

/// An estimate and its parts: input for learned models, and an explanation for
/// users. Times are in seconds.
struct CostTerms {
  double seconds = 0;
  double start = 0, ends = 0, loops = 0, bus = 0, power = 0;
  double step = 0; ///< one step of K of a block that is alone
  /// Of such a step at the corner of C: copying lines outside of the matrix.
  double outside = 0;
  /// How blocks are distributed: tiles along M and N, blocks, processors that
  /// they can use, blocks of the busiest processor, how many of these run
  /// together, rounds, steps of each.
  double rows = 0, cols = 0, blocks = 0, processors = 0;
  double share = 0, together = 0, rounds = 0, steps = 0;
  double resident = 0; ///< blocks that a processor has room for
  double store = 0;    ///< writing a tile of C
  double reduce = 0;   ///< adding up the parts of a split K
  double exposed = 0;  ///< of a tile's end, not hidden
  bool isCut = false;  ///< tiles are cut between workers
};

/// Of a CPU's schedule only `seconds` and `loops` are known.
CostTerms costTerms(const Problem &problem, const Arch &arch,
                    const Schedule &schedule,
                    const CostCoefficients &coefficients = {});

/// The same, on a GPU, for a block whose facts are known already.
double estimateSeconds(const Problem &problem, const Arch &arch,
                       const BlockFacts &facts,
                       const CostCoefficients &coefficients = {});

/// Seconds that one launch should take. Extents must be known.
double estimateSeconds(const Problem &problem, const Arch &arch,
                       const Schedule &schedule,
                       const CostCoefficients &coefficients = {});

} // namespace hone

#endif // HONE_SPACE_COSTMODEL_H
