//===- MmaSyncLaws.cpp - Laws of mma_sync ---------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The laws follow from the distribution of a tile over warps and lanes, and
// from a processor's registers, threads and shared memory. None of them is
// about speed.
//
//===----------------------------------------------------------------------===//

#include "CommonLaws.h"
#include "MmaSyncParts.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

/// Side of the piece of C that two m16n8 instructions make.
static constexpr int64_t kPairSide = 16;

static Broken divides(const KnownFacts &facts, llvm::StringRef side,
                      int64_t extent, int64_t warps) {
  int64_t unit = kPairSide * warps;
  return multipleOf(facts, ("tile." + side).str(), extent, unit,
                    "16 * warps." + side + " = " + llvm::Twine(unit));
}

static Broken warpsDivideM(const MmaSync &knobs, const KnownFacts &facts) {
  return divides(facts, "m", knobs.tile[0], knobs.warps[0]);
}

static Broken warpsDivideN(const MmaSync &knobs, const KnownFacts &facts) {
  return divides(facts, "n", knobs.tile[1], knobs.warps[1]);
}

/// A product takes 32 bytes along k.
static Broken stepOfK(const MmaSync &knobs, const KnownFacts &facts) {
  constexpr int64_t kMax = 128;
  bool areBytes = bytesOfA(facts.problem) == 1;
  int64_t k = knobs.tile[2], min = areBytes ? 32 : 16;
  if (k >= min && k <= kMax && llvm::isPowerOf2_64(k))
    return std::nullopt;
  int64_t nearest =
      std::clamp<int64_t>(llvm::bit_floor(uint64_t(k)), min, kMax);
  return refuse(facts,
                "expected tile.k to be {0}32, 64 or 128{1}, but got {2}; use "
                "{3}",
                areBytes ? "" : "16, ", areBytes ? " for 8 bits" : "", k,
                nearest);
}

static Broken warpsOfBlock(const MmaSync &knobs, const KnownFacts &facts) {
  int64_t count = knobs.threads() / 32;
  if (count <= 16)
    return std::nullopt;
  if (knobs.slices > 1)
    return refuse(facts,
                  "expected a block of at most 16 warps, but got {0}x{1} in "
                  "{2} slices = {3}; use slices = 1",
                  knobs.warps[0], knobs.warps[1], knobs.slices, count);
  return refuse(facts,
                "expected a block of at most 16 warps, but got {0}x{1} = {2}; "
                "use 2x2",
                knobs.warps[0], knobs.warps[1], count);
}

static Broken slotsOfRing(const MmaSync &knobs, const KnownFacts &facts) {
  return within(facts, "stages", knobs.stages, 2, 12);
}

static Broken accumulatorsFit(const MmaSync &knobs, const KnownFacts &facts) {
  if (knobs.accumulators() <= 128)
    return std::nullopt;
  return refuse(facts,
                "expected at most 128 accumulators per thread, but got {0}; "
                "use more warps or a smaller tile",
                knobs.accumulators());
}

static Broken ringFits(const MmaSync &knobs, const KnownFacts &facts) {
  if (!facts.arch)
    return std::nullopt;
  int64_t bytes = knobs.ringBytes(facts.problem);
  int64_t limit = facts.arch->sharedPerBlock;
  if (bytes <= limit)
    return std::nullopt;
  int64_t max = limit / (bytes / knobs.stages);
  std::string remedy =
      max >= 2 ? formatv("stages = {0}", max).str() : "a smaller tile";
  return refuse(facts,
                "expected at most {0} bytes of shared memory on {1}, but got "
                "{2}; use {3}",
                limit, facts.arch->name, bytes, remedy);
}

/// A thread gets registers in units of eight, so the block's share is rounded.
static Broken registersFit(const MmaSync &knobs, const KnownFacts &facts) {
  constexpr int64_t kPerThread = 255, kPerProcessor = 65536, kGranule = 8;
  int64_t perThread = knobs.registers(facts.problem);
  if (perThread > kPerThread)
    return refuse(facts,
                  "expected at most {0} registers per thread, but got about "
                  "{1}; use more warps or a smaller tile",
                  kPerThread, perThread);
  int64_t perBlock =
      knobs.threads() * int64_t(llvm::alignTo(perThread, kGranule));
  if (perBlock <= kPerProcessor)
    return std::nullopt;
  return refuse(facts,
                "expected at most {0} registers per block, but got about {1}; "
                "use a smaller tile",
                kPerProcessor, perBlock);
}

static Broken bandFits(const MmaSync &knobs, const KnownFacts &facts) {
  return groupFits(facts, knobs.group);
}

