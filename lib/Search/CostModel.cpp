//===- CostModel.cpp - How long a schedule should take --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block's facts come from its family; what follows from them is the same for
// all.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/CostModel.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <type_traits>

using namespace hone;

//===----------------------------------------------------------------------===//
// What a block is made of
//===----------------------------------------------------------------------===//

namespace {
/// What the facts are made from besides the schedule.
struct Context {
  const Problem &problem;
  const Arch &arch;
  const CostCoefficients &coefficients;
};

template <typename FamilyT, typename = void>
struct HasTile : std::false_type {};
template <typename FamilyT>
struct HasTile<FamilyT,
               std::void_t<decltype(std::array<int64_t, 3>(FamilyT().tile))>>
    : std::true_type {};
} // namespace

/// Any family: its tile, if it has one.
template <typename FamilyT>
static BlockFacts factsOf(const FamilyT &knobs, const Context &context) {
  BlockFacts facts;
  if constexpr (HasTile<FamilyT>::value)
    facts.tile = knobs.tile;
  facts.efficiency = context.coefficients.otherEfficiency;
  facts.startSeconds = context.coefficients.otherStart;
  facts.storeBytesPerClock = context.coefficients.otherStore;
  int64_t bytes = sizeOf(context.problem.a.type);
  facts.sharedBytesPerStep =
      (facts.tile[0] + facts.tile[1]) * facts.tile[2] * bytes;
  return facts;
}

/// What the families for sm_90a have in common. A band of 64 rows reads its
/// part of A once and all of the consumer's columns of B.
static BlockFacts factsOfRoles(const WarpSpecialized &knobs,
                               const Context &context) {
  BlockFacts facts;
  facts.tile = knobs.tile;
  facts.stages = knobs.stages;
  facts.cluster = knobs.cluster;
  facts.splits = knobs.splits;
  int64_t bytes = sizeOf(context.problem.a.type);
  int64_t sharers = knobs.groups() / knobs.teams;
  facts.sharedBytesPerStep = sharers * knobs.bands() *
                             (64 + knobs.groupCols()) * knobs.tile[2] * bytes;
  facts.efficiency = context.coefficients.wsEfficiency;
  facts.startSeconds = context.coefficients.wsStart;
  facts.storeBytesPerClock = context.coefficients.wsStore * knobs.teams;
  return facts;
}

static BlockFacts factsOf(const WsCoop &knobs, const Context &context) {
  BlockFacts facts = factsOfRoles(knobs, context);
  facts.persistent = true;
  return facts;
}

static BlockFacts factsOf(const WsPingpong &knobs, const Context &context) {
  BlockFacts facts = factsOfRoles(knobs, context);
  facts.persistent = true;
  return facts;
}

/// Blocks of one tile, of which several may live on a processor.
template <typename FamilyT>
static BlockFacts factsOfSingle(const FamilyT &knobs, const Context &context) {
  constexpr int64_t kReserved = 1024, kAddresses = 64;
  const Arch &arch = context.arch;
  BlockFacts facts = factsOfRoles(knobs, context);
  int64_t bytes = knobs.sharedBytes(sizeOf(context.problem.c)) + kReserved;
  int64_t registers = knobs.threads() * (knobs.accumulators() + kAddresses);
  facts.resident =
      std::max<int64_t>(1, std::min({arch.sharedPerProcessor / bytes,
                                     arch.threadsPerProcessor / knobs.threads(),
                                     arch.registersPerProcessor / registers}));
  facts.startSeconds = context.coefficients.singleStart;
  return facts;
}

static BlockFacts factsOf(const Small &knobs, const Context &context) {
  return factsOfSingle(knobs, context);
}

static BlockFacts factsOf(const ClusterSplitK &knobs, const Context &context) {
  return factsOfSingle(knobs, context);
}

