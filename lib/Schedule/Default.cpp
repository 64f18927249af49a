//===- Default.cpp - The schedule where nothing better is known -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which family a problem gets without a search. On sm_90a it is the number of
// tiles that decides: whether the processors are filled, and by which tiles.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;

/// What an extent is taken for where nobody knows it.
static constexpr int64_t kGuess = 4096;

static int64_t known(int64_t extent) {
  return extent == kDynamic ? kGuess : extent;
}

/// True if an operand's lines, `width` elements long, may start where the copy
/// engine can read: nothing says that they do not.
static bool mayBeAligned(int64_t width, int64_t elementBytes, int64_t align) {
  constexpr int64_t kUnit = 16;
  return align >= kUnit || width == kDynamic ||
         width * elementBytes % kUnit == 0;
}

static bool copyEngineTakes(const Problem &problem) {
  auto lineOf = [](const Operand &operand, int64_t row, int64_t col) {
    return operand.order == Order::row ? row : col;
  };
  const Operand &a = problem.a, &b = problem.b;
  return problem.k != 0 &&
         mayBeAligned(lineOf(a, problem.k, problem.m), sizeOf(a.type),
                      a.align) &&
         mayBeAligned(lineOf(b, problem.n, problem.k), sizeOf(b.type),
                      b.align) &&
         mayBeAligned(problem.n, sizeOf(problem.c), problem.alignC);
}

/// Few rows are columns to the tensor cores, and so are those of a matrix that
/// is too small for 64 rows a tile. Else large tiles reuse most, as long as
/// there are enough of them; tiles of two teams hide each other's stores; small
/// ones start soonest. Where tiles are few and K is long, a cluster shares it,
/// and where it is longer than a cluster needs, workers do.
static Schedule hopperSchedule(const Problem &problem, const Arch &arch) {
  auto tiles = [&](int64_t m, int64_t n) {
    return double(llvm::divideCeilSigned(known(problem.m), m)) *
           double(llvm::divideCeilSigned(known(problem.n), n)) *
           double(known(problem.batch.value_or(1)));
  };
  auto defaultOf = [&](auto tag) -> Schedule {
    return family<decltype(tag)>().makeDefault(problem, arch);
  };
  constexpr int64_t kLongK = 1024, kLongerK = 8192, kFewRows = 32;
  if (problem.m != kDynamic && problem.m <= kFewRows)
    return defaultOf(SwapAb());
  if (tiles(128, 256) >= 2.0 * arch.processors)
    return defaultOf(WsCoop());
  if (tiles(128, 128) >= arch.processors / 2.0)
    return defaultOf(WsPingpong());
  if (known(problem.k) >= kLongerK && tiles(64, 64) >= 8)
    return defaultOf(StreamK());
  if (problem.a.order == Order::row && tiles(32, 64) <= arch.processors)
    return defaultOf(SwapAb());
  if (tiles(64, 64) >= arch.processors / 2.0 || known(problem.k) < kLongK)
    return defaultOf(Small());
  return defaultOf(ClusterSplitK());
}

/// The first family that runs on the arch and takes the problem; else the first
/// that runs on the arch, whose law 2 says what is the matter.
static Schedule firstSchedule(const Problem &problem, const Arch &arch) {
  std::optional<Schedule> taken, runs;
  auto look = [&](auto tag) {
    const auto &candidate = family<decltype(tag)>();
    if (taken || candidate.refuseArch(arch))
      return;
    if (!runs)
      runs = candidate.makeDefault(problem, arch);
    if (!candidate.refuseProblem(problem))
      taken = candidate.makeDefault(problem, arch);
  };
  look(MmaSync());
  look(Host());
  return taken ? *taken : runs.value_or(Schedule());
}

Schedule hone::defaultSchedule(const Problem &problem, const Arch &arch) {
  const Family<WsCoop> &hopper = family<WsCoop>();
  if (!hopper.refuseArch(arch) && !hopper.refuseProblem(problem) &&
      copyEngineTakes(problem))
    return hopperSchedule(problem, arch);
  return firstSchedule(problem, arch);
}
