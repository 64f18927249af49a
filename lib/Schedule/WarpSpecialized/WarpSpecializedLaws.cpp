//===- WarpSpecializedLaws.cpp - Laws of ws -------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most come from the hardware: the tensor cores take 64 rows and at most 256
// columns from lines of 128 bytes, and a block has limited shared memory and
// registers. The last laws are about combinations that no kernel implements.
//
//===----------------------------------------------------------------------===//

#include "../CommonLaws.h"
#include "WarpSpecializedParts.h"
#include "hone/Schedule/WholeKernel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

static Broken stages(const WarpSpecialized &knobs, const KnownFacts &facts) {
  return within(facts, "stages", knobs.stages, 2, 16);
}

/// The slots of products in flight are not free, and neither is the slot that
/// the next products wait for.
static Broken slotsInFlight(const WarpSpecialized &knobs,
                            const KnownFacts &facts) {
  int64_t min = knobs.inFlight() + 1;
  if (knobs.stages >= min)
    return std::nullopt;
  return refuse(
      facts,
      "expected stages to be at least {0} with {1} groups of products "
      "in flight, but got {2}; use {0}",
      min, knobs.inFlight(), knobs.stages);
}

/// The author of a whole kernel has made all rewrites in it already.
static Broken wholeStandsAlone(const Schedule &schedule,
                               const KnownFacts &facts) {
  std::optional<std::string> name = wholeKernelOf(schedule);
  auto rewrites = schedule.rewrites();
  if (!name || rewrites.size() == 1)
    return std::nullopt;
  return refuse(facts,
                "expected no other rewrite with whole({0}), but got {1}({2}); "
                "leave it out",
                *name, rewrites.front().decision->name,
                rewrites.front().text());
}

/// With a skew of all slots, a consumer waits for a slot that is filled only
/// after the consumer has read another slot: a deadlock.
static Broken skewed(const WarpSpecialized &knobs, const KnownFacts &facts) {
  int64_t slots = knobs.skew - 1;
  if (slots < knobs.stages)
    return std::nullopt;
  return refuse(facts,
                "expected stages to be above a skew of {0} slots, but got {1}; "
                "use {2}",
                slots, knobs.stages, slots + 1);
}

static Broken group(const WarpSpecialized &knobs, const KnownFacts &facts) {
  return groupFits(facts, knobs.group);
}

//===----------------------------------------------------------------------===//
// Limits of a processor
//===----------------------------------------------------------------------===//

static Broken shared(const WarpSpecialized &given, const KnownFacts &facts) {
  if (!facts.arch)
    return std::nullopt;
  WarpSpecialized knobs = given.turned();
  int64_t resultBytes = facts.problem ? sizeOf(facts.problem->c) : 2;
  int64_t limit = facts.arch->sharedPerBlock;
  int64_t bytes = knobs.sharedBytes(facts.problem);
  if (bytes <= limit)
    return std::nullopt;
  int64_t slot = knobs.ringBytes(facts.problem) / knobs.stages + 16;
  int64_t fits = (limit - knobs.chunkBytes(resultBytes)) / slot;
  return refuse(facts,
                "expected rings, chunks and barriers of at most {0} bytes of "
                "shared memory, but got {1}; use {2}",
                limit, bytes,
                fits >= 2 ? formatv("stages = {0}", fits).str()
                          : "a smaller tile");
}

static Broken consumers(const WarpSpecialized &knobs, const KnownFacts &facts) {
  if (!knobs.persistent || knobs.groups() <= 3)
    return std::nullopt;
  return refuse(facts, "expected 1 to 3 consumers, but got {0}x{1}; use 2x1",
                knobs.consumers[0], knobs.consumers[1]);
}

static Broken accumulatorsFit(const WarpSpecialized &given,
                              const KnownFacts &facts) {
  WarpSpecialized knobs = given.turned();
  int64_t max = knobs.consumerRegisters() -
                otherRegisters(knobs, facts.problem) -
                fetchedRegisters(knobs, facts.problem);
  int64_t sums = knobs.accumulators() + blockSums(knobs, facts.problem);
  if (sums <= max)
    return std::nullopt;
  return refuse(facts,
                "expected at most {0} accumulators for a thread of {1} "
                "consumers, but got {2}; use a smaller tile",
                max, knobs.groups(), sums);
}

static Broken accumulatorsFitShare(const WarpSpecialized &knobs,
                                   const KnownFacts &facts) {
  return knobs.persistent ? accumulatorsFit(knobs, facts) : std::nullopt;
}

static Broken accumulatorsFitLaunch(const WarpSpecialized &knobs,
                                    const KnownFacts &facts) {
  return knobs.persistent ? std::nullopt : accumulatorsFit(knobs, facts);
}

/// Until it requests more, a thread has the registers of the launch. One
/// product names all of its accumulators and its operands.
static Broken launch(const WarpSpecialized &given, const KnownFacts &facts) {
  constexpr int64_t kOtherRegisters = 28, kColsOfRegister = 2;
  WarpSpecialized knobs = given.turned();
  int64_t granted = launchRegisters(knobs.threads());
  int64_t max = kColsOfRegister * (granted - kOtherRegisters);
  if (!knobs.givesRegisters() || knobs.groups() < 3 || knobs.groupCols() <= max)
    return std::nullopt;
  return refuse(facts,
                "expected at most {0} columns for each of {1} consumers, whose "
                "block is launched with {2} registers a thread, but got {3}; "
                "use fewer",
                max, knobs.groups(), granted, knobs.groupCols());
}

