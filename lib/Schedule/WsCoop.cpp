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

static constexpr auto kLaws = withWarpSpecializedLaws<WsCoop>({
    {50, "a block has 1 to 3 consumers",
     [](const WsCoop &knobs, const Facts &) { return wsConsumers(knobs); }},
    {51, "the accumulators fit a consumer's registers, beside the epilogue",
     [](const WsCoop &knobs, const Facts &facts) {
       return wsAccumulatorsFit(knobs, knobs.registers().consumer, facts);
     }},
    {52, "the columns of each of 3 consumers are at most 200",
     [](const WsCoop &knobs, const Facts &) {
       return wsLaunch(knobs, knobs.threads());
     }},
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