/// Every warp reads its rows of A and its columns of B from shared memory.
static BlockFacts factsOf(const MmaSync &knobs, const Context &context) {
  const Arch &arch = context.arch;
  int64_t bytes = sizeOf(context.problem.a.type);
  BlockFacts facts;
  facts.tile = knobs.tile;
  facts.stages = knobs.stages;
  facts.splits = knobs.splits;
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
  facts.efficiency = (hasWgmma ? context.coefficients.mmaSyncEfficiency : 0.9) *
                     std::min(1.0, warps / kWarpsOfPeak);
  facts.startSeconds = context.coefficients.mmaSyncStart;
  facts.storeBytesPerClock = context.coefficients.mmaSyncStore;
  return facts;
}

BlockFacts hone::blockFacts(const Problem &problem, const Arch &arch,
                            const Schedule &schedule,
                            const CostCoefficients &coefficients) {
  Context context = {problem, arch, coefficients};
  return std::visit([&](const auto &knobs) { return factsOf(knobs, context); },
                    schedule);
}

//===----------------------------------------------------------------------===//
// What follows
//===----------------------------------------------------------------------===//

double hone::rooflineSeconds(const Problem &problem, const Arch &arch) {
  return std::max(*problem.flops() / (arch.peakTflops * 1e12),
                  *problem.bytes() / (arch.memoryGBs * 1e9));
}

/// Seconds of one step of K of one block, with `together` blocks on its
/// processor.
static double stepSeconds(const BlockFacts &facts, const Context &context,
                          double busyProcessors, double together) {
  const CostCoefficients &by = context.coefficients;
  const Arch &arch = context.arch;
  double clock = arch.clockGHz * 1e9 * by.clockFraction;
  auto [m, n, k] = facts.tile;
  double flopsPerProcessor =
      arch.peakTflops * 1e12 * by.clockFraction / arch.processors;
  double multiply = 2.0 * m * n * k / (flopsPerProcessor * facts.efficiency);
  double shared = facts.sharedBytesPerStep / (by.sharedBytesPerClock * clock);
  double loaded =
      (double(m) / facts.cluster[1] + double(n) / facts.cluster[0]) * k *
      sizeOf(context.problem.a.type);
  double cache = loaded * busyProcessors / (by.l2BytesPerClock * clock);
  double latency =
      by.loadSeconds / std::max<int64_t>(facts.stages - 1, 1) / together;
  return std::max({multiply, shared, cache, latency});
}

double hone::estimateSeconds(const Problem &problem, const Arch &arch,
                             const Schedule &schedule,
                             const CostCoefficients &coefficients) {
  Context context = {problem, arch, coefficients};
  BlockFacts facts = blockFacts(problem, arch, schedule, coefficients);
  auto ceiling = [](double extent, double unit) {
    return std::ceil(extent / unit);
  };
  double blocks = ceiling(problem.m, facts.tile[0]) *
                  ceiling(problem.n, facts.tile[1]) *
                  double(problem.batch.value_or(1) * facts.splits);
  double processors = std::max<int64_t>(arch.processors, 1);
  double share = ceiling(blocks, processors);
  double together = std::min<double>(share, facts.resident);
  double rounds = ceiling(share, facts.resident);
  double busy = std::min(blocks, processors);
  double steps = ceiling(ceiling(problem.k, facts.splits), facts.tile[2]);
  double step = stepSeconds(facts, context, busy, together);
  double clock = arch.clockGHz * 1e9 * coefficients.clockFraction;
  double store = double(facts.tile[0]) * facts.tile[1] * sizeOf(problem.c) /
                 (facts.storeBytesPerClock * clock);
  double bus =
      *problem.bytes() / (arch.memoryGBs * 1e9 * coefficients.busFraction);
  double reduce = facts.splits > 1 ? coefficients.reduceSeconds : 0;
  return facts.startSeconds + reduce +
         (facts.persistent ? 1 : rounds) * coefficients.fillSeconds +
         rounds * together * store + std::max(share * steps * step, bus);
}
