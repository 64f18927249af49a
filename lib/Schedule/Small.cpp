//===- Small.cpp - The families small and cluster_splitk ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws and defaults of the kernels with one small tile a block or a cluster.
//
//===----------------------------------------------------------------------===//

#include "WarpSpecialized.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

/// Registers of a thread where nobody gives any up.
static int64_t registersOf(int64_t threads) {
  constexpr int64_t kPerProcessor = 65536, kGranule = 8, kMost = 255;
  return std::min(kPerProcessor / threads / kGranule * kGranule, kMost);
}

static Broken consumersFit(const WarpSpecialized &knobs) {
  if (knobs.groups() <= 4)
    return std::nullopt;
  return formatv("expected 1 to 4 consumers, but got {0}x{1}; use 1x1",
                 knobs.consumers[0], knobs.consumers[1])
      .str();
}

static constexpr auto kSmallLaws = withWarpSpecializedLaws<Small>({
    {60, "a block has 1 to 4 consumers",
     [](const Small &knobs, const Facts &) { return consumersFit(knobs); }},
    {61, "the accumulators fit the registers that a launch gives",
     [](const Small &knobs, const Facts &) {
       return wsAccumulatorsFit(knobs, registersOf(knobs.threads()));
     }},
});

static Broken splitsAreACluster(const ClusterSplitK &knobs, const Facts &) {
  int64_t splits = knobs.splits;
  if (splits >= 2 && splits <= 16 && llvm::isPowerOf2_64(splits))
    return std::nullopt;
  return formatv("expected splits to be 2, 4, 8 or 16, but got {0}; use 4",
                 splits)
      .str();
}

/// Each block adds up whole pieces of eight columns of every band.
static Broken splitsDivide(const ClusterSplitK &knobs, const Facts &) {
  int64_t unit = 8 * knobs.splits;
  if (knobs.groupCols() % unit == 0)
    return std::nullopt;
  return formatv("expected a consumer's columns to be a multiple of 8 * splits "
                 "= {0}, but got {1}; use tile.n = {2}",
                 unit, knobs.groupCols(),
                 llvm::alignTo(knobs.groupCols(), unit) * knobs.consumers[1])
      .str();
}

static constexpr auto kSplitLaws = withWarpSpecializedLaws<ClusterSplitK>({
    {60, "a block has 1 to 4 consumers",
     [](const ClusterSplitK &knobs, const Facts &) {
       return consumersFit(knobs);
     }},
    {61, "the accumulators fit the registers that a launch gives",
     [](const ClusterSplitK &knobs, const Facts &) {
       return wsAccumulatorsFit(knobs, registersOf(knobs.threads()));
     }},
    {65, "splits is 2, 4, 8 or 16", splitsAreACluster},
    {66, "a consumer's columns are a multiple of 8 * splits", splitsDivide},
});

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

static Small makeSmall(const Problem &problem, const Arch &arch) {
  Small knobs;
  knobs.stages = std::min<int64_t>(8, wsMostStages(knobs, problem, arch));
  return knobs;
}

static ClusterSplitK makeSplit(const Problem &problem, const Arch &arch) {
  ClusterSplitK knobs;
  knobs.stages = std::min<int64_t>(8, wsMostStages(knobs, problem, arch));
  return knobs;
}

template <>
const Family<Small> &detail::family<Small>() {
  static constexpr Family<Small> value = {wsRefuseArch, wsRefuseProblem,
                                          kSmallLaws, makeSmall};
  return value;
}

template <>
const Family<ClusterSplitK> &detail::family<ClusterSplitK>() {
  static constexpr Family<ClusterSplitK> value = {wsRefuseArch, wsRefuseProblem,
                                                  kSplitLaws, makeSplit};
  return value;
}
