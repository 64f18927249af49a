//===- ProposeMmaSync.cpp - Catalogue of mma_sync -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a chip with wgmma this kind serves tiny shapes, so most of its catalogue
// is small tiles with deep rings. On an older chip it is the only kind, so
// large tiles are included.
//
//===----------------------------------------------------------------------===//

#include "Proposers.h"
#include "hone/Schedule/ExactF32.h"
#include "hone/Schedule/MmaSync.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;

namespace {
/// A tile of C and the warps that share it.
struct Shape {
  std::array<int64_t, 2> tile, warps;
};
/// One way to walk K.
struct Walk {
  int64_t step, stages;
};
} // namespace

static constexpr Shape kSmallShapes[] = {
    {{16, 32}, {1, 2}},  {{32, 16}, {2, 1}},  {{32, 32}, {2, 2}},
    {{16, 64}, {1, 4}},  {{64, 16}, {4, 1}},  {{32, 64}, {2, 2}},
    {{64, 32}, {2, 2}},  {{64, 64}, {2, 2}},  {{32, 128}, {2, 4}},
    {{128, 32}, {4, 2}}, {{64, 128}, {2, 2}}, {{128, 64}, {2, 2}},
};
static constexpr Walk kSmallWalks[] = {{64, 4}, {64, 6}, {128, 3}, {32, 8}};

static constexpr Shape kLargeShapes[] = {
    {{64, 128}, {2, 4}},  {{128, 64}, {4, 2}},  {{128, 128}, {2, 2}},
    {{128, 128}, {2, 4}}, {{128, 256}, {2, 4}}, {{256, 128}, {4, 2}},
};
static constexpr Walk kLargeWalks[] = {{32, 3}, {32, 4}, {64, 3}};

static void addAll(llvm::ArrayRef<Shape> shapes, llvm::ArrayRef<Walk> walks,
                   llvm::ArrayRef<int64_t> groups,
                   std::vector<Schedule> &schedules) {
  for (const Shape &shape : shapes)
    for (const Walk &walk : walks)
      for (int64_t group : groups) {
        MmaSync knobs;
        knobs.tile = {shape.tile[0], shape.tile[1], walk.step};
        knobs.warps = shape.warps;
        knobs.stages = walk.stages;
        knobs.group = group;
        schedules.push_back(knobs);
      }
}

namespace {
/// A tile that several blocks or groups of warps share, and how.
struct Shared {
  std::array<int64_t, 2> tile;
  int64_t stages, slices, splits;
};
} // namespace

/// The fastest schedules of some shapes below 1e9 operations on an H200.
static constexpr Shared kShared[] = {
    {{32, 32}, 4, 2, 1},  {{32, 32}, 3, 4, 1}, {{32, 64}, 6, 2, 1},
    {{64, 32}, 4, 2, 1},  {{64, 64}, 4, 2, 1}, {{32, 32}, 6, 1, 4},
    {{32, 32}, 4, 2, 2},  {{32, 64}, 8, 1, 8}, {{64, 64}, 8, 1, 8},
    {{64, 64}, 8, 1, 16},
};

/// Tiles that are stored in long runs, for large results of short sums.
static constexpr Shape kLongRuns[] = {{{64, 64}, {2, 2}},
                                      {{64, 64}, {2, 4}},
                                      {{64, 128}, {2, 2}},
                                      {{128, 64}, {4, 2}},
                                      {{128, 128}, {2, 4}}};

static void addShared(std::vector<Schedule> &schedules) {
  for (const Shared &shared : kShared) {
    MmaSync knobs;
    knobs.tile = {shared.tile[0], shared.tile[1], 64};
    knobs.warps = {2, 2};
    knobs.stages = shared.stages;
    knobs.slices = shared.slices;
    knobs.splits = shared.splits;
    schedules.push_back(knobs);
  }
  for (const Shape &shape : kLongRuns)
    for (int64_t stages : {2, 4}) {
      MmaSync knobs;
      knobs.tile = {shape.tile[0], shape.tile[1], 64};
      knobs.warps = shape.warps;
      knobs.stages = stages;
      knobs.run = 8;
      schedules.push_back(knobs);
    }
}

/// Tiles for exact f32. Threads multiply it, and 64 rows by 32 columns a warp
/// suit them: whole, and with K cut where tiles are few.
static constexpr Shape kOfThreads[] = {
    {{64, 64}, {1, 2}},  {{64, 128}, {1, 4}},  {{128, 64}, {2, 2}},
    {{64, 256}, {1, 8}}, {{128, 128}, {2, 4}}, {{192, 128}, {2, 4}},
};

static void addOfThreads(std::vector<Schedule> &schedules) {
  for (const Shape &shape : kOfThreads)
    for (const Walk &walk : {Walk{32, 4}, Walk{64, 3}})
      for (int64_t splits : {1, 2, 4, 8}) {
        MmaSync knobs;
        knobs.tile = {shape.tile[0], shape.tile[1], walk.step};
        knobs.warps = shape.warps;
        knobs.stages = walk.stages;
        knobs.splits = splits;
        schedules.push_back(knobs);
      }
}

void detail::proposeMmaSync(const Problem &problem, const Arch &arch,
                            std::vector<Schedule> &schedules) {
  size_t others = schedules.size();
  addAll(kSmallShapes, kSmallWalks, {8}, schedules);
  addShared(schedules);
  if (isExactF32(problem))
    addOfThreads(schedules);
  // The group of tiles matters once the tiles no longer run all at once.
  constexpr int64_t kManyTiles = 4;
  bool isLarge =
      problem.m != kDynamic && problem.n != kDynamic &&
      problem.m * problem.n > kManyTiles * arch.processors * 128 * 128;
  if (isLarge)
    addAll(kLargeShapes, kLargeWalks, {4, 8, 16}, schedules);
  else
    addAll(kLargeShapes, kLargeWalks, {8}, schedules);
  // Steps of larger elements have the same length in bytes.
  for (Schedule &schedule : llvm::drop_begin(schedules, others)) {
    MmaSync knobs(schedule);
    knobs.tile[2] = knobs.tile[2] * 2 / sizeOf(problem.a.type);
    schedule = knobs;
  }
}
