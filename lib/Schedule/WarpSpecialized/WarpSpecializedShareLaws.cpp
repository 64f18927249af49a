//===- WarpSpecializedShareLaws.cpp - Laws of ws on shared K --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The legal divisions of K between blocks and groups, and the sums that meet.
//
//===----------------------------------------------------------------------===//

#include "../CommonLaws.h"
#include "WarpSpecializedParts.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;

static Broken parts(const WarpSpecialized &knobs, const KnownFacts &facts) {
  constexpr int64_t kMax = 64;
  if (knobs.parts <= kMax)
    return std::nullopt;
  return refuse(facts, "expected parts to be 1 to {0}, but got {1}; use {0}",
                kMax, knobs.parts);
}

static Broken splits(const WarpSpecialized &knobs, const KnownFacts &facts) {
  return within(facts, "splits", knobs.splits, 1, 16);
}

/// A consumer finishes whole lines, at least two adjacent elements a thread.
static Broken share(const WarpSpecialized &knobs, const KnownFacts &facts) {
  if (!knobs.meets())
    return std::nullopt;
  int64_t sharing = knobs.splits * knobs.groups();
  if (Broken broken =
          multipleBecause(facts, "tile.m", knobs.tile[0], sharing,
                          ", a line for each consumer of the cluster"))
    return broken;
  constexpr int64_t kMin = 2 * 128;
  int64_t sums = knobs.tile[0] * knobs.tile[1] / sharing;
  if (sums % kMin == 0)
    return std::nullopt;
  return refuse(facts,
                "expected the share of each of the cluster's {0} consumers to "
                "be a multiple of {1} elements, but got {2}; use fewer splits",
                sharing, kMin, sums);
}

/// Sums that are exchanged through memory consist of pieces of 16 columns.
static Broken sumsArePieces(const WarpSpecialized &knobs,
                            const KnownFacts &facts) {
  if (!knobs.meets() && !knobs.streams)
    return std::nullopt;
  constexpr int64_t kPiece = 16;
  constexpr const char *kWhy = " where sums of a tile meet";
  if (Broken broken =
          multipleBecause(facts, "tile.m", knobs.tile[0], kPiece, kWhy))
    return broken;
  return multipleBecause(facts, "tile.n", knobs.tile[1], kPiece, kWhy);
}

/// Runs of steps end wherever the number of tiles says.
static Broken addsInParts(const WarpSpecialized &knobs,
                          const KnownFacts &facts) {
  if (knobs.streams && facts.problem && partsOfK(*facts.problem))
    return refuse(facts,
                  "expected whole tiles where numbers are {0}, but got "
                  "streams = yes; use no, or numbers = deterministic",
                  facts.problem->numbers.str());
  return keepsParts(facts, "splits", knobs.splits, knobs.tile[2]);
}

/// A consumer that fetches rows adds the three products of a block in one sum.
/// Those of packed rows have three sums.
static Broken addsPartsTogether(const WarpSpecialized &knobs,
                                const KnownFacts &facts) {
  if (!facts.problem || !partsOfK(*facts.problem) ||
      passesOf(*facts.problem) == 1 || knobs.splitsRows(*facts.problem))
    return std::nullopt;
  return refuse(facts,
                "expected rows that consumers fetch for products of tf32x3 "
                "where numbers are {0}, but got packed ones; use pack = {1}",
                facts.problem->numbers.str(), knobs.transposes ? "a" : "b");
}

static Broken chunk(const WarpSpecialized &knobs, const KnownFacts &facts) {
  constexpr int64_t kMin = 16, kMax = 128;
  if (llvm::isPowerOf2_64(knobs.chunk) && knobs.chunk >= kMin &&
      knobs.chunk <= kMax)
    return std::nullopt;
  return refuse(facts,
                "expected chunk to be 16, 32, 64 or 128, but got {0}; use 64",
                knobs.chunk);
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
  return refuse(facts,
                "expected at most {0} chunks in shared memory, but got {1}; "
                "use staged = few, or larger chunks",
                kMax, slots);
}

/// Joined stores need at least two chunks.
static Broken joined(const WarpSpecialized &knobs, const KnownFacts &facts) {
  if (!facts.problem || knobs.stores == 1)
    return std::nullopt;
  if (knobs.turned().storeSlots(facts.problem) > 1)
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
  return refuse(facts,
                "expected a matrix that is added to the sums, but got none; "
                "use {0}",
                knobs.threadsRead ? "residual = engine" : "staged = few");
}

static constexpr Law kShareLaws[] = {
    {58, "parts is 1 to 64", lawOf<WarpSpecialized, parts>},
    {62, "splits is 1 to 16", lawOf<WarpSpecialized, splits>},
    {66,
     "where sums meet, with p = splits * consumers: p divides tile.m, 256 * p "
     "tile.m * tile.n",
     lawOf<WarpSpecialized, share>},
    {67, "tile.m and tile.n are multiples of 16 where sums of a tile meet",
     lawOf<WarpSpecialized, sumsArePieces>},
    {78, "chunk is 16, 32, 64 or 128", lawOf<WarpSpecialized, chunk>},
    {79, "at most 64 chunks are staged at once",
     lawOf<WarpSpecialized, staged>},
    {80, "staged and residual are for a matrix that is added to the sums",
     lawOf<WarpSpecialized, residual>},
    {89,
     "stores(joined) is for two chunks of a consumer's tile or more, with "
     "slots of their own",
     lawOf<WarpSpecialized, joined>},
    {95,
     "with invariant numbers splits is the parts of K, several need tile.k of "
     "128 bytes, streams is no",
     lawOf<WarpSpecialized, addsInParts>},
    {96, "with invariant numbers products of tf32x3 have rows that are fetched",
     lawOf<WarpSpecialized, addsPartsTogether>},
};

llvm::ArrayRef<Law> detail::wsShareLaws() { return kShareLaws; }
