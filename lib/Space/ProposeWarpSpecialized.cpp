//===- ProposeWarpSpecialized.cpp - Catalogue of ws -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles, each with the maximum number of slots. Tiles differ in how often they
// read shared memory (large ones less), how evenly they fill the processors,
// and how much of K a block walks alone.
//
//===----------------------------------------------------------------------===//

#include "Proposers.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace hone;

namespace {
/// A tile of C and how consumers and blocks share it.
struct Cut {
  std::array<int64_t, 2> tile, consumers;
  std::array<int64_t, 2> cluster = {1, 1};
};
} // namespace

/// The maximum number of slots, for elements of 16 bits, in one block, or in
/// each of several blocks on a processor.
static int64_t stagesThatFit(const WarpSpecialized &knobs,
                             const Problem &problem, const Arch &arch,
                             int64_t blocks = 1) {
  constexpr int64_t kReserved = 1024, kMax = 16;
  int64_t slot = (knobs.tile[0] + knobs.tile[1]) * knobs.tile[2] * 2 + 16;
  int64_t room = std::min(arch.sharedPerProcessor / blocks - kReserved,
                          arch.sharedPerBlock);
  return std::clamp<int64_t>(
      (room - knobs.chunkBytes(sizeOf(problem.c))) / slot, 0, kMax);
}

/// Orders in which tiles are walked; they matter once the tiles no longer run
/// all at once.
static std::vector<int64_t> rastersOf(const Problem &problem, const Arch &arch,
                                      const WarpSpecialized &knobs) {
  if (problem.m == kDynamic || problem.n == kDynamic)
    return {8};
  double tiles = double(problem.m) / (knobs.tile[0] * knobs.cluster[0]) *
                 double(problem.n) / (knobs.tile[1] * knobs.cluster[1]);
  if (tiles * knobs.clusterBlocks() <= arch.processors)
    return {8};
  return {2, 8, 32};
}

/// The knobs of a cut.
static WarpSpecialized knobsOf(const Cut &cut) {
  WarpSpecialized knobs;
  knobs.tile = {cut.tile[0], cut.tile[1], 64};
  knobs.consumers = cut.consumers;
  knobs.cluster = cut.cluster;
  return knobs;
}

static void addPersistent(llvm::ArrayRef<Cut> cuts, int64_t teams,
                          const Problem &problem, const Arch &arch,
                          std::vector<Schedule> &schedules) {
  for (const Cut &cut : cuts) {
    WarpSpecialized knobs = knobsOf(cut);
    knobs.teams = teams;
    knobs.stages = stagesThatFit(knobs, problem, arch);
    for (int64_t raster : rastersOf(problem, arch, knobs)) {
      knobs.group = raster;
      schedules.push_back(knobs);
    }
  }
}

//===----------------------------------------------------------------------===//
// Persistent kernels
//===----------------------------------------------------------------------===//

static constexpr Cut kCoopCuts[] = {
    {{128, 256}, {2, 1}},         {{128, 256}, {2, 1}, {2, 1}},
    {{256, 128}, {2, 1}},         {{256, 128}, {2, 1}, {1, 2}},
    {{256, 128}, {2, 1}, {2, 1}}, {{128, 256}, {2, 1}, {1, 2}},
    {{128, 192}, {2, 1}},         {{128, 192}, {2, 1}, {2, 1}},
    {{192, 192}, {1, 2}},         {{192, 192}, {1, 2}, {2, 1}},
    {{192, 128}, {1, 2}},         {{256, 192}, {2, 1}},
    {{256, 192}, {2, 1}, {2, 1}}, {{192, 256}, {1, 2}},
    {{320, 128}, {1, 2}},         {{320, 128}, {1, 2}, {1, 2}},
    {{128, 128}, {2, 1}},         {{128, 128}, {2, 1}, {2, 1}},
    {{128, 160}, {2, 1}},         {{128, 224}, {2, 1}},
    {{128, 64}, {2, 1}},          {{256, 64}, {2, 1}},
    {{192, 128}, {1, 2}, {1, 2}}, {{128, 192}, {2, 1}, {1, 2}},
};

static constexpr Cut kPingpongCuts[] = {
    {{64, 256}, {1, 1}},          {{64, 256}, {1, 1}, {2, 1}},
    {{128, 128}, {1, 1}},         {{128, 128}, {1, 1}, {2, 1}},
    {{128, 128}, {1, 1}, {1, 2}}, {{64, 128}, {1, 1}},
    {{64, 128}, {1, 1}, {2, 1}},  {{64, 128}, {1, 1}, {4, 1}},
    {{64, 64}, {1, 1}, {4, 1}},   {{64, 64}, {1, 1}, {1, 4}},
    {{64, 192}, {1, 1}},          {{192, 64}, {1, 1}},
    {{128, 64}, {1, 1}},          {{64, 64}, {1, 1}},
};