static Broken tileFits(const MmaSync &knobs, const KnownFacts &facts) {
  if (Broken broken = atMost(facts, "tile.m", knobs.tile[0], 256))
    return broken;
  return atMost(facts, "tile.n", knobs.tile[1], 256);
}

/// The swizzle exchanges 16-byte chunks within 128 bytes of a row, or within
/// the row where it is shorter. Law 12 ensures this for rows along K.
static Broken swizzles(const KnownFacts &facts, llvm::StringRef side,
                       llvm::StringRef operand, int64_t extent, int64_t bytes) {
  int64_t whole = bytes == 1 ? 128 : 64;
  if (extent % whole == 0 || (extent < whole && llvm::isPowerOf2_64(extent)))
    return std::nullopt;
  return refuse(facts,
                "expected tile.{0} to be 16, 32{1} or a multiple of {2} where "
                "{3}{4}, but got {5}; use {6}",
                side, bytes == 1 ? ", 64" : "", whole, operand,
                bytes == 1 ? " and has 8 bits" : "", extent,
                llvm::alignTo(extent, whole));
}

static Broken rowOfA(const MmaSync &knobs, const KnownFacts &facts) {
  if (!facts.problem || facts.problem->a.order == Order::row)
    return std::nullopt;
  return swizzles(facts, "m", "a is col", knobs.tile[0],
                  bytesOfA(facts.problem));
}

static Broken rowOfB(const MmaSync &knobs, const KnownFacts &facts) {
  if (!facts.problem || facts.problem->b.order == Order::col)
    return std::nullopt;
  return swizzles(facts, "n", "b is row", knobs.tile[1],
                  bytesOfB(facts.problem));
}

static Broken splitsOfTile(const MmaSync &knobs, const KnownFacts &facts) {
  constexpr int64_t kMax = 16;
  if (llvm::isPowerOf2_64(knobs.splits) && knobs.splits <= kMax)
    return std::nullopt;
  return refuse(
      facts, "expected splits to be 1, 2, 4, 8 or 16, but got {0}; use {1}",
      knobs.splits,
      std::min<int64_t>(llvm::bit_floor(uint64_t(knobs.splits)), kMax));
}

static Broken clustersLaunch(const MmaSync &knobs, const KnownFacts &facts) {
  if (!facts.arch || knobs.splits <= facts.arch->maxClusterBlocks())
    return std::nullopt;
  if (facts.arch->maxClusterBlocks() > 1)
    return atMost(facts, "splits", knobs.splits,
                  facts.arch->maxClusterBlocks());
  return refuse(facts,
                "expected an arch with clusters (9.0 or newer) for splits = "
                "{0}, but got '{1}'; use splits = 1",
                knobs.splits, facts.arch->name);
}

/// Each thread finishes a whole number of adjacent elements of the block's
/// lines.
static Broken runsLeavePairs(const MmaSync &knobs, const KnownFacts &facts) {
  int64_t unit = 2 * knobs.runs();
  if (knobs.runs() == 1 || knobs.accumulators() % unit == 0)
    return std::nullopt;
  return refuse(facts,
                "expected the accumulators of a thread to be a multiple of 2 "
                "* slices * splits = {0}, but got {1}; use fewer splits",
                unit, knobs.accumulators());
}

static Broken sumsFit(const MmaSync &knobs, const KnownFacts &facts) {
  if (!knobs.meets() || !facts.arch ||
      knobs.partialBytes() <= facts.arch->sharedPerBlock)
    return std::nullopt;
  return refuse(facts,
                "expected at most {0} bytes of shared memory on {1} for the "
                "sums of a tile, but got {2}; use a smaller tile",
                facts.arch->sharedPerBlock, facts.arch->name,
                knobs.partialBytes());
}

/// Groups of four warps have barriers of their own.
static Broken slicesAreGroups(const MmaSync &knobs, const KnownFacts &facts) {
  bool count = knobs.slices == 1 || knobs.slices == 2 || knobs.slices == 4;
  if (count && (knobs.slices == 1 || knobs.warps[0] * knobs.warps[1] == 4))
    return std::nullopt;
  if (!count)
    return refuse(facts, "expected slices to be 1, 2 or 4, but got {0}; use 4",
                  knobs.slices);
  return refuse(facts,
                "expected four warps in each of {0} slices, but got {1}x{2}; "
                "use warps = 2x2",
                knobs.slices, knobs.warps[0], knobs.warps[1]);
}

static Broken runOfStores(const MmaSync &knobs, const KnownFacts &facts) {
  if (knobs.run == 2 || knobs.run == 8)
    return std::nullopt;
  return refuse(facts, "expected run to be 2 or 8, but got {0}; use 8",
                knobs.run);
}

