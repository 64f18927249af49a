//===- Roofline.cpp - Lower bound of a product's time ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Roofline.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Roofline.h"
#include "hone/Schedule/ExactF32.h"
#include <algorithm>

using namespace hone;

static double threadTflops(const Arch &arch) {
  return 2.0 * double(lanesOf(arch) * arch.processors) * arch.clockGHz * 1e-3;
}

double hone::peakTflops(const Problem &problem, const Arch &arch) {
  if (!arch.isHost() && sizeOf(problem.a.type) == 1)
    return arch.peakTflops * 2;
  if (arch.isHost() || problem.a.type != ElementType::f32)
    return arch.peakTflops;
  if (isExactF32(problem))
    return threadTflops(arch);
  double ofTf32 = arch.peakTflops / 2;
  return problem.products == Products::tf32x3 ? ofTf32 / 3 : ofTf32;
}

double hone::rooflineSeconds(const Problem &problem, const Arch &arch) {
  return std::max(*problem.flops() / (peakTflops(problem, arch) * 1e12),
                  *problem.bytes() / (arch.memoryGBs * 1e9));
}

double hone::minSeconds(const Problem &problem, const Arch &arch) {
  constexpr double kMin = 0.8;
  // Above the rates of any CPU.
  constexpr double kHostFlops = 1e15, kHostBytes = 1e13;
  if (!problem.isStatic())
    return 0;
  if (arch.isHost())
    return std::max(*problem.flops() / kHostFlops,
                    *problem.bytes() / kHostBytes);
  return kMin * rooflineSeconds(problem, arch);
}
