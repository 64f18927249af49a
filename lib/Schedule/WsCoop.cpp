//===- WsCoop.cpp - The family ws_coop ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws and default of the persistent kernels whose consumers
// share a tile.
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

RegisterBudget WsCoop::registers() const { return wsRegisters(*this); }

static Broken consumersFit(const WsCoop &knobs, const Facts &) {
  if (knobs.groups() <= 3)
    return std::nullopt;
  return formatv("expected 1 to 3 consumers, but got {0}x{1}; use 2x1",
                 knobs.consumers[0], knobs.consumers[1])
      .str();
}

static Broken registersFit(const WsCoop &knobs, const Facts &) {
  return wsAccumulatorsFit(knobs, knobs.registers().consumer);
}

/// Before it asks for more, a thread has what the launch gave it, and one
/// product names all of its accumulators.
static Broken launchFits(const WsCoop &knobs, const Facts &) {
  constexpr int64_t kPerProcessor = 65536, kGranule = 8, kMost = 200;
  if (knobs.groups() < 3 || knobs.groupCols() <= kMost)
    return std::nullopt;
  return formatv("expected at most {0} columns for each of 3 consumers, whose "
                 "block is launched with {1} registers a thread, but got {2}; "
                 "use fewer",
                 kMost, kPerProcessor / knobs.threads() / kGranule * kGranule,
                 knobs.groupCols())
      .str();
}

static constexpr auto kLaws = withWarpSpecializedLaws<WsCoop>({
    {50, "a block has 1 to 3 consumers", consumersFit},
    {51, "the accumulators fit a consumer's registers", registersFit},
    {52, "the columns of each of 3 consumers are at most 200", launchFits},
});

//===----------------------------------------------------------------------===//
// Default
//===----------------------------------------------------------------------===//

static WsCoop makeDefault(const Problem &problem, const Arch &arch) {
  WsCoop knobs;
  knobs.stages = wsMostStages(knobs, problem, arch);
  return knobs;
}

template <>
const Family<WsCoop> &detail::family<WsCoop>() {
  static constexpr Family<WsCoop> value = {wsRefuseArch, wsRefuseProblem, kLaws,
                                           makeDefault};
  return value;
}
