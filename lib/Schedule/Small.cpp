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

static constexpr auto kSmallLaws = withWarpSpecializedLaws<Small>({
    {60, "a block has 1 to 4 consumers",
     [](const Small &knobs, const Facts &) { return wsFewConsumers(knobs); }},
    {61,
     "the accumulators fit the registers that a launch gives, beside the "
     "epilogue",
     [](const Small &knobs, const Facts &facts) {
       return wsAccumulatorsFit(knobs, wsLaunchRegisters(knobs.threads()),
                                facts);
     }},
});

static constexpr auto kSplitLaws = withWarpSpecializedLaws<ClusterSplitK>({
    {60, "a block has 1 to 4 consumers",
     [](const ClusterSplitK &knobs, const Facts &) {
       return wsFewConsumers(knobs);
     }},
    {61,
     "the accumulators fit the registers that a launch gives, beside the "
     "epilogue",
     [](const ClusterSplitK &knobs, const Facts &facts) {
       return wsAccumulatorsFit(knobs, wsLaunchRegisters(knobs.threads()),
                                facts);
     }},
    {65, "splits is 2, 4, 8 or 16",
     [](const ClusterSplitK &knobs, const Facts &) {
       return wsSplits(knobs, /*least=*/2);
     }},
    {66,
     "a consumer finishes whole lines of the tile, two elements a thread or a "
     "multiple",
     [](const ClusterSplitK &knobs, const Facts &) { return wsShare(knobs); }},
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
