//===- CheckGrid.cpp - Schedules that meet every part of a builder --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function a family.
//
//===----------------------------------------------------------------------===//

#include "CheckGrid.h"

using namespace hone;

/// Tiles from small to large, few and many stages: each part of the builder is
/// met.
static std::vector<Schedule> gridOfMmaSync() {
  std::vector<Schedule> schedules;
  for (std::array<int64_t, 3> tile : {std::array<int64_t, 3>{16, 16, 16},
                                      {32, 32, 64},
                                      {64, 64, 32},
                                      {64, 128, 64},
                                      {128, 64, 32},
                                      {128, 128, 32},
                                      {128, 256, 32},
                                      {16, 128, 128}})
    for (std::array<int64_t, 2> warps :
         {std::array<int64_t, 2>{1, 1}, {2, 2}, {1, 4}, {4, 1}, {2, 4}})
      for (int64_t stages : {2, 4}) {
        MmaSync knobs;
        knobs.tile = tile;
        knobs.warps = warps;
        knobs.stages = stages;
        knobs.group = stages == 2 ? 1 : 8;
        schedules.push_back(knobs);
      }
  return schedules;
}

/// Schedules from their texts, which are part of this program.
static std::vector<Schedule>
parseAll(std::initializer_list<const char *> texts) {
  std::vector<Schedule> schedules;
  for (const char *text : texts)
    schedules.push_back(llvm::cantFail(parseSchedule(text)));
  return schedules;
}

/// One band and several, consumers along M and along N, one chunk and several,
/// odd numbers of them, shared loads of A and of B.
static std::vector<Schedule> gridOfWsCoop() {
  return parseAll({
      "ws_coop, tile = 128x256x64, consumers = 2x1, stages = 4, group = 8",
      "ws_coop, tile = 128x256x64, consumers = 2x1, stages = 3, cluster = 2x1",
      "ws_coop, tile = 256x128x64, consumers = 2x1, stages = 4, cluster = 1x2",
      "ws_coop, tile = 256x128x64, consumers = 1x2, stages = 3, group = 1",
      "ws_coop, tile = 128x192x64, consumers = 2x1, stages = 4, cluster = 2x1",
      "ws_coop, tile = 192x192x64, consumers = 1x2, stages = 4",
      "ws_coop, tile = 192x192x64, consumers = 3x1, stages = 3",
      "ws_coop, tile = 256x192x64, consumers = 2x1, stages = 3",
      "ws_coop, tile = 320x128x64, consumers = 1x2, stages = 3, cluster = 1x2",
      "ws_coop, tile = 128x128x128, consumers = 2x1, stages = 2, cluster = 4x1",
      "ws_coop, tile = 128x160x64, consumers = 2x1, stages = 4",
      "ws_coop, tile = 128x64x64, consumers = 2x1, stages = 8",
      "ws_coop, tile = 64x64x64, consumers = 1x1, stages = 6",
      "ws_coop, tile = 64x32x64, consumers = 1x1, stages = 16, cluster = 1x4",
      "ws_coop, tile = 64x16x256, consumers = 1x1, stages = 3",
  });
}

static std::vector<Schedule> gridOfWsPingpong() {
  return parseAll({
      "ws_pingpong, tile = 64x256x64, stages = 4",
      "ws_pingpong, tile = 64x256x64, stages = 3, cluster = 2x1",
      "ws_pingpong, tile = 128x128x64, stages = 5, group = 1",
      "ws_pingpong, tile = 128x64x128, stages = 3, cluster = 1x2",
      "ws_pingpong, tile = 64x192x64, stages = 5, cluster = 4x1",
      "ws_pingpong, tile = 64x16x64, stages = 12",
  });
}

static std::vector<Schedule> gridOfSmall() {
  return parseAll({
      "small, tile = 64x64x64, stages = 8",
      "small, tile = 64x16x64, stages = 16",
      "small, tile = 64x32x256, stages = 3",
      "small, tile = 128x64x128, consumers = 2x1, stages = 4",
      "small, tile = 64x256x64, consumers = 1x2, stages = 4",
      "small, tile = 128x128x64, consumers = 2x2, stages = 5",
      "small, tile = 64x128x64, stages = 6, cluster = 2x1",
      "small, tile = 128x32x64, consumers = 2x1, stages = 8, cluster = 1x4",
      "small, tile = 128x96x64, consumers = 2x1, stages = 2, group = 1",
  });
}

/// Runs of K of every kind: even, uneven, empty.
static std::vector<Schedule> gridOfClusterSplitK() {
  return parseAll({
      "cluster_splitk, tile = 64x64x64, stages = 8, splits = 2",
      "cluster_splitk, tile = 64x64x64, stages = 6, splits = 8",
      "cluster_splitk, tile = 64x32x128, stages = 4, splits = 4",
      "cluster_splitk, tile = 64x16x64, stages = 16, splits = 2",
      "cluster_splitk, tile = 128x64x64, consumers = 2x1, stages = 4, "
      "splits = 4, group = 1",
      "cluster_splitk, tile = 128x128x64, consumers = 1x2, stages = 3, "
      "splits = 8",
      "cluster_splitk, tile = 64x128x64, stages = 5, splits = 16",
  });
}

/// Tiles that are cut between two workers and between many, whole ones behind
/// them, blocks that share loads, and lines of a number that is no power of
/// two.
static std::vector<Schedule> gridOfStreamK() {
  return parseAll({
      "streamk, tile = 128x128x64, stages = 6, parts = 4",
      "streamk, tile = 128x256x64, stages = 4, parts = 32",
      "streamk, tile = 128x256x64, stages = 4, cluster = 2x1, parts = 16",
      "streamk, tile = 256x128x64, stages = 3, cluster = 1x2, parts = 3",
      "streamk, tile = 192x192x64, consumers = 1x2, stages = 3, parts = 2",
      "streamk, tile = 64x16x64, consumers = 1x1, stages = 12, parts = 64",
      "streamk, tile = 64x128x128, consumers = 1x1, stages = 4, cluster = 4x1, "
      "parts = 5, group = 1",
  });
}

static std::vector<Schedule> gridOfSwapAb() {
  return parseAll({
      "swap_ab, tile = 16x64x128, stages = 8",
      "swap_ab, tile = 16x64x64, stages = 16, splits = 4",
      "swap_ab, tile = 32x128x64, consumers = 1x2, stages = 8, splits = 8",
      "swap_ab, tile = 48x128x64, consumers = 1x1, stages = 6",
      "swap_ab, tile = 64x64x256, stages = 3, splits = 2",
      "swap_ab, tile = 128x128x64, consumers = 2x2, stages = 4, group = 1",
      "swap_ab, tile = 64x256x64, consumers = 1x4, stages = 4, splits = 16",
  });
}

std::vector<Schedule> hone::scheduleGrid(llvm::StringRef family) {
  if (family == WsCoop::name)
    return gridOfWsCoop();
  if (family == WsPingpong::name)
    return gridOfWsPingpong();
  if (family == Small::name)
    return gridOfSmall();
  if (family == ClusterSplitK::name)
    return gridOfClusterSplitK();
  if (family == StreamK::name)
    return gridOfStreamK();
  if (family == SwapAb::name)
    return gridOfSwapAb();
  return gridOfMmaSync();
}