static Broken fewConsumers(const WarpSpecialized &knobs,
                           const KnownFacts &facts) {
  if (knobs.persistent || knobs.groups() <= 4)
    return std::nullopt;
  return refuse(facts, "expected 1 to 4 consumers, but got {0}x{1}; use 1x1",
                knobs.consumers[0], knobs.consumers[1]);
}

//===----------------------------------------------------------------------===//
// Combinations that no kernel implements
//===----------------------------------------------------------------------===//

static Broken transposedIsWhole(const WarpSpecialized &knobs,
                                const KnownFacts &) {
  if (!knobs.transposes || !knobs.streams)
    return std::nullopt;
  return "expected side = b with whole tiles, because the sums that workers "
         "leave for each other lie as C does, but got streams = yes; use no";
}

static Broken splitIsSingle(const WarpSpecialized &knobs,
                            const KnownFacts &facts) {
  if (knobs.splits == 1 || !knobs.persistent)
    return std::nullopt;
  return refuse(facts,
                "expected splits = {0} in blocks of one tile, because its sums "
                "meet where the next tile's operands would be, but got "
                "persistent = yes; use no",
                knobs.splits);
}

static Broken teamsTakeTurns(const WarpSpecialized &knobs,
                             const KnownFacts &facts) {
  if (knobs.teams == 1 || (knobs.persistent && !knobs.streams))
    return std::nullopt;
  return refuse(facts,
                "expected two teams in persistent blocks that have whole "
                "tiles, but got persistent = {0}, streams = {1}; use teams = "
                "1",
                knobs.persistent ? "yes" : "no", knobs.streams ? "yes" : "no");
}

static Broken clusterFits(const WarpSpecialized &knobs,
                          const KnownFacts &facts) {
  constexpr int64_t kMax = 16;
  if (knobs.clusterBlocks() <= kMax)
    return std::nullopt;
  int64_t others = knobs.cluster[0] * knobs.cluster[1];
  return refuse(facts,
                "expected splits to be at most {0} with cluster = {1}x{2}, "
                "because {3} blocks at most can reach each other's memory, "
                "but got {4}; use {0}",
                kMax / others, knobs.cluster[0], knobs.cluster[1], kMax,
                knobs.splits);
}

/// The hardware takes 16 blocks, but parts of chips refuse more than 8.
static Broken clusterLaunches(const WarpSpecialized &knobs,
                              const KnownFacts &facts) {
  int64_t blocks = knobs.clusterBlocks();
  if (!facts.arch || blocks <= facts.arch->maxClusterBlocks())
    return std::nullopt;
  return refuse(facts,
                "expected clusters of at most {0} blocks on {1}, but got {2}x"
                "{3} with splits = {4}; use cluster = 1x1 with splits of at "
                "most {0}",
                facts.arch->maxClusterBlocks(), facts.arch->name,
                knobs.cluster[0], knobs.cluster[1], knobs.splits);
}

static Broken streamsPersist(const WarpSpecialized &knobs, const KnownFacts &) {
  if (!knobs.streams || knobs.persistent)
    return std::nullopt;
  return "expected runs of steps in persistent blocks, but got persistent "
         "= no; use yes";
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr Law kLaws[] = {
    {43, "stages is 2 to 16", lawOf<WarpSpecialized, stages>},
    {48,
     "ring (stages * tile.k * (tile.m + tile.n)), chunks and barriers fit a "
     "block's shared memory",
     lawOf<WarpSpecialized, shared>},
    {49, "group is 1 to 65535", lawOf<WarpSpecialized, group>},
    {50, "a persistent block has 1 to 3 consumers",
     lawOf<WarpSpecialized, consumers>},
    {51,
     "a persistent consumer's sums fit: tile.m * tile.n / (128 * consumers) is "
     "at most 200 (of 3: 120)",
     lawOf<WarpSpecialized, accumulatorsFitShare>},
    {52,
     "where 3 consumers are given registers, each has at most 200 columns; "
     "where 4 are, 136",
     lawOf<WarpSpecialized, launch>},
    {60, "a block of one tile has 1 to 4 consumers",
     lawOf<WarpSpecialized, fewConsumers>},
    {61,
     "a one-tile block's registers fit accumulators, sums, fetched rows and "
     "epilogue, as in law 51",
     lawOf<WarpSpecialized, accumulatorsFitLaunch>},
    {73, "side b is for whole tiles",
     lawOf<WarpSpecialized, transposedIsWhole>},
    {74, "splits above 1 is for blocks of one tile",
     lawOf<WarpSpecialized, splitIsSingle>},
    {75, "two teams are for persistent blocks of whole tiles",
     lawOf<WarpSpecialized, teamsTakeTurns>},
    {76, "a cluster, with the blocks that share K, has at most 16 blocks",
     lawOf<WarpSpecialized, clusterFits>},
    {77, "runs of steps are for persistent blocks",
     lawOf<WarpSpecialized, streamsPersist>},
    {81, "stages is above the groups of products in flight",
     lawOf<WarpSpecialized, slotsInFlight>},
    {82, "skew is less than stages", lawOf<WarpSpecialized, skewed>},
    {83, "a whole kernel has no other rewrites", wholeStandsAlone},
    {94,
     "a cluster, with the blocks that share K, has at most as many blocks as "
     "the arch launches",
     lawOf<WarpSpecialized, clusterLaunches>},
};

llvm::ArrayRef<Law> detail::wsLaws() {
  static const std::vector<Law> all = [] {
    std::vector<Law> laws(std::begin(kLaws), std::end(kLaws));
    llvm::append_range(laws, wsTileLaws());
    llvm::append_range(laws, wsShareLaws());
    llvm::append_range(laws, wsOperandLaws());
    llvm::sort(laws, [](const Law &one, const Law &other) {
      return one.number < other.number;
    });
    return laws;
  }();
  return all;
}
