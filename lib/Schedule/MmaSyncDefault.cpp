//===- MmaSyncDefault.cpp - The default schedule of mma_sync --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile that fills the processors, and on chips with clusters what small
// matmuls gain from sharing tiles. The thresholds are measured
// (docs/MmaSync.md).
//
//===----------------------------------------------------------------------===//

#include "MmaSyncParts.h"
#include "hone/Schedule/ExactF32.h"
#include "hone/Schedule/MmaSync.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;

/// Side of the piece of C that two m16n8 instructions make.
static constexpr int64_t kPiece = 16;

/// Smallest power of two from 16 to 128 that covers `extent`.
static int64_t coveringTile(int64_t extent) {
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(extent), kPiece, 128);
}

/// Large tiles reuse more of what they load, small ones fill more processors:
/// halve the longer side until every processor has a tile, or the tile is so
/// small that a warp would have less than one piece.
static void fillProcessors(int64_t m, int64_t n, int64_t batch,
                           int64_t processors, MmaSync &knobs) {
  constexpr int64_t kSmallest = 32;
  constexpr double kNearly = 0.9; // 128 tiles are enough for 132 processors
  int64_t &rows = knobs.tile[0], &columns = knobs.tile[1];
  auto tiles = [&] {
    return double(llvm::divideCeil(uint64_t(m), uint64_t(rows))) *
           double(llvm::divideCeil(uint64_t(n), uint64_t(columns))) * batch;
  };
  while (tiles() < kNearly * processors && std::max(rows, columns) > kSmallest)
    (rows >= columns ? rows : columns) /= 2;
}

/// A warp for every 64x32 elements, but four where the tile has pieces for
/// four, as near to square as it is. More accumulators than 64 a thread leave
/// an epilogue too few registers; so do more than 32 what is on its way through
/// them.
static std::array<int64_t, 2> chooseWarps(int64_t rows, int64_t columns,
                                          bool passesRegisters) {
  if (rows * columns >= (passesRegisters ? 64 * 128 : 128 * 128))
    return {2, 4};
  int64_t alongM = std::min<int64_t>(rows / kPiece, 2);
  int64_t alongN = std::min<int64_t>(columns / kPiece, 4 / alongM);
  return {std::min<int64_t>(rows / kPiece, 4 / alongN), alongN};
}

static double tilesOf(const Problem &problem, const MmaSync &knobs) {
  double batch = problem.batch.value_or(1);
  return double(
             llvm::divideCeil(uint64_t(problem.m), uint64_t(knobs.tile[0]))) *
         double(
             llvm::divideCeil(uint64_t(problem.n), uint64_t(knobs.tile[1]))) *
         batch;
}

/// Where a tile's steps follow each other on one processor and others have
/// nothing to do, they share it: blocks of a cluster where there are several
/// processors for each tile, groups of warps else. With 8 * tile.k or more,
/// that is faster than what it costs (docs/MmaSync.md).
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

/// What a chip with clusters can do beyond the plain default, where that is
/// legal.
static MmaSync refine(const Problem &problem, const Arch &arch,
                      const MmaSync &plain) {
  bool known = problem.m != kDynamic && problem.n != kDynamic &&
               problem.k != kDynamic && problem.batch.value_or(1) != kDynamic;
  if (arch.capability < 90 || !known)
    return plain;
  MmaSync knobs = plain;
  // No more slots than steps, and one that is being filled.
  int64_t steps =
      llvm::divideCeil(uint64_t(problem.k), uint64_t(knobs.tile[2]));
  knobs.stages = std::clamp<int64_t>(steps + 1, 2, knobs.stages);
  // Whole lines go to memory at once, which pays where C is most of the work.
  constexpr double kLargeResult = 1 << 20;
  double bytes = double(problem.m) * double(problem.n) *
                 double(problem.batch.value_or(1)) * sizeOf(problem.c);
  if (bytes >= kLargeResult)
    knobs.run = 8;
  MmaSync sharing = knobs;
  shareTiles(problem, arch, sharing);
  for (const MmaSync &candidate : {sharing, knobs})
    if (!check(candidate, &problem, &arch))
      return candidate;
  return plain;
}

/// Four bytes are the least that can be copied without passing registers. Lines
/// of unknown length are taken to be what most are.
static bool passesRegisters(const Problem &problem) {
  constexpr int64_t kMin = 4;
  return problem.isStatic() &&
         std::min(problem.a.align, problem.b.align) < kMin;
}

/// Every extent of the tile is a power of two, so every layout can be swizzled.
Schedule detail::mmaSyncDefault(const Problem &problem, const Arch &arch) {
  if (isExactF32(problem))
    return exactF32Default(problem, arch);
  constexpr int64_t kGuess = 4096;
  auto known = [](int64_t extent, int64_t guess) {
    return extent == kDynamic ? guess : extent;
  };
  int64_t m = known(problem.m, kGuess), n = known(problem.n, kGuess);
  MmaSync knobs;
  // What passes registers is on its way in threads, not in slots: the smallest
  // tile then has four warps, which slices have, too.
  int64_t least = passesRegisters(problem) ? 2 * kPiece : kPiece;
  knobs.tile = {std::max(coveringTile(m), least),
                std::max(coveringTile(n), least), 32};
  fillProcessors(m, n, known(problem.batch.value_or(1), 1), arch.processors,
                 knobs);
  knobs.warps =
      chooseWarps(knobs.tile[0], knobs.tile[1], passesRegisters(problem));
  // A small tile has little work per step, so it takes longer steps. So does
  // one of lines that pass registers on their way to shared memory, which waits
  // for memory once a step.
  bool small = knobs.tile[0] * knobs.tile[1] <= 64 * 64;
  int64_t longest = small || passesRegisters(problem) ? 64 : 32;
  // Steps are as long in bytes, whatever an element has.
  longest = longest * 2 / sizeOf(problem.a.type);
  constexpr int64_t kStepBytes = 32; // of k, that a product takes
  int64_t shortest = kStepBytes / sizeOf(problem.a.type);
  knobs.tile[2] = std::max(
      std::min(coveringTile(known(problem.k, kGuess)), longest), shortest);
  int64_t slot = knobs.sharedBytes(&problem) / knobs.stages;
  knobs.stages =
      std::clamp<int64_t>(arch.sharedPerBlock / slot, 2, small ? 5 : 4);
  return refine(problem, arch, knobs);
}
