//===- ExactF32Default.cpp - Default schedule of exact f32 ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads are several times slower than tensor cores, so a step of K is long.
// The idle parts decide: processors without a block, or multipliers that wait
// for shared memory because a thread has few rows and columns. Tiles and runs
// of K are few enough to price each of them.
//
//===----------------------------------------------------------------------===//

#include "CommonLaws.h"
#include "MmaSyncParts.h"
#include "hone/Schedule/ExactF32.h"
#include "hone/Schedule/MmaSync.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <optional>

using namespace hone;
using namespace hone::detail;

/// Side of the piece of C whose elements are distributed over a warp's lanes as
/// tensor cores would leave them.
static constexpr int64_t kPiece = 16;

/// 64 rows by 32 columns a warp, as long as there are four warps: in accesses
/// to shared memory, columns cost more than rows.
static std::array<int64_t, 2> chooseWarps(int64_t rows, int64_t columns) {
  if (rows * columns >= 128 * 128)
    return {2, 4};
  int64_t alongN = std::clamp<int64_t>(columns / 32, 1, 4);
  int64_t alongM = std::min<int64_t>(rows / kPiece, 4 / alongN);
  return {alongM, std::min<int64_t>(columns / kPiece, 4 / alongM)};
}

/// Clocks of a processor for one element of K of a block: the maximum of its
/// instructions, most of which are products, and of its accesses to shared
/// memory.
static double clocksOf(const MmaSync &knobs, const Problem &problem,
                       const Arch &arch) {
  // The best share of the peak; instructions of a thread per 16 bytes that it
  // reads from shared memory, and per copy to shared memory.
  constexpr double kShare = 0.9, kOfRead = 2, kOfCopy = 8;
  double warps = double(knobs.warps[0] * knobs.warps[1]);
  double rows = double(knobs.tile[0]) / 8 / double(knobs.warps[0]);
  double columns = double(knobs.tile[1]) / 4 / double(knobs.warps[1]);
  // A lane reads four elements at a time. A warp needs two accesses for those
  // of rows and four for those of columns.
  double accesses = warps * (rows * 2 + columns * 4) / 4;
  double reads = kOfRead * (rows + columns) / 4 * 32 * warps;
  auto copies = [](int64_t extent, bool isAlongK) {
    return kOfCopy * double(extent) / (isAlongK ? 4 : 1);
  };
  double products = double(knobs.tile[0] * knobs.tile[1]);
  double instructions = products + reads +
                        copies(knobs.tile[0], problem.a.order == Order::row) +
                        copies(knobs.tile[1], problem.b.order == Order::col);
  return std::max(instructions / (double(lanesOf(arch)) * kShare), accesses);
}

/// Clocks of the busiest processor for the whole problem.
static double allClocksOf(const MmaSync &knobs, const Problem &problem,
                          const Arch &arch) {
  // From the start of a block to its first products; the synchronizations of
  // the blocks that share a tile. There are registers for two warps a
  // scheduler.
  constexpr double kFill = 1500, kReduce = 1000, kWarps = 8;
  auto tiles = [](int64_t extent, int64_t tile) {
    return double(llvm::divideCeilSigned(extent, tile));
  };
  double blocks = tiles(problem.m, knobs.tile[0]) *
                  tiles(problem.n, knobs.tile[1]) *
                  double(problem.batch.value_or(1) * knobs.splits);
  double share = std::ceil(blocks / double(arch.processors));
  double warps = double(knobs.groupThreads()) / 32;
  double rounds = std::ceil(share * warps / kWarps);
  double steps = tiles(problem.k, knobs.tile[2] * knobs.splits);
  return share * steps * double(knobs.tile[2]) *
             clocksOf(knobs, problem, arch) /
             std::min(1.0, share * warps / kWarps) +
         rounds * (kFill + (knobs.splits > 1 ? kReduce : 0));
}

/// The decisions that follow from a tile.
static MmaSync withTile(int64_t rows, int64_t columns, const Problem &problem,
                        const Arch &arch) {
  MmaSync knobs;
  bool isSmall = rows * columns <= 64 * 64;
  int64_t step = isSmall ? 32 : 16;
  if (problem.k != kDynamic)
    step = std::clamp<int64_t>(llvm::PowerOf2Ceil(problem.k), 16, step);
  knobs.tile = {rows, columns, step};
  knobs.warps = chooseWarps(rows, columns);
  knobs.stages = 4;
  int64_t slot = knobs.ringBytes(&problem) / knobs.stages;
  knobs.stages = std::clamp<int64_t>(arch.sharedPerBlock / slot, 2, 4);
  return knobs;
}

/// The problem with large values for its unknown extents.
static Problem guessed(Problem problem) {
  constexpr int64_t kGuess = 4096;
  for (int64_t *extent : {&problem.m, &problem.n, &problem.k})
    if (*extent == kDynamic)
      *extent = kGuess;
  if (problem.batch == kDynamic)
    problem.batch = 1;
  return problem;
}

/// The tile with K cut among `splits` blocks, or nothing if that cannot pay
/// off: there are enough tiles for the processors, or runs would be mostly
/// start and end.
static std::optional<MmaSync> withSplits(const MmaSync &whole, int64_t splits,
                                         const Problem &asked,
                                         const Arch &arch) {
  constexpr int64_t kMinRun = 256;
  int64_t tiles = llvm::divideCeilSigned(asked.m, whole.tile[0]) *
                  llvm::divideCeilSigned(asked.n, whole.tile[1]) *
                  asked.batch.value_or(1);
  if (splits > 1 && (tiles >= arch.processors || asked.k < splits * kMinRun))
    return std::nullopt;
  MmaSync knobs = whole;
  knobs.splits = splits;
  // No more slots than steps, plus one that is being filled.
  int64_t steps = llvm::divideCeilSigned(asked.k, knobs.tile[2] * splits);
  knobs.stages = std::clamp<int64_t>(steps + 1, 2, knobs.stages);
  return knobs;
}

Schedule detail::exactF32Default(const Problem &problem, const Arch &arch) {
  constexpr int64_t kLargest = 128;
  Problem asked = guessed(problem);
  auto largest = [=](int64_t extent) {
    return std::clamp<int64_t>(llvm::PowerOf2Ceil(extent), kPiece, kLargest);
  };
  bool mayShare = arch.capability >= 90 && problem.isStatic();
  int64_t maxSplits = mayShare && !partsOfK(problem) ? 8 : 1;
  std::optional<MmaSync> best;
  double min = 0;
  for (int64_t rows = largest(asked.m); rows >= kPiece; rows /= 2)
    for (int64_t columns = largest(asked.n); columns >= kPiece; columns /= 2)
      for (int64_t splits = 1; splits <= maxSplits; splits *= 2) {
        auto knobs = withSplits(withTile(rows, columns, problem, arch), splits,
                                asked, arch);
        if (!knobs || (best && check(*knobs, &problem, &arch)))
          continue;
        double clocks = allClocksOf(*knobs, asked, arch);
        if (!best || clocks < min) {
          min = clocks;
          best = knobs;
        }
      }
  return *best;
}
