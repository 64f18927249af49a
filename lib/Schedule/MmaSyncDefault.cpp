//===- MmaSyncDefault.cpp - Default schedule of mma_sync ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile that fills the processors. On chips with clusters, blocks share tiles
// where that makes small matmuls faster. The thresholds are measured
// on an H200.
//
//===----------------------------------------------------------------------===//

#include "CommonLaws.h"
#include "MmaSyncParts.h"
#include "hone/Schedule/ExactF32.h"
#include "hone/Schedule/Geometry.h"
#include "hone/Schedule/MmaSync.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;

/// Side of the piece of C that two m16n8 instructions make.
static constexpr int64_t kMinTile = 16;

/// The smallest power of two from 16 to 128 that covers `extent`.
static int64_t coveringTile(int64_t extent) {
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(extent), kMinTile, 128);
}

/// Large tiles reuse loaded elements more often, small ones fill more
/// processors: halve the longer side until every processor has a tile, or the
/// tile is so small that a warp would have less than one piece.
static void fillProcessors(int64_t m, int64_t n, int64_t batch,
                           int64_t processors, MmaSync &knobs) {
  constexpr int64_t kSmallest = 32;
  constexpr double kNearly = 0.9; // so 128 tiles are enough for 132 processors
  int64_t &rows = knobs.tile[0], &columns = knobs.tile[1];
  auto tiles = [&] {
    return double(llvm::divideCeil(uint64_t(m), uint64_t(rows))) *
           double(llvm::divideCeil(uint64_t(n), uint64_t(columns))) * batch;
  };
  while (tiles() < kNearly * processors && std::max(rows, columns) > kSmallest)
    (rows >= columns ? rows : columns) /= 2;
}

/// One warp for every 64x32 elements, but four where the tile has pieces for
/// four, arranged as nearly square as possible. More than 64 accumulators a
/// thread leave an epilogue too few registers. Where operands pass through
/// registers, more than 32 accumulators leave them too few.
static std::array<int64_t, 2> chooseWarps(int64_t rows, int64_t columns,
                                          bool passesRegisters) {
  if (rows * columns >= (passesRegisters ? 64 * 128 : 128 * 128))
    return {2, 4};
  int64_t alongM = std::min<int64_t>(rows / kMinTile, 2);
  int64_t alongN = std::min<int64_t>(columns / kMinTile, 4 / alongM);
  return {std::min<int64_t>(rows / kMinTile, 4 / alongN), alongN};
}

static double tilesOf(const Problem &problem, const MmaSync &knobs) {
  double batch = problem.batch.value_or(1);
  return double(
             llvm::divideCeil(uint64_t(problem.m), uint64_t(knobs.tile[0]))) *
         double(
             llvm::divideCeil(uint64_t(problem.n), uint64_t(knobs.tile[1]))) *
         batch;
}

/// Where one processor runs a tile's steps in sequence and other processors are
/// idle, they share the tile: blocks of a cluster where there are several
/// processors for each tile, otherwise groups of warps. If K is 8 * tile.k or
/// more, that gains more than it costs.
static void shareTiles(const Problem &problem, const Arch &arch,
                       MmaSync &knobs) {
  int64_t steps =
      llvm::divideCeil(uint64_t(problem.k), uint64_t(knobs.tile[2]));
  double room = arch.processors / tilesOf(problem, knobs);
  bool smallest = knobs.tile[0] * knobs.tile[1] <= 32 * 32;
  if (steps < 8 || knobs.tile[0] * knobs.tile[1] > 64 * 64)
    return;
  if (room >= 8 && steps >= 32 && problem.n >= 64) {
    knobs.tile[1] = std::max<int64_t>(knobs.tile[1], 64);
    knobs.splits = knobs.stages = 8;
  } else if (room >= 4) {
    knobs.splits = 4;
    knobs.stages = 6;
  } else if (room >= 2 && steps >= 64) {
    knobs.slices = knobs.splits = 2;
    knobs.stages = 4;
  } else if (smallest && steps >= 32) {
    knobs.slices = 4;
    knobs.stages = 3;
  } else {
    knobs.slices = 2;
    knobs.stages = knobs.tile[0] * knobs.tile[1] == 32 * 64 ? 6 : 4;
  }
}

