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
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

static Broken stages(const WarpSpecialized &knobs, const KnownFacts &) {
  return within("stages", knobs.stages, 2, 16);
}

/// The slots of products in flight are not free, and neither is the slot that
/// the next products wait for.
static Broken slotsInFlight(const WarpSpecialized &knobs, const KnownFacts &) {
  int64_t least = knobs.inFlight() + 1;
  if (knobs.stages >= least)
    return std::nullopt;
  return formatv(
             "expected stages to be at least {0} with {1} groups of products "
             "in flight, but got {2}; use {0}",
             least, knobs.inFlight(), knobs.stages)
      .str();
}

/// The author of a whole kernel has made all rewrites in it already.
static Broken wholeStandsAlone(const Schedule &schedule, const KnownFacts &) {
  std::optional<std::string> name = wholeKernelOf(schedule);
  auto rewrites = schedule.rewrites();
  if (!name || rewrites.size() == 1)
    return std::nullopt;
  return formatv("expected no other rewrite with whole({0}), but got {1}({2}); "
                 "leave it out",
                 *name, rewrites.front().decision->name,
                 rewrites.front().text())
      .str();
}

/// With a skew of all slots, a consumer waits for a slot that is filled only
/// after the consumer has read another slot: a deadlock.
static Broken skewed(const WarpSpecialized &knobs, const KnownFacts &) {
  int64_t slots = knobs.skew - 1;
  if (slots < knobs.stages)
    return std::nullopt;
  return formatv(
             "expected stages to be above a skew of {0} slots, but got {1}; "
             "use {2}",
             slots, knobs.stages, slots + 1)
      .str();
}

static Broken group(const WarpSpecialized &knobs, const KnownFacts &) {
  return groupFits(knobs.group);
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
  return formatv("expected rings, chunks and barriers of at most {0} bytes of "
                 "shared memory, but got {1}; use {2}",
                 limit, bytes,
                 fits >= 2 ? formatv("stages = {0}", fits).str()
                           : "a smaller tile")
      .str();
}

static Broken consumers(const WarpSpecialized &knobs, const KnownFacts &) {
  if (!knobs.persistent || knobs.groups() <= 3)
    return std::nullopt;
  return formatv("expected 1 to 3 consumers, but got {0}x{1}; use 2x1",
                 knobs.consumers[0], knobs.consumers[1])
      .str();
}