static Broken addsInParts(const MmaSync &knobs, const KnownFacts &facts) {
  return keepsParts(facts, "slices * splits", knobs.runs(), knobs.tile[2]);
}

/// mma.sync and wgmma add the three products of parts of f32 in other orders.
static Broken addsLikeGroups(const MmaSync &, const KnownFacts &facts) {
  if (!facts.problem || !facts.arch || !partsOfK(*facts.problem) ||
      facts.problem->products != Products::tf32x3 ||
      facts.arch->isa != "sm_90a")
    return std::nullopt;
  return refuse(facts,
                "expected ws for products of tf32x3 where numbers are {0} on "
                "an arch with wgmma, but got mma_sync on '{1}'; use ws",
                facts.problem->numbers.str(), facts.arch->name);
}

/// Chips before 8.9 have neither instruction. Chips with wgmma, of 9.0, use
/// that, which is twice as fast.
static Broken shortFloatsExist(const MmaSync &, const KnownFacts &facts) {
  constexpr int64_t kFirst = 89, kWgmma = 90;
  if (!facts.problem || !facts.arch || !isShortFloat(facts.problem->b.type))
    return std::nullopt;
  bool converts = facts.problem->convertsB();
  int64_t capability = facts.arch->capability;
  if (capability >= kFirst && (converts || capability != kWgmma))
    return std::nullopt;
  return refuse(facts,
                "expected an arch that {0} {1} (8.9{2} or newer), but got "
                "'{3}'; use {4}",
                converts ? "converts" : "multiplies",
                toString(facts.problem->b.type), converts ? "" : ", 10.0",
                facts.arch->name,
                capability == kWgmma ? "ws" : "a type of 16 bits");
}

static constexpr Law kLaws[] = {
    {10, "tile.m is a multiple of 16 * warps.m", lawOf<MmaSync, warpsDivideM>},
    {11, "tile.n is a multiple of 16 * warps.n", lawOf<MmaSync, warpsDivideN>},
    {12, "tile.k is 16, 32, 64 or 128; for 8 bits 32 at least",
     lawOf<MmaSync, stepOfK>},
    {13, "a block has at most 16 warps", lawOf<MmaSync, warpsOfBlock>},
    {14, "stages is 2 to 12", lawOf<MmaSync, slotsOfRing>},
    {15,
     "a thread has at most 128 accumulators: tile.m * tile.n / (32 * warps.m * "
     "warps.n)",
     lawOf<MmaSync, accumulatorsFit>},
    {16,
     "the rings fit a block: slices * stages * tile.k * (tile.m + tile.n) "
     "elements",
     lawOf<MmaSync, ringFits>},
    {17, "the registers fit a thread's 255 and a processor's 65536",
     lawOf<MmaSync, registersFit>},
    {18, "group is 1 to 65535", lawOf<MmaSync, bandFits>},
    {19, "tile.m and tile.n are at most 256", lawOf<MmaSync, tileFits>},
    {20,
     "where a is col, tile.m is 16, 32 or 64 * n; with 8 bits 16, 32, 64 or "
     "128 * n",
     lawOf<MmaSync, rowOfA>},
    {21,
     "where b is row, tile.n is 16, 32 or 64 * n; with 8 bits 16, 32, 64 or "
     "128 * n",
     lawOf<MmaSync, rowOfB>},
    {22, "splits is 1, 2, 4, 8 or 16", lawOf<MmaSync, splitsOfTile>},
    {23, "splits is at most the blocks of a cluster of the arch",
     lawOf<MmaSync, clustersLaunch>},
    {24,
     "with slices or splits above 1, a thread has a multiple of 2 * slices * "
     "splits accumulators",
     lawOf<MmaSync, runsLeavePairs>},
    {25, "the sums of a tile fit the shared memory of a block",
     lawOf<MmaSync, sumsFit>},
    {26, "slices is 1, 2 or 4, of four warps each where it is above 1",
     lawOf<MmaSync, slicesAreGroups>},
    {27, "run is 2 or 8", lawOf<MmaSync, runOfStores>},
    {28,
     "with invariant numbers slices * splits is the parts of K; several need "
     "tile.k of 128 bytes",
     lawOf<MmaSync, addsInParts>},
    {29,
     "with invariant numbers products of tf32x3 are for ws on an arch with "
     "wgmma",
     lawOf<MmaSync, addsLikeGroups>},
    {91,
     "8-bit floats are converted in registers from 8.9 on, and multiplied "
     "there except on 9.0",
     lawOf<MmaSync, shortFloatsExist>},
};

llvm::ArrayRef<Law> detail::mmaSyncLaws() { return kLaws; }
