//===- MachineDistance.cpp - Distance between two GPUs --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MachineDistance.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/MachineDistance.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace hone;

double hone::machineDistance(const Arch &one, const Arch &other) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  if (one.isHost() || other.isHost() || one.isa != other.isa)
    return kFar;
  auto productsOf = [](const Arch &arch) {
    return arch.peakTflops / (double(arch.processors) * arch.clockGHz);
  };
  double sum = 0;
  for (auto [left, right] :
       {std::pair(double(one.processors), double(other.processors)),
        std::pair(one.memoryGBs, other.memoryGBs),
        std::pair(double(one.cacheBytes), double(other.cacheBytes)),
        std::pair(one.clockGHz, other.clockGHz),
        std::pair(productsOf(one), productsOf(other))}) {
    double doublings = std::log2(left / right);
    sum += doublings * doublings;
  }
  return std::isfinite(sum) ? std::sqrt(sum) : kFar;
}

std::vector<NearMachine> hone::nearMachines(const Arch &machine,
                                            llvm::ArrayRef<Arch> known,
                                            double max) {
  std::vector<NearMachine> near;
  for (const Arch &one : known)
    if (double distance = machineDistance(machine, one); distance <= max)
      near.push_back({one.chip, distance});
  llvm::stable_sort(near, [](const NearMachine &one, const NearMachine &other) {
    return one.distance < other.distance;
  });
  return near;
}
