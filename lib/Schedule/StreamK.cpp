//===- StreamK.cpp - The family streamk -----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws and default of the persistent kernels whose blocks have equal runs of
// steps.
//
//===----------------------------------------------------------------------===//

#include "WarpSpecialized.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

RegisterBudget StreamK::registers() const { return wsRegisters(*this); }

static Broken partsAreFew(const StreamK &knobs, const Facts &) {
  constexpr int64_t kMost = 64;
  if (knobs.parts <= kMost)
    return std::nullopt;
  return formatv("expected parts to be 1 to {0}, but got {1}; use {0}", kMost,
                 knobs.parts)
      .str();
}

static constexpr auto kLaws = withWarpSpecializedLaws<StreamK>({
    {50, "a block has 1 to 3 consumers",
     [](const StreamK &knobs, const Facts &) { return wsConsumers(knobs); }},
    {51, "the accumulators fit a consumer's registers, beside the epilogue",
     [](const StreamK &knobs, const Facts &facts) {
       return wsAccumulatorsFit(knobs, knobs.registers().consumer, facts);
     }},
    {52, "the columns of each of 3 consumers are at most 200",
     [](const StreamK &knobs, const Facts &) {
       return wsLaunch(knobs, knobs.threads());
     }},
    {58, "parts is 1 to 64", partsAreFew},
});

/// Tiles of 64 x 64 where larger ones have too few workers to share them, and
/// as many workers for a tile as there are processors for them.
static StreamK makeDefault(const Problem &problem, const Arch &arch) {
  StreamK knobs;
  auto known = [](int64_t extent) {
    return std::max<int64_t>(extent == kDynamic ? 4096 : extent, 1);
  };
  auto tiles = [&](int64_t m, int64_t n) {
    return llvm::divideCeilSigned(known(problem.m), m) *
           llvm::divideCeilSigned(known(problem.n), n) *
           known(problem.batch.value_or(1));
  };
  constexpr int64_t kMany = 8, kMostParts = 64;
  knobs.tile = {128, 128, 64};
  if (tiles(128, 128) < kMany) {
    knobs.tile = {64, 64, 128};
    knobs.consumers = {1, 1};
  }
  knobs.stages = wsMostStages(knobs, problem, arch);
  knobs.parts = std::clamp<int64_t>(
      arch.processors / tiles(knobs.tile[0], knobs.tile[1]), 1, kMostParts);
  return knobs;
}

template <>
const Family<StreamK> &detail::family<StreamK>() {
  static constexpr Family<StreamK> value = {wsRefuseArch, wsRefuseProblem,
                                            kLaws, makeDefault};
  return value;
}