/// Tiles for workers that stream. Where several workers share a long K, the
/// bytes read from L2 decide: large tiles, and blocks that share loads.
static constexpr Cut kStreamCuts[] = {
    {{128, 256}, {2, 1}},         {{128, 256}, {2, 1}, {2, 1}},
    {{256, 128}, {2, 1}},         {{256, 128}, {2, 1}, {1, 2}},
    {{128, 192}, {2, 1}},         {{128, 192}, {2, 1}, {2, 1}},
    {{128, 128}, {2, 1}},         {{128, 128}, {2, 1}, {2, 1}},
    {{128, 128}, {2, 1}, {1, 2}}, {{64, 256}, {1, 2}},
    {{64, 256}, {1, 2}, {2, 1}},  {{64, 128}, {1, 1}},
    {{64, 128}, {1, 1}, {2, 1}},  {{128, 64}, {2, 1}},
    {{128, 64}, {2, 1}, {1, 2}},  {{64, 64}, {1, 1}, {2, 1}},
    {{192, 128}, {1, 2}},         {{64, 64}, {1, 1}, {1, 2}},
    {{64, 64}, {1, 1}},           {{64, 32}, {1, 1}},
};

/// With more parts per tile than there are processors for it, all processors
/// have equal runs; with fewer, every tile is cut evenly.
static void addStream(WarpSpecialized knobs, const Problem &problem,
                      const Arch &arch, std::vector<Schedule> &schedules) {
  knobs.stages = stagesThatFit(knobs, problem, arch);
  int64_t tiles =
      llvm::divideCeilSigned(problem.m, knobs.tile[0] * knobs.cluster[0]) *
      llvm::divideCeilSigned(problem.n, knobs.tile[1] * knobs.cluster[1]) *
      problem.batch.value_or(1);
  int64_t workers = arch.residentClusters(knobs.clusterBlocks());
  for (int64_t parts : {2, 3, 4, 6, 8, 12, 16, 24, 32}) {
    knobs.parts = parts;
    schedules.push_back(knobs);
    if (tiles * parts >= workers)
      break;
  }
}

static void addStreams(const Problem &problem, const Arch &arch,
                       std::vector<Schedule> &schedules) {
  if (problem.m == kDynamic || problem.n == kDynamic)
    return;
  for (const Cut &cut : kStreamCuts) {
    WarpSpecialized knobs = knobsOf(cut);
    knobs.streams = true;
    addStream(knobs, problem, arch, schedules);
    // Small tiles wait for fewer barriers when a step is longer.
    constexpr int64_t kSmall = 128;
    knobs.tile[2] = 128;
    if (cut.tile[0] + cut.tile[1] <= kSmall)
      addStream(knobs, problem, arch, schedules);
  }
}

//===----------------------------------------------------------------------===//
// One tile a block
//===----------------------------------------------------------------------===//

/// Tiles that a cluster shares may be large: there is work for every block.
static constexpr Cut kSplitCuts[] = {
    {{64, 16}, {1, 1}},   {{64, 32}, {1, 1}},   {{64, 64}, {1, 1}},
    {{64, 128}, {1, 1}},  {{128, 32}, {2, 1}},  {{128, 64}, {2, 1}},
    {{128, 128}, {2, 1}}, {{64, 256}, {1, 2}},  {{256, 64}, {2, 1}},
    {{128, 256}, {2, 1}}, {{256, 128}, {2, 1}}, {{128, 192}, {2, 1}}};

/// Blocks that share loads read less from L2, whose bandwidth bounds thin
/// matrices.
static constexpr Cut kSmallCuts[] = {
    {{64, 128}, {1, 1}, {2, 1}},  {{64, 128}, {1, 1}, {4, 1}},
    {{128, 128}, {2, 1}, {2, 1}}, {{64, 64}, {1, 1}, {2, 1}},
    {{64, 64}, {1, 1}, {4, 1}},   {{64, 64}, {1, 1}, {1, 2}},
    {{64, 64}, {1, 1}, {1, 4}},   {{64, 128}, {1, 1}, {1, 2}},
    {{64, 16}, {1, 1}},           {{64, 32}, {1, 1}},
    {{64, 64}, {1, 1}},           {{64, 96}, {1, 1}},
    {{64, 128}, {1, 1}},          {{128, 16}, {2, 1}},
    {{128, 32}, {2, 1}},          {{128, 64}, {2, 1}},
    {{128, 128}, {2, 1}},         {{64, 256}, {1, 2}},
    {{128, 96}, {2, 1}},          {{256, 64}, {2, 1}},
    {{128, 192}, {2, 1}},         {{192, 64}, {3, 1}},
    {{192, 64}, {3, 1}, {1, 2}},  {{64, 192}, {1, 1}},
    {{64, 192}, {1, 1}, {2, 1}},  {{128, 64}, {2, 1}, {1, 2}},
    {{128, 128}, {2, 1}, {1, 2}}, {{192, 128}, {3, 1}, {1, 2}}};

