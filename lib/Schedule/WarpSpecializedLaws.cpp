//===- WarpSpecializedLaws.cpp - The laws of ws ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most are the hardware's: the tensor cores take 64 rows and at most 256
// columns from lines of 128 bytes, and a block has so much shared memory and so
// many registers. The last ones are about combinations that no kernel has yet.
//
//===----------------------------------------------------------------------===//

#include "CommonLaws.h"
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

static Broken multiple(llvm::StringRef what, int64_t value, int64_t unit,
                       llvm::StringRef why) {
  return multipleOf(what, value, unit, llvm::Twine(unit) + why);
}

static Broken tileK(const WarpSpecialized &knobs, const KnownFacts &) {
  constexpr int64_t kPanel = 64, kMost = 256;
  int64_t k = knobs.tile[2];
  if (k % kPanel == 0 && k <= kMost)
    return std::nullopt;
  return formatv("expected tile.k to be 64, 128, 192 or 256, but got {0}; use "
                 "{1}",
                 k, std::min<int64_t>(llvm::alignTo(k, kPanel), kMost))
      .str();
}

static Broken stages(const WarpSpecialized &knobs, const KnownFacts &) {
  return within("stages", knobs.stages, 2, 16);
}

/// The slots of products in flight are not free, and neither is the one that the
/// next products wait for.
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

/// Who wrote it has rewritten what there was to rewrite.
static Broken wholeStandsAlone(const Schedule &schedule, const KnownFacts &) {
  std::optional<std::string> name = wholeKernelOf(schedule);
  auto rewrites = schedule.rewrites();
  if (!name || rewrites.size() == 1)
    return std::nullopt;
  return formatv("expected no rewrite beside whole({0}), but got {1}({2}); "
                 "leave it out",
                 *name, rewrites.front().decision->name,
                 rewrites.front().text())
      .str();
}

/// A consumer that waits for a slot that nobody fills before it has read another
/// one waits forever.
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
// Tiles
//===----------------------------------------------------------------------===//

/// `what` must be a multiple of `unit`, and at most `most`.
static Broken multipleUpTo(llvm::StringRef what, int64_t value, int64_t unit,
                           int64_t most, llvm::StringRef why) {
  if (value % unit == 0 && value <= most)
    return std::nullopt;
  return formatv("expected {0} to be a multiple of {1} up to {2}, {3}, but got "
                 "{4}; use {5}",
                 what, unit, most, why, value,
                 std::min<int64_t>(llvm::alignTo(value, unit), most))
      .str();
}

static Broken teams(const WarpSpecialized &knobs, const KnownFacts &) {
  if (knobs.teams > 2)
    return formatv("expected teams to be 1 or 2, but got {0}; use 2",
                   knobs.teams)
        .str();
  if (knobs.teams == 1 || knobs.consumers[0] * knobs.consumers[1] == 1)
    return std::nullopt;
  return formatv("expected one consumer in each of two teams, but got {0}x{1}; "
                 "use consumers = 1x1",
                 knobs.consumers[0], knobs.consumers[1])
      .str();
}

static Broken tileM(const WarpSpecialized &knobs, const KnownFacts &) {
  if (knobs.transposes)
    return std::nullopt;
  return multiple("tile.m", knobs.tile[0], 64 * knobs.consumers[0],
                  ", 64 rows for each consumer");
}

static Broken tileN(const WarpSpecialized &knobs, const KnownFacts &) {
  if (knobs.transposes)
    return std::nullopt;
  if (Broken broken = multiple("tile.n", knobs.tile[1], 8 * knobs.consumers[1],
                               ", 8 columns for each consumer"))
    return broken;
  if (knobs.groupCols() <= 256)
    return std::nullopt;
  return formatv("expected at most 256 columns for each consumer, but got {0}; "
                 "use tile.n = {1}",
                 knobs.groupCols(), 256 * knobs.consumers[1])
      .str();
}

