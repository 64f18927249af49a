//===- BlockFacts.cpp - What a block is made of ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One overload a family. What follows from the facts is the same for all
// (CostModel.cpp).
//
//===----------------------------------------------------------------------===//

#include "hone/Search/CostModel.h"
#include <type_traits>

using namespace hone;

namespace {
/// What the facts are made from besides the schedule.
struct Context {
  const Problem &problem;
  const Arch &arch;
  const CostCoefficients &by;

  double clock() const { return arch.clockGHz * 1e9 * by.clockFraction; }
};

template <typename FamilyT, typename = void>
struct HasTile : std::false_type {};
template <typename FamilyT>
struct HasTile<FamilyT,
               std::void_t<decltype(std::array<int64_t, 3>(FamilyT().tile))>>
    : std::true_type {};
} // namespace

static double tileBytes(const BlockFacts &facts, const Context &context) {
  return double(facts.tile[0]) * facts.tile[1] * sizeOf(context.problem.c);
}

/// Any family: its tile, if it has one.
template <typename FamilyT>
static BlockFacts factsOf(const FamilyT &knobs, const Context &context) {
  BlockFacts facts;
  if constexpr (HasTile<FamilyT>::value)
    facts.tile = knobs.tile;
  facts.efficiency = context.by.otherEfficiency;
  facts.startSeconds = context.by.otherStart;
  facts.fillSeconds = context.by.fillSeconds;
  facts.storeClocks = tileBytes(facts, context) / context.by.otherStore;
  int64_t bytes = sizeOf(context.problem.a.type);
  facts.sharedBytesPerStep =
      (facts.tile[0] + facts.tile[1]) * facts.tile[2] * bytes;
  return facts;
}

//===----------------------------------------------------------------------===//
// Blocks with roles
//===----------------------------------------------------------------------===//

/// What the families for sm_90a have in common. A band of 64 rows reads its
/// part of A once and all of the consumer's columns of B.
static BlockFacts factsOfRoles(const WarpSpecialized &knobs,
                               const Context &context) {
  const CostCoefficients &by = context.by;
  BlockFacts facts;
  facts.tile = knobs.tile;
  facts.stages = knobs.stages;
  facts.cluster = knobs.cluster;
  facts.splits = knobs.splits;
  facts.group = knobs.group;
  int64_t bytes = sizeOf(context.problem.a.type);
  int64_t sharers = knobs.groups() / knobs.teams;
  double cols = knobs.groupCols(), splits = knobs.splits;
  facts.sharedBytesPerStep =
      sharers * knobs.bands() * (64 + cols) * knobs.tile[2] * bytes;
  facts.efficiency = by.wsEfficiency * cols / (cols + by.wsNarrow);
  facts.fillSeconds = by.fillSeconds;
  facts.serialClocks = by.wsSerial;
  facts.storeClocks = by.wsStoreClocks + tileBytes(facts, context) /
                                             (by.wsStore * sharers * splits);
  if (knobs.cluster[0] * knobs.cluster[1] > 1)
    facts.serialClocks += by.clusterSerial;
  if (knobs.splits > 1) {
    // A block keeps its own part of the sums and reads the others' of it.
    double sums = double(knobs.tile[0]) * knobs.tile[1] * sizeof(float);
    facts.reduceClocks =
        by.reduceSeconds * context.clock() +
        sums / (by.reduceBytesPerClock * sharers) +
        sums * (splits - 1) / splits / (by.remoteBytesPerClock * sharers);
  }
  return facts;
}

static double clusterStart(const BlockFacts &facts, const Context &context) {
  return facts.cluster[0] * facts.cluster[1] > 1 ? context.by.clusterStart : 0;
}

/// Blocks that take tiles until none is left.
static BlockFacts asPersistent(BlockFacts facts, const Context &context,
                               double start, double exposed) {
  facts.persistent = true;
  facts.startSeconds = start + clusterStart(facts, context);
  facts.exposed = exposed;
  return facts;
}

static BlockFacts factsOf(const WsCoop &knobs, const Context &context) {
  const CostCoefficients &by = context.by;
  return asPersistent(factsOfRoles(knobs, context), context, by.coopStart,
                      by.coopExposed);
}

static BlockFacts factsOf(const WsPingpong &knobs, const Context &context) {
  const CostCoefficients &by = context.by;
  return asPersistent(factsOfRoles(knobs, context), context, by.pingpongStart,
                      by.pingpongExposed);
}

