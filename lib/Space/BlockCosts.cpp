//===- BlockCosts.cpp - Costs of a block's parts --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BlockCosts.h.
//
//===----------------------------------------------------------------------===//

#include "BlockCosts.h"
#include "hone/Schedule/ExactF32.h"
#include "hone/Space/Power.h"

using namespace hone;
using namespace hone::detail;

static double tileBytes(const BlockFacts &facts, const Problem &problem) {
  return double(facts.tile[0]) * facts.tile[1] * sizeOf(problem.c);
}

/// The ratio of the time of a store in pieces to that of whole chunks.
static double piecesOf(const BlockFacts &facts, double exponent) {
  constexpr double kChunk = 16;
  return power(kChunk / std::min(kChunk, double(facts.storeBytes)), exponent);
}

/// mma.sync: every warp loads, multiplies and stores.
static BlockCosts costsOfWarps(const BlockFacts &facts, const Problem &problem,
                               const Arch &arch, const CostCoefficients &by,
                               double clock) {
  BlockCosts costs;
  if (facts.splits > 1)
    costs.reduceClocks = by.reduceSeconds * clock;
  costs.resident = residentBlocks(facts, arch);
  // Only four warps can keep a processor's four tensor cores busy.
  constexpr int64_t kWarpsOfPeak = 4;
  double warps = facts.sharers * facts.slices * costs.resident;
  // From 9.0 to 11.0 the peak is that of asynchronous products.
  bool isAtPeak = arch.capability < 90 || arch.capability >= 120;
  costs.efficiency = (isAtPeak ? 0.9 : by.mmaSyncEfficiency) *
                     std::min(1.0, warps / kWarpsOfPeak);
  // Copies within a warp wait for each other, and warps wait for their turns.
  double turns = std::max(1.0, double(facts.threads) / 32 / kWarpsOfPeak);
  costs.serialClocks = by.mmaSyncSerial +
                       by.mmaSyncSlice * double(facts.tile[2]) / 16 +
                       by.mmaSyncCopy * facts.copiesPerStep * turns +
                       (facts.copiesWait ? by.mmaSyncWait : 0);
  if (facts.slices > 1)
    costs.reduceClocks += by.mmaSyncMeet * clock;
  costs.startSeconds = by.mmaSyncStart;
  costs.fillSeconds = by.mmaSyncFill;
  costs.storeClocks = tileBytes(facts, problem) / by.mmaSyncStore *
                      piecesOf(facts, by.mmaSyncPieces);
  return costs;
}

/// Fused multiply-adds: the costs of mma.sync's blocks with another multiplier.
/// A step is so long that copies and barriers do not count, as long as there
/// are two warps for each of a processor's four schedulers.
static BlockCosts costsOfThreads(const BlockFacts &facts,
                                 const Problem &problem, const Arch &arch,
                                 const CostCoefficients &by, double clock) {
  // The peak is that at the clock under tensor core load; threads run at a
  // higher clock.
  constexpr double kEfficiency = 0.96, kWarpsOfPeak = 8;
  BlockCosts costs = costsOfWarps(facts, problem, arch, by, clock);
  double warps = double(facts.threads) / 32 * costs.resident;
  costs.efficiency = kEfficiency * std::min(1.0, warps / kWarpsOfPeak);
  costs.serialClocks = by.mmaSyncSlice;
  return costs;
}

/// The last products of a block have to end, and each of a group's 128 threads
/// adds its part of the sums. Four adders take half a clock for a column. This
/// explains the measured loss of a single group: a factor of 1.37 and 1.38 at
/// 4096x4096x4096 and 1024x22016x4096 of f8E4M3FN. A group that fetches rows
/// waits in the same way, and also until the rows are there.
static double addClocks(const BlockFacts &facts) {
  constexpr double kDrain = 60, kRead = 60, kColumnsPerClock = 2, kRows = 64;
  if (!facts.blockSums)
    return facts.fetchesRows ? kDrain + kRead : 0;
  double cols = facts.productCols;
  double bands = facts.tile[0] * facts.tile[1] / (kRows * cols * facts.sharers);
  double blocks = double(facts.tile[2]) / facts.blockSums;
  return bands * blocks * (kDrain + cols / kColumnsPerClock);
}

/// wgmma: blocks with roles.
static BlockCosts costsOfGroups(const BlockFacts &facts, const Problem &problem,
                                const Arch &arch, const CostCoefficients &by,
                                double clock) {
  BlockCosts costs;
  int64_t sharers = facts.sharers;
  double cols = facts.productCols, splits = facts.splits;
  double sums = double(facts.tile[0]) * facts.tile[1] * sizeof(float);
  int64_t sharing = facts.cluster[0] * facts.cluster[1];
  bool sharesLoads = sharing > 1;
  double doublings = binaryLog(double(sharing)); // of blocks that share
  costs.resident = residentBlocks(facts, arch);
  costs.efficiency = by.wsEfficiency * cols / (cols + by.wsNarrow);
  costs.fillSeconds = by.fillSeconds;
  costs.serialClocks = by.wsSerial;
  costs.addClocks = addClocks(facts);
  costs.tileClocks = by.wsTileSerial;
  costs.storeClocks = by.wsStoreClocks + tileBytes(facts, problem) /
                                             (by.wsStore * sharers * splits) *
                                             piecesOf(facts, by.wsStorePieces);
  if (sharesLoads)
    costs.serialClocks +=
        by.clusterSerial + (doublings - 1) * by.clusterSerialMore;
  // A block keeps its own part of the sums and reads the others' parts of it.
  if (facts.splits > 1)
    costs.reduceClocks =
        by.reduceSeconds * clock + sums / (by.reduceBytesPerClock * sharers) +
        sums * (splits - 1) / splits / (by.remoteBytesPerClock * sharers);
  if (facts.parts)
    costs.cutClocks = by.cutSeconds * clock + 2 * sums / by.cutBytesPerClock;
  double start = !facts.persistent  ? by.singleStart
                 : facts.teams == 1 ? by.coopStart
                                    : by.pingpongStart;
  if (sharesLoads)
    start += by.clusterStart + (doublings - 1) * by.clusterStartMore;
  costs.startSeconds = start + binaryLog(splits) * by.splitStart;
  if (facts.persistent)
    costs.exposed = facts.teams == 1 ? by.coopExposed : by.pingpongExposed;
  return costs;
}

int64_t detail::residentBlocks(const BlockFacts &facts, const Arch &arch) {
  return std::max<int64_t>(
      occupancy(facts.threads, facts.registers, facts.sharedBytes, arch).blocks,
      1);
}

BlockCosts detail::blockCosts(const BlockFacts &facts, const Problem &problem,
                              const Arch &arch, const CostCoefficients &by,
                              double clock) {
  if (facts.multiplier == Multiplier::groups)
    return costsOfGroups(facts, problem, arch, by, clock);
  return isExactF32(problem) ? costsOfThreads(facts, problem, arch, by, clock)
                             : costsOfWarps(facts, problem, arch, by, clock);
}