static Broken cluster(const WarpSpecialized &knobs, const KnownFacts &) {
  constexpr int64_t kMost = 16;
  if (knobs.cluster[0] * knobs.cluster[1] <= kMost)
    return std::nullopt;
  return formatv(
             "expected a cluster of at most {0} blocks, which is as many as "
             "can reach each other's memory, but got {1}x{2}; use 2x1",
             kMost, knobs.cluster[0], knobs.cluster[1])
      .str();
}

static Broken tall(const WarpSpecialized &knobs, const KnownFacts &) {
  return knobs.transposes ? std::nullopt : atMost("tile.m", knobs.tile[0], 512);
}

static Broken rowOfB(const WarpSpecialized &knobs, const KnownFacts &facts) {
  if (knobs.transposes || !facts.problem ||
      facts.problem->b.order == Order::col)
    return std::nullopt;
  return multiple("tile.n", knobs.tile[1], 64 * knobs.consumers[1],
                  " where b is row, 64 columns for each consumer");
}

/// Blocks along M share B, those along N share A, and each loads as many lines:
/// one map has boxes of one size. Where nobody knows what numbers the lines, it
/// may be k.
static Broken multicast(const WarpSpecialized &knobs, const KnownFacts &facts) {
  auto share = [&](const char *name, int64_t extent, int64_t unit,
                   std::optional<bool> alongK, int64_t blocks) -> Broken {
    int64_t k = knobs.tile[2];
    if ((alongK != false && extent % blocks == 0) ||
        (alongK != true && k % blocks == 0))
      return std::nullopt;
    if (alongK == false)
      name = "tile.k", extent = k, unit = 64;
    return multiple(
        name, extent, std::lcm(unit, blocks),
        llvm::formatv(", as many lines for each of {0} blocks", blocks).str());
  };
  std::optional<bool> rowsA, colsB;
  if (facts.problem) {
    rowsA = facts.problem->a.order == Order::row;
    colsB = facts.problem->b.order == Order::col;
  }
  if (Broken broken =
          share("tile.n", knobs.tile[1], 8, colsB, knobs.cluster[0]))
    return broken;
  return share("tile.m", knobs.tile[0], 64, rowsA, knobs.cluster[1]);
}

static Broken columnsAreBands(const WarpSpecialized &knobs,
                              const KnownFacts &) {
  if (!knobs.transposes)
    return std::nullopt;
  return multipleUpTo("tile.n", knobs.tile[1], 64 * knobs.consumers[1], 512,
                      "64 columns for each consumer");
}

static Broken rowsArePieces(const WarpSpecialized &knobs, const KnownFacts &) {
  if (!knobs.transposes)
    return std::nullopt;
  int64_t along = knobs.consumers[0];
  return multipleUpTo("tile.m", knobs.tile[0], 8 * along, 256 * along,
                      "8 rows for each consumer");
}

static Broken rowsArePanels(const WarpSpecialized &knobs,
                            const KnownFacts &facts) {
  if (!knobs.transposes || !facts.problem ||
      facts.problem->a.order == Order::row)
    return std::nullopt;
  int64_t along = knobs.consumers[0];
  return multipleUpTo("tile.m", knobs.tile[0], 64 * along, 256 * along,
                      "64 rows for each consumer where a is col");
}

//===----------------------------------------------------------------------===//
// What a processor has
//===----------------------------------------------------------------------===//

