//===- WarpSpecialized.cpp - What the families for sm_90a offer -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings are as deep as fits, because a deeper one has never been slower. Which
// tile, which cluster, and how tiles are walked is what depends on the shape.
//
//===----------------------------------------------------------------------===//

#include "Proposers.h"

using namespace hone;

namespace {
/// A tile of C and the consumers that share it.
struct Shape {
  std::array<int64_t, 2> tile, consumers;
};
} // namespace

static constexpr Shape kCoopShapes[] = {
    {{128, 256}, {2, 1}}, {{256, 128}, {2, 1}}, {{128, 192}, {2, 1}},
    {{192, 128}, {3, 1}}, {{192, 192}, {3, 1}}, {{256, 192}, {2, 1}},
    {{320, 128}, {1, 2}}, {{128, 160}, {2, 1}}, {{128, 128}, {2, 1}},
    {{128, 64}, {2, 1}},  {{64, 256}, {1, 1}},  {{64, 128}, {1, 1}},
    {{64, 64}, {1, 1}},
};
static constexpr std::array<int64_t, 2> kClusters[] = {{1, 1}, {2, 1}, {1, 2}};

/// The most slots that a block's shared memory has room for.
template <typename FamilyT>
static int64_t mostStages(FamilyT knobs, const Problem &problem,
                          const Arch &arch) {
  constexpr int64_t kMost = 16, kLeast = 2;
  for (knobs.stages = kMost; knobs.stages > kLeast; --knobs.stages)
    if (knobs.sharedBytes(sizeOf(problem.c)) <= arch.sharedPerBlock)
      break;
  return knobs.stages;
}

void detail::proposeWsCoop(const Problem &problem, const Arch &arch,
                           std::vector<Schedule> &schedules) {
  // How tiles are walked matters once a processor has several.
  bool isLarge = problem.m != kDynamic && problem.n != kDynamic &&
                 problem.m * problem.n > 2 * arch.processors * 128 * 128;
  for (const Shape &shape : kCoopShapes)
    for (std::array<int64_t, 2> cluster : kClusters)
      for (int64_t group : {8, 16, 4}) {
        if (group != 8 && !isLarge)
          continue;
        WsCoop knobs;
        knobs.tile = {shape.tile[0], shape.tile[1], 64};
        knobs.consumers = shape.consumers;
        knobs.cluster = cluster;
        knobs.group = group;
        knobs.stages = mostStages(knobs, problem, arch);
        schedules.push_back(knobs);
      }
}
