//===- ExactF32Default.cpp - The default where threads multiply -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads are slower than tensor cores by a factor, so a step of K is long and
// what matters is who is idle: processors without a block, or multipliers that
// wait for shared memory because a thread's rows and columns are few. Tiles and
// runs of K are few enough to price each of them (docs/MmaSync.md).
//
//===----------------------------------------------------------------------===//

#include "MmaSyncDefault.h"
#include "hone/Schedule/ExactF32.h"
#include "hone/Schedule/MmaSync.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace hone;
using namespace hone::detail;

/// Side of the piece of C whose elements a warp's lanes have as tensor cores would
/// leave them.
static constexpr int64_t kPiece = 16;

/// 64 rows by 32 columns a warp, as long as there are four warps: accesses to
/// shared memory cost columns more than rows.
static std::array<int64_t, 2> chooseWarps(int64_t rows, int64_t columns) {
  if (rows * columns >= 128 * 128)
    return {2, 4};
  int64_t alongN = std::clamp<int64_t>(columns / 32, 1, 4);
  int64_t alongM = std::min<int64_t>(rows / kPiece, 4 / alongN);
  return {alongM, std::min<int64_t>(columns / kPiece, 4 / alongM)};
}

/// Clocks that a processor takes for one element of K of a block: its multipliers
/// at the share that they reach, or its accesses to shared memory.
static double clocksOf(const MmaSync &knobs, const Arch &arch) {
  constexpr double kShare = 0.8;
  double warps = double(knobs.warps[0] * knobs.warps[1]);
  double rows = double(knobs.tile[0]) / 8 / double(knobs.warps[0]);
  double columns = double(knobs.tile[1]) / 4 / double(knobs.warps[1]);
  // A lane reads four elements at a time, a row's by two accesses of a warp and a
  // column's by four.
  double accesses = warps * (rows * 2 + columns * 4) / 4;
  double products = double(knobs.tile[0] * knobs.tile[1]);
  return std::max(products / (double(lanesOf(arch)) * kShare), accesses);
}

/// Clocks of the busiest processor.
static double clocksOf(const MmaSync &knobs, const Problem &problem,
                       const Arch &arch) {
  // From the start of a block to its first products, and to the sums of the
  // blocks of a cluster.
  constexpr double kFill = 2500, kReduce = 1000, kWarpsOfPeak = 8;
  auto tiles = [](int64_t extent, int64_t tile) {
    return double(llvm::divideCeilSigned(extent, tile));
  };
  double blocks = tiles(problem.m, knobs.tile[0]) *
                  tiles(problem.n, knobs.tile[1]) *
                  double(problem.batch.value_or(1) * knobs.splits);
  double share = std::ceil(blocks / double(arch.processors));
  double steps = tiles(problem.k, knobs.tile[2] * knobs.splits);
  double warps = share * double(knobs.groupThreads()) / 32;
  return share * steps * double(knobs.tile[2]) * clocksOf(knobs, arch) /
             std::min(1.0, warps / kWarpsOfPeak) +
         kFill + (knobs.splits > 1 ? kReduce : 0);
}

/// The decisions that follow from a tile.
static MmaSync withTile(int64_t rows, int64_t columns, const Problem &problem,
                        const Arch &arch) {
  constexpr int64_t kBytes = 4;
  MmaSync knobs;
  bool isSmall = rows * columns <= 64 * 64;
  int64_t step = isSmall ? 32 : 16;
  if (problem.k != kDynamic)
    step = std::clamp<int64_t>(llvm::PowerOf2Ceil(problem.k), 16, step);
  knobs.tile = {rows, columns, step};
  knobs.warps = chooseWarps(rows, columns);
  knobs.stages = 4;
  int64_t slot = knobs.ringBytes(kBytes) / knobs.stages;
  knobs.stages = std::clamp<int64_t>(arch.sharedPerBlock / slot, 2, 4);
  return knobs;
}

Schedule detail::exactF32Default(const Problem &problem, const Arch &arch) {
  constexpr int64_t kGuess = 4096, kLargest = 128, kMostSplits = 8;
  // A run of K that is shorter than this is mostly its beginning and its end.
  constexpr int64_t kLeastRun = 256;
  Problem asked = problem;
  for (int64_t *extent : {&asked.m, &asked.n, &asked.k})
    if (*extent == kDynamic)
      *extent = kGuess;
  if (asked.batch == kDynamic)
    asked.batch = 1;
  MmaSync best = withTile(kLargest, kLargest, problem, arch);
  double least = clocksOf(best, asked, arch);
  bool mayShare = arch.capability >= 90 && problem.isStatic();
  for (int64_t rows = kLargest; rows >= kPiece; rows /= 2)
    for (int64_t columns = kLargest; columns >= kPiece; columns /= 2)
      for (int64_t splits = 1; splits <= kMostSplits; splits *= 2) {
        MmaSync knobs = withTile(rows, columns, problem, arch);
        knobs.splits = splits;
        // No more slots than steps, and one that is being filled.
        int64_t steps = llvm::divideCeilSigned(asked.k, knobs.tile[2] * splits);
        knobs.stages = std::clamp<int64_t>(steps + 1, 2, knobs.stages);
        if (splits > 1 && (!mayShare || asked.k < splits * kLeastRun))
          break;
        double clocks = clocksOf(knobs, asked, arch);
        if (clocks < least && !check(knobs, &problem, &arch)) {
          least = clocks;
          best = knobs;
        }
      }
  return best;
}