static Broken accumulatorsFit(const WarpSpecialized &given,
                              const KnownFacts &facts) {
  WarpSpecialized knobs = given.turned();
  int64_t most = knobs.consumerRegisters() -
                 otherRegisters(knobs, facts.problem) -
                 fetchedRegisters(knobs, facts.problem);
  int64_t sums = knobs.accumulators() + blockSums(knobs, facts.problem);
  if (sums <= most)
    return std::nullopt;
  return formatv("expected at most {0} accumulators for a thread of {1} "
                 "consumers, but got {2}; use a smaller tile",
                 most, knobs.groups(), sums)
      .str();
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
static Broken launch(const WarpSpecialized &given, const KnownFacts &) {
  constexpr int64_t kBeside = 28, kColsOfRegister = 2;
  WarpSpecialized knobs = given.turned();
  int64_t granted = launchRegisters(knobs.threads());
  int64_t most = kColsOfRegister * (granted - kBeside);
  if (!knobs.givesRegisters() || knobs.groups() < 3 ||
      knobs.groupCols() <= most)
    return std::nullopt;
  return formatv(
             "expected at most {0} columns for each of {1} consumers, whose "
             "block is launched with {2} registers a thread, but got {3}; "
             "use fewer",
             most, knobs.groups(), granted, knobs.groupCols())
      .str();
}

static Broken fewConsumers(const WarpSpecialized &knobs, const KnownFacts &) {
  if (knobs.persistent || knobs.groups() <= 4)
    return std::nullopt;
  return formatv("expected 1 to 4 consumers, but got {0}x{1}; use 1x1",
                 knobs.consumers[0], knobs.consumers[1])
      .str();
}

//===----------------------------------------------------------------------===//
// Shares of K
//===----------------------------------------------------------------------===//

static Broken parts(const WarpSpecialized &knobs, const KnownFacts &) {
  constexpr int64_t kMax = 64;
  if (knobs.parts <= kMax)
    return std::nullopt;
  return formatv("expected parts to be 1 to {0}, but got {1}; use {0}", kMax,
                 knobs.parts)
      .str();
}

static Broken splits(const WarpSpecialized &knobs, const KnownFacts &) {
  return within("splits", knobs.splits, 1, 16);
}

/// A consumer finishes whole lines, at least two adjacent elements a thread.
static Broken share(const WarpSpecialized &knobs, const KnownFacts &) {
  if (!knobs.meets())
    return std::nullopt;
  int64_t sharing = knobs.splits * knobs.groups();
  if (Broken broken =
          multipleBecause("tile.m", knobs.tile[0], sharing,
                          ", a line for each consumer of the cluster"))
    return broken;
  constexpr int64_t kMin = 2 * 128;
  int64_t sums = knobs.tile[0] * knobs.tile[1] / sharing;
  if (sums % kMin == 0)
    return std::nullopt;
  return formatv("expected the share of each of the cluster's {0} consumers to "
                 "be a multiple of {1} elements, but got {2}; use fewer splits",
                 sharing, kMin, sums)
      .str();
}

/// Sums that are exchanged through memory consist of pieces of 16 columns.
static Broken sumsArePieces(const WarpSpecialized &knobs, const KnownFacts &) {
  if (!knobs.meets() && !knobs.streams)
    return std::nullopt;
  constexpr int64_t kPiece = 16;
  constexpr const char *kWhy = " where sums of a tile meet";
  if (Broken broken = multipleBecause("tile.m", knobs.tile[0], kPiece, kWhy))
    return broken;
  return multipleBecause("tile.n", knobs.tile[1], kPiece, kWhy);
}

/// Runs of steps end wherever the number of tiles says.
static Broken addsInParts(const WarpSpecialized &knobs,
                          const KnownFacts &facts) {
  if (knobs.streams && facts.problem && partsOfK(*facts.problem))
    return formatv("expected whole tiles where numbers are {0}, but got "
                   "streams = yes; use no, or numbers = deterministic",
                   facts.problem->numbers.str())
        .str();
  return keepsParts(facts.problem, "splits", knobs.splits, knobs.tile[2]);
}

/// A consumer that fetches rows multiplies their low part first, and adds the
/// three products of a block in one sum. Those of packed rows have three sums.
static Broken addsLowRowsFirst(const WarpSpecialized &knobs,
                               const KnownFacts &facts) {
  if (!facts.problem || !partsOfK(*facts.problem) ||
      passesOf(*facts.problem) == 1 ||
      (!knobs.transposes && knobs.splitsRows(*facts.problem)))
    return std::nullopt;
  return formatv("expected rows of A that consumers fetch for products of "
                 "tf32x3 where numbers are {0}, but got side = {1} with other "
                 "rows; use side = a, pack = b",
                 facts.problem->numbers.str(), knobs.transposes ? "b" : "a")
      .str();
}

static Broken chunk(const WarpSpecialized &knobs, const KnownFacts &) {
  constexpr int64_t kMin = 16, kMax = 128;
  if (llvm::isPowerOf2_64(knobs.chunk) && knobs.chunk >= kMin &&
      knobs.chunk <= kMax)
    return std::nullopt;
  return formatv("expected chunk to be 16, 32, 64 or 128, but got {0}; use 64",
                 knobs.chunk)
      .str();
}

/// One barrier for each slot of chunks, where a residual is loaded into them.
static Broken staged(const WarpSpecialized &given, const KnownFacts &facts) {
  constexpr int64_t kMax = 64;
  WarpSpecialized knobs = given.turned();
  int64_t bytes = facts.problem ? sizeOf(facts.problem->c) : 2;
  int64_t slots =
      knobs.stagesAll ? knobs.groups() * knobs.chunkSlots(bytes) : 1;
  if (slots <= kMax)
    return std::nullopt;
  return formatv("expected at most {0} chunks in shared memory, but got {1}; "
                 "use staged = few, or larger chunks",
                 kMax, slots)
      .str();
}

/// Joined stores need at least two chunks.
static Broken joined(const WarpSpecialized &knobs, const KnownFacts &facts) {
  if (!facts.problem || knobs.stores == 1)
    return std::nullopt;
  if (knobs.turned().chunkSlots(sizeOf(facts.problem->c)) > 1)
    return std::nullopt;
  return "expected slots for two chunks of a consumer's tile or more where "
         "stores are joined, but got one; use a larger tile or smaller chunks, "
         "or leave stores(joined) out";
}

/// Without such a matrix these decisions hardly change a kernel, and a search
/// would try each kernel four times.
static Broken residual(const WarpSpecialized &knobs, const KnownFacts &facts) {
  if (!facts.problem || (!knobs.threadsRead && !knobs.stagesAll))
    return std::nullopt;
  const Problem &problem = *facts.problem;
  if (problem.init == Init::read || problem.isAbbreviated() ||
      llvm::StringRef(problem.epilogue).contains("mn:"))
    return std::nullopt;
  return formatv("expected a matrix that is added to the sums, but got none; "
                 "use {0}",
                 knobs.threadsRead ? "residual = engine" : "staged = few")
      .str();
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

static Broken splitIsSingle(const WarpSpecialized &knobs, const KnownFacts &) {
  if (knobs.splits == 1 || !knobs.persistent)
    return std::nullopt;
  return formatv(
             "expected splits = {0} in blocks of one tile, because its sums "
             "meet where the next tile's operands would be, but got "
             "persistent = yes; use no",
             knobs.splits)
      .str();
}

static Broken teamsTakeTurns(const WarpSpecialized &knobs, const KnownFacts &) {
  if (knobs.teams == 1 || (knobs.persistent && !knobs.streams))
    return std::nullopt;
  return formatv("expected two teams in persistent blocks that have whole "
                 "tiles, but got persistent = {0}, streams = {1}; use teams = "
                 "1",
                 knobs.persistent ? "yes" : "no", knobs.streams ? "yes" : "no")
      .str();
}

static Broken clusterFits(const WarpSpecialized &knobs, const KnownFacts &) {
  constexpr int64_t kMax = 16;
  if (knobs.clusterBlocks() <= kMax)
    return std::nullopt;
  int64_t others = knobs.cluster[0] * knobs.cluster[1];
  return formatv("expected splits to be at most {0} with cluster = {1}x{2}, "
                 "because {3} blocks at most can reach each other's memory, "
                 "but got {4}; use {0}",
                 kMax / others, knobs.cluster[0], knobs.cluster[1], kMax,
                 knobs.splits)
      .str();
}

/// The hardware takes 16 blocks, but parts of chips refuse more than 8.
static Broken clusterLaunches(const WarpSpecialized &knobs,
                              const KnownFacts &facts) {
  int64_t blocks = knobs.clusterBlocks();
  if (!facts.arch || blocks <= facts.arch->maxClusterBlocks())
    return std::nullopt;
  return formatv("expected clusters of at most {0} blocks on {1}, but got {2}x"
                 "{3} with splits = {4}; use cluster = 1x1 with splits of at "
                 "most {0}",
                 facts.arch->maxClusterBlocks(), facts.arch->name,
                 knobs.cluster[0], knobs.cluster[1], knobs.splits)
      .str();
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
     "rings, chunks and barriers fit the shared memory of a block: about "
     "stages * tile.k * (tile.m + tile.n) elements, and two chunks for each 64 "
     "rows of a consumer",
     lawOf<WarpSpecialized, shared>},
    {49, "group is 1 to 65535", lawOf<WarpSpecialized, group>},
    {50, "a persistent block has 1 to 3 consumers",
     lawOf<WarpSpecialized, consumers>},
    {51,
     "accumulators, sums, fetched rows and epilogue fit the registers of a "
     "persistent block's consumer: tile.m * tile.n / (128 * consumers) "
     "accumulators are at most 200, or 120 of 3 consumers; 48 fewer with an "
     "epilogue",
     lawOf<WarpSpecialized, accumulatorsFitShare>},
    {52,
     "where 3 consumers are given registers, each has at most 200 columns; "
     "where 4 are, 136",
     lawOf<WarpSpecialized, launch>},
    {58, "parts is 1 to 64", lawOf<WarpSpecialized, parts>},
    {60, "a block of one tile has 1 to 4 consumers",
     lawOf<WarpSpecialized, fewConsumers>},
    {61,
     "accumulators, sums, fetched rows and epilogue fit the registers of a "
     "one-tile block's consumer: as in a persistent block's",
     lawOf<WarpSpecialized, accumulatorsFitLaunch>},
    {62, "splits is 1 to 16", lawOf<WarpSpecialized, splits>},
    {66,
     "where sums meet in shared memory, a consumer finishes whole lines, 2 * n "
     "elements a thread: tile.m is a multiple of splits * consumers, tile.m * "
     "tile.n of 256 * splits * consumers",
     lawOf<WarpSpecialized, share>},
    {67, "tile.m and tile.n are multiples of 16 where sums of a tile meet",
     lawOf<WarpSpecialized, sumsArePieces>},
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
    {78, "chunk is 16, 32, 64 or 128", lawOf<WarpSpecialized, chunk>},
    {79, "at most 64 chunks are staged at once",
     lawOf<WarpSpecialized, staged>},
    {80, "staged and residual are for a matrix that is added to the sums",
     lawOf<WarpSpecialized, residual>},
    {81, "stages is above the groups of products in flight",
     lawOf<WarpSpecialized, slotsInFlight>},
    {82, "skew is less than stages", lawOf<WarpSpecialized, skewed>},
    {83, "a whole kernel has no other rewrites", wholeStandsAlone},
    {89,
     "stores(joined) is for two chunks of a consumer's tile or more, with "
     "slots of their own",
     lawOf<WarpSpecialized, joined>},
    {94,
     "a cluster, with the blocks that share K, has at most as many blocks as "
     "the arch launches",
     lawOf<WarpSpecialized, clusterLaunches>},
    {95,
     "with invariant numbers splits is the parts of K, several need tile.k of "
     "128 bytes, streams is no",
     lawOf<WarpSpecialized, addsInParts>},
    {96,
     "with invariant numbers products of tf32x3 have side a, with rows that "
     "are fetched",
     lawOf<WarpSpecialized, addsLowRowsFirst>},
};

llvm::ArrayRef<Law> detail::wsLaws() {
  static const std::vector<Law> all = [] {
    std::vector<Law> laws(std::begin(kLaws), std::end(kLaws));
    llvm::append_range(laws, wsTileLaws());
    llvm::append_range(laws, wsOperandLaws());
    llvm::sort(laws, [](const Law &one, const Law &other) {
      return one.number < other.number;
    });
    return laws;
  }();
  return all;
}