static Broken shared(const WarpSpecialized &given, const KnownFacts &facts) {
  if (!facts.arch)
    return std::nullopt;
  WarpSpecialized knobs = given.turned();
  int64_t resultBytes = facts.problem ? sizeOf(facts.problem->c) : 2;
  int64_t limit = facts.arch->sharedPerBlock;
  int64_t bytes = knobs.sharedBytes(resultBytes);
  if (bytes <= limit)
    return std::nullopt;
  int64_t slot = knobs.ringBytes() / knobs.stages + 16;
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

static Broken accumulatorsFit(const WarpSpecialized &knobs,
                              const KnownFacts &facts) {
  constexpr int64_t kEpilogue = 48;
  bool hasEpilogue = facts.problem && !facts.problem->epilogue.empty();
  int64_t most = knobs.consumerRegisters() - kConsumerAddresses -
                 (hasEpilogue ? kEpilogue : 0);
  if (knobs.accumulators() <= most)
    return std::nullopt;
  return formatv("expected at most {0} accumulators for a thread of {1} "
                 "consumers, but got {2}; use a smaller tile",
                 most, knobs.groups(), knobs.accumulators())
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

/// Before it asks for more, a thread has what the launch gave it, and one
/// product names all of its accumulators.
static Broken launch(const WarpSpecialized &given, const KnownFacts &) {
  constexpr int64_t kMost = 200;
  WarpSpecialized knobs = given.turned();
  if (!knobs.givesRegisters() || knobs.groups() < 3 ||
      knobs.groupCols() <= kMost)
    return std::nullopt;
  return formatv("expected at most {0} columns for each of 3 consumers, whose "
                 "block is launched with {1} registers a thread, but got {2}; "
                 "use fewer",
                 kMost, launchRegisters(knobs.threads()), knobs.groupCols())
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
  constexpr int64_t kMost = 64;
  if (knobs.parts <= kMost)
    return std::nullopt;
  return formatv("expected parts to be 1 to {0}, but got {1}; use {0}", kMost,
                 knobs.parts)
      .str();
}

static Broken splits(const WarpSpecialized &knobs, const KnownFacts &) {
  return within("splits", knobs.splits, 1, 16);
}

/// A consumer finishes whole lines, at least two neighbours a thread.
static Broken share(const WarpSpecialized &knobs, const KnownFacts &) {
  if (!knobs.meets())
    return std::nullopt;
  int64_t sharing = knobs.splits * knobs.groups();
  if (Broken broken = multiple("tile.m", knobs.tile[0], sharing,
                               ", a line for each consumer of the cluster"))
    return broken;
  constexpr int64_t kLeast = 2 * 128;
  int64_t sums = knobs.tile[0] * knobs.tile[1] / sharing;
  if (sums % kLeast == 0)
    return std::nullopt;
  return formatv("expected the share of each of the cluster's {0} consumers to "
                 "be a multiple of {1} elements, but got {2}; use fewer splits",
                 sharing, kLeast, sums)
      .str();
}

/// Sums on their way through memory lie in pieces of 16 columns.
static Broken sumsArePieces(const WarpSpecialized &knobs, const KnownFacts &) {
  if (!knobs.meets() && !knobs.streams)
    return std::nullopt;
  constexpr int64_t kPiece = 16;
  constexpr const char *kWhy = " where sums of a tile meet";
  if (Broken broken = multiple("tile.m", knobs.tile[0], kPiece, kWhy))
    return broken;
  return multiple("tile.n", knobs.tile[1], kPiece, kWhy);
}

static Broken chunk(const WarpSpecialized &knobs, const KnownFacts &) {
  constexpr int64_t kLeast = 16, kMost = 128;
  if (llvm::isPowerOf2_64(knobs.chunk) && knobs.chunk >= kLeast &&
      knobs.chunk <= kMost)
    return std::nullopt;
  return formatv("expected chunk to be 16, 32, 64 or 128, but got {0}; use 64",
                 knobs.chunk)
      .str();
}

/// One barrier for each slot of chunks, where a residual comes to them.
static Broken staged(const WarpSpecialized &given, const KnownFacts &facts) {
  constexpr int64_t kMost = 64;
  WarpSpecialized knobs = given.turned();
  int64_t bytes = facts.problem ? sizeOf(facts.problem->c) : 2;
  int64_t slots =
      knobs.stagesAll ? knobs.groups() * knobs.chunkSlots(bytes) : 1;
  if (slots <= kMost)
    return std::nullopt;
  return formatv("expected at most {0} chunks in shared memory, but got {1}; "
                 "use staged = few, or larger chunks",
                 kMost, slots)
      .str();
}

/// Elsewhere they decide next to nothing, and a search would try each kernel
/// four times.
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
// What no kernel combines yet
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
  constexpr int64_t kMost = 16;
  if (knobs.clusterBlocks() <= kMost)
    return std::nullopt;
  int64_t others = knobs.cluster[0] * knobs.cluster[1];
  return formatv(
             "expected splits to be at most {0} beside cluster = {1}x{2}, "
             "because {3} blocks at most can reach each other's memory, but "
             "got {4}; use {0}",
             kMost / others, knobs.cluster[0], knobs.cluster[1], kMost,
             knobs.splits)
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
    {37, "teams is 1 or 2, and two have one consumer each",
     lawOf<WarpSpecialized, teams>},
    {40, "tile.m is a multiple of 64 * consumers.m where side is a",
     lawOf<WarpSpecialized, tileM>},
    {41,
     "tile.n is a multiple of 8 * consumers.n and at most 256 each where side "
     "is a",
     lawOf<WarpSpecialized, tileN>},
    {42, "tile.k is 64, 128, 192 or 256", lawOf<WarpSpecialized, tileK>},
    {43, "stages is 2 to 16", lawOf<WarpSpecialized, stages>},
    {44, "cluster has at most 16 blocks", lawOf<WarpSpecialized, cluster>},
    {45, "tile.m is at most 512 where side is a", lawOf<WarpSpecialized, tall>},
    {46,
     "tile.n is a multiple of 64 * consumers.n where side is a and b is row",
     lawOf<WarpSpecialized, rowOfB>},
    {47, "the blocks of a cluster load equally many lines of what they share",
     lawOf<WarpSpecialized, multicast>},
    {48, "rings, chunks and barriers fit the shared memory of a block",
     lawOf<WarpSpecialized, shared>},
    {49, "group is 1 to 65535", lawOf<WarpSpecialized, group>},
    {50, "a persistent block has 1 to 3 consumers",
     lawOf<WarpSpecialized, consumers>},
    {51,
     "the accumulators fit the registers of a persistent block's consumer, "
     "beside the epilogue",
     lawOf<WarpSpecialized, accumulatorsFitShare>},
    {52,
     "where 3 consumers or more are given registers, each has at most 200 "
     "columns",
     lawOf<WarpSpecialized, launch>},
    {58, "parts is 1 to 64", lawOf<WarpSpecialized, parts>},
    {60, "a block of one tile has 1 to 4 consumers",
     lawOf<WarpSpecialized, fewConsumers>},
    {61,
     "the accumulators fit the registers of the consumer of a block of one "
     "tile, beside the epilogue",
     lawOf<WarpSpecialized, accumulatorsFitLaunch>},
    {62, "splits is 1 to 16", lawOf<WarpSpecialized, splits>},
    {66,
     "where sums meet in shared memory, a consumer finishes whole lines of the "
     "tile, two elements a thread or a multiple",
     lawOf<WarpSpecialized, share>},
    {67, "tile.m and tile.n are multiples of 16 where sums of a tile meet",
     lawOf<WarpSpecialized, sumsArePieces>},
    {70, "tile.n is a multiple of 64 * consumers.n up to 512 where side is b",
     lawOf<WarpSpecialized, columnsAreBands>},
    {71,
     "tile.m is a multiple of 8 * consumers.m up to 256 each where side is b",
     lawOf<WarpSpecialized, rowsArePieces>},
    {72,
     "tile.m is a multiple of 64 * consumers.m where side is b and a is col",
     lawOf<WarpSpecialized, rowsArePanels>},
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
    {83, "a whole kernel has no rewrites beside it", wholeStandsAlone},
};

llvm::ArrayRef<Law> detail::wsLaws() { return kLaws; }
