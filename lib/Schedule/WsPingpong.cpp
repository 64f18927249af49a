//===- WsPingpong.cpp - The family ws_pingpong ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws and default of the persistent kernels whose consumers have a tile each.
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

RegisterBudget WsPingpong::registers() const { return wsRegisters(*this); }

static constexpr auto kLaws = withWarpSpecializedLaws<WsPingpong>({
    {55, "the accumulators of a whole tile fit a consumer's registers",
     [](const WsPingpong &knobs, const Facts &) {
       return wsAccumulatorsFit(knobs, knobs.registers().consumer);
     }},
});

//===----------------------------------------------------------------------===//
// Default
//===----------------------------------------------------------------------===//

static WsPingpong makeDefault(const Problem &problem, const Arch &arch) {
  WsPingpong knobs;
  knobs.stages = wsMostStages(knobs, problem, arch);
  return knobs;
}

template <>
const Family<WsPingpong> &detail::family<WsPingpong>() {
  static constexpr Family<WsPingpong> value = {wsRefuseArch, wsRefuseProblem,
                                               kLaws, makeDefault};
  return value;
}