/// Uses the features of chips with clusters if that is legal.
static MmaSync refine(const Problem &problem, const Arch &arch,
                      const MmaSync &plain) {
  bool known = problem.m != kDynamic && problem.n != kDynamic &&
               problem.k != kDynamic && problem.batch.value_or(1) != kDynamic;
  if (arch.capability < 90 || !known)
    return plain;
  MmaSync knobs = plain;
  // No more slots than steps, plus one that is being filled.
  int64_t steps =
      llvm::divideCeil(uint64_t(problem.k), uint64_t(knobs.tile[2]));
  knobs.stages = std::clamp<int64_t>(steps + 1, 2, knobs.stages);
  // Storing whole lines at once pays off if C is most of the work.
  constexpr double kLargeResult = 1 << 20;
  double bytes = double(problem.m) * double(problem.n) *
                 double(problem.batch.value_or(1)) * sizeOf(problem.c);
  if (bytes >= kLargeResult)
    knobs.run = 8;
  MmaSync sharing = knobs;
  if (!partsOfK(problem))
    shareTiles(problem, arch, sharing);
  for (const MmaSync &candidate : {sharing, knobs})
    if (!check(candidate, &problem, &arch))
      return candidate;
  return plain;
}

/// A copy that bypasses registers has at least four bytes. Lines of unknown
/// length are assumed to be aligned, as most are.
static bool passesRegisters(const Problem &problem) {
  constexpr int64_t kMin = 4;
  return problem.isStatic() &&
         std::min(problem.a.align, problem.b.align) < kMin;
}

/// A schedule for invariant numbers, which state the parts of K. A part is for
/// a block of a cluster or, on chips without clusters, for a group of a block's
/// warps. All extents of the tile are powers of two, so every layout can be
/// swizzled.
static MmaSync withParts(int64_t parts, const Problem &problem,
                         const Arch &arch) {
  constexpr int64_t kMax = 4, kLarge = 64, kSmall = 32;
  bool hasClusters = arch.maxClusterBlocks() > 1;
  MmaSync knobs;
  knobs.warps = {2, 2};
  knobs.splits = hasClusters ? parts : 1;
  knobs.slices = hasClusters ? 1 : parts;
  for (int64_t side : {kLarge, kSmall}) {
    knobs.tile = {side, side, unitOfParts(problem)};
    knobs.stages = kMax;
    int64_t slot = knobs.sharedBytes(&problem) / knobs.stages;
    knobs.stages = std::clamp<int64_t>(arch.sharedPerBlock / slot, 2, kMax);
    if (!check(knobs, &problem, &arch))
      break;
  }
  return knobs;
}

Schedule detail::mmaSyncDefault(const Problem &given, const Arch &arch) {
  Problem problem = withEqualGroups(given);
  if (int64_t parts = partsOfK(problem).value_or(1); parts > 1)
    return withParts(parts, problem, arch);
  if (isExactF32(problem))
    return exactF32Default(problem, arch);
  constexpr int64_t kGuess = 4096;
  auto known = [](int64_t extent, int64_t guess) {
    return extent == kDynamic ? guess : extent;
  };
  int64_t m = known(problem.m, kGuess), n = known(problem.n, kGuess);
  MmaSync knobs;
  // The loads of operands that pass through registers are in flight in threads,
  // not in slots, so the smallest tile has four warps. Slices have four, too.
  int64_t min = passesRegisters(problem) ? 2 * kMinTile : kMinTile;
  knobs.tile = {std::max(coveringTile(m), min), std::max(coveringTile(n), min),
                32};
  fillProcessors(m, n, known(problem.batch.value_or(1), 1), arch.processors,
                 knobs);
  knobs.warps =
      chooseWarps(knobs.tile[0], knobs.tile[1], passesRegisters(problem));
  // A small tile has little work per step, so it takes longer steps. So does a
  // tile whose lines pass through registers, since it waits for memory once a
  // step.
  bool small = knobs.tile[0] * knobs.tile[1] <= 64 * 64;
  int64_t longest = small || passesRegisters(problem) ? 64 : 32;
  // A step has the same length in bytes for all element types.
  longest = longest * 2 / sizeOf(problem.a.type);
  constexpr int64_t kStepBytes = 32; // of k, per product
  int64_t shortest = kStepBytes / sizeOf(problem.a.type);
  knobs.tile[2] = std::max(
      std::min(coveringTile(known(problem.k, kGuess)), longest), shortest);
  int64_t slot = knobs.sharedBytes(&problem) / knobs.stages;
  knobs.stages =
      std::clamp<int64_t>(arch.sharedPerBlock / slot, 2, small ? 5 : 4);
  return refine(problem, arch, knobs);
}