static BlockFacts factsOf(const StreamK &knobs, const Context &context) {
  const CostCoefficients &by = context.by;
  BlockFacts facts = factsOfRoles(knobs, context);
  double sums = double(knobs.tile[0]) * knobs.tile[1] * sizeof(float);
  facts.parts = knobs.parts;
  facts.cutClocks =
      by.cutSeconds * context.clock() + 2 * sums / by.cutBytesPerClock;
  return asPersistent(facts, context, by.coopStart, by.coopExposed);
}

/// Blocks of one tile, of which several may live on a processor.
template <typename FamilyT>
static BlockFacts asSingle(const FamilyT &knobs, const Context &context,
                           BlockFacts facts) {
  constexpr int64_t kReserved = 1024, kAddresses = 64;
  const Arch &arch = context.arch;
  int64_t bytes = knobs.sharedBytes(sizeOf(context.problem.c)) + kReserved;
  int64_t registers = knobs.threads() * (knobs.accumulators() + kAddresses);
  facts.resident =
      std::max<int64_t>(1, std::min({arch.sharedPerProcessor / bytes,
                                     arch.threadsPerProcessor / knobs.threads(),
                                     arch.registersPerProcessor / registers}));
  facts.startSeconds = context.by.singleStart + clusterStart(facts, context);
  return facts;
}

static BlockFacts factsOf(const Small &knobs, const Context &context) {
  return asSingle(knobs, context, factsOfRoles(knobs, context));
}

static BlockFacts factsOf(const ClusterSplitK &knobs, const Context &context) {
  return asSingle(knobs, context, factsOfRoles(knobs, context));
}

/// The tensor cores' rows are C's columns, but a tile is a tile.
static BlockFacts factsOf(const SwapAb &knobs, const Context &context) {
  BlockFacts facts = factsOfRoles(knobs.turned(), context);
  facts.tile = knobs.tile;
  return asSingle(knobs, context, facts);
}

//===----------------------------------------------------------------------===//
// Blocks without
//===----------------------------------------------------------------------===//

/// Every warp reads its rows of A and its columns of B from shared memory.
static BlockFacts factsOf(const MmaSync &knobs, const Context &context) {
  const Arch &arch = context.arch;
  const CostCoefficients &by = context.by;
  int64_t bytes = sizeOf(context.problem.a.type);
  BlockFacts facts;
  facts.tile = knobs.tile;
  facts.stages = knobs.stages;
  facts.group = knobs.group;
  facts.splits = knobs.splits;
  if (knobs.splits > 1)
    facts.reduceClocks = by.reduceSeconds * context.clock();
  facts.sharedBytesPerStep =
      (knobs.tile[0] * knobs.warps[1] + knobs.tile[1] * knobs.warps[0]) *
      knobs.tile[2] * bytes;
  constexpr int64_t kReserved = 1024; // of shared memory, in every block
  int64_t byMemory =
      arch.sharedPerProcessor / (knobs.sharedBytes(bytes) + kReserved);
  int64_t byThreads = arch.threadsPerProcessor / knobs.threads();
  int64_t byRegisters =
      arch.registersPerProcessor / (knobs.threads() * knobs.registers());
  facts.resident =
      std::max<int64_t>(1, std::min({byMemory, byThreads, byRegisters}));
  // Only four warps can keep a processor's four tensor cores busy.
  constexpr int64_t kWarpsOfPeak = 4;
  double warps = knobs.warps[0] * knobs.warps[1] * facts.resident;
  bool hasWgmma = arch.capability >= 90;
  facts.efficiency = (hasWgmma ? by.mmaSyncEfficiency : 0.9) *
                     std::min(1.0, warps / kWarpsOfPeak);
  facts.serialClocks =
      by.mmaSyncSerial + by.mmaSyncSlice * double(knobs.tile[2]) / 16;
  facts.startSeconds = by.mmaSyncStart;
  facts.fillSeconds = by.mmaSyncFill;
  facts.storeClocks = tileBytes(facts, context) / by.mmaSyncStore;
  return facts;
}

BlockFacts hone::blockFacts(const Problem &problem, const Arch &arch,
                            const Schedule &schedule,
                            const CostCoefficients &coefficients) {
  Context context = {problem, arch, coefficients};
  return std::visit([&](const auto &knobs) { return factsOf(knobs, context); },
                    schedule);
}