/// With one block on a processor, or with two that hide each other's start and
/// end.
static void addSingle(WarpSpecialized knobs, const Problem &problem,
                      const Arch &arch, std::vector<Schedule> &schedules) {
  knobs.persistent = false;
  for (int64_t k : {64, 128})
    for (int64_t blocks : {1, 2}) {
      knobs.tile[2] = k;
      knobs.stages = stagesThatFit(knobs, problem, arch, blocks);
      schedules.push_back(knobs);
    }
}

static void addSingles(const Problem &problem, const Arch &arch,
                       std::vector<Schedule> &schedules) {
  for (const Cut &cut : kSmallCuts)
    addSingle(knobsOf(cut), problem, arch, schedules);
  for (const Cut &cut : kSplitCuts)
    for (int64_t splits : {2, 4, 8, 16}) {
      WarpSpecialized knobs = knobsOf(cut);
      knobs.splits = splits;
      addSingle(knobs, problem, arch, schedules);
    }
}

/// Few rows, as columns of the tensor cores, of which a product takes any small
/// number. Small matrices gain, too: tiles with few rows are stored in longer
/// pieces than tiles with few columns, and where B lies in rows tiles with few
/// columns do not exist.
static void addTransposed(const Problem &problem, const Arch &arch,
                          std::vector<Schedule> &schedules) {
  constexpr int64_t kFew = 128, kNotMany = 1024, kFlat = 32;
  if (problem.m == kDynamic || problem.m > kNotMany)
    return;
  bool isFew = problem.m <= kFew;
  for (int64_t rows : {16, 32, 64, 128}) {
    if ((rows >= 2 * problem.m && rows > 16) || (!isFew && rows > kFlat))
      break;
    for (Cut cut : {Cut{{rows, 64}, {1, 1}}, Cut{{rows, 128}, {1, 2}},
                    Cut{{rows, 128}, {1, 1}}, Cut{{rows, 192}, {1, 3}}})
      for (int64_t splits : {1, 2, 4, 8}) {
        if (!isFew && cut.tile[1] > 128)
          continue;
        WarpSpecialized knobs = knobsOf(cut);
        knobs.transposes = true;
        knobs.splits = splits;
        addSingle(knobs, problem, arch, schedules);
      }
  }
}

/// The same form where consumers fetch its rows, if tensor cores cannot read
/// them in their layout. Slots with both parts of the columns are larger, so
/// there are fewer. No teams: both would wait for their own products.
static void addFetching(const WarpSpecialized &form, const Problem &problem,
                        const Arch &arch, std::vector<Schedule> &schedules) {
  WarpSpecialized knobs = form.fetching(problem);
  if (!knobs.fetchesRows(problem) || knobs.teams > 1 || knobs.stages < 1)
    return;
  double before = double(form.reaching(problem).ringBytes(&problem));
  bool isA = !knobs.transposes;
  if (knobs.slotsAlongK(problem, isA))
    knobs.tile[2] = llvm::alignTo(knobs.tile[2], knobs.panelOf(problem, isA));
  double after = double(knobs.turned().ringBytes(&problem));
  knobs.stages = int64_t(double(knobs.stages) * before / after);
  auto fits = [&] {
    return knobs.turned().sharedBytes(&problem) <= arch.sharedPerBlock;
  };
  while (knobs.stages > 2 && !fits())
    --knobs.stages;
  if (knobs.stages >= 2 && fits())
    schedules.push_back(knobs);
}

void detail::proposeWarpSpecialized(const Problem &problem, const Arch &arch,
                                    std::vector<Schedule> &schedules) {
  size_t others = schedules.size();
  addPersistent(kCoopCuts, /*teams=*/1, problem, arch, schedules);
  addPersistent(kPingpongCuts, /*teams=*/2, problem, arch, schedules);
  addSingles(problem, arch, schedules);
  addStreams(problem, arch, schedules);
  addTransposed(problem, arch, schedules);
  // Steps of larger elements have the same length in bytes.
  std::vector<Schedule> fetching;
  for (Schedule &schedule : llvm::drop_begin(schedules, others)) {
    WarpSpecialized knobs(schedule);
    knobs.tile[2] =
        std::min<int64_t>(knobs.tile[2] * 2 / sizeOf(problem.a.type), 256);
    schedule = knobs.reaching(problem);
    for (const WarpSpecialized &form : {knobs, knobs.mirrored()})
      addFetching(form, problem, arch, fetching);
  }
  llvm::append_range(schedules, fetching);
}
