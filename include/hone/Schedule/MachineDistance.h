//===- MachineDistance.h - Distance between two GPUs ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measurements on one GPU are useful on another with the same instruction set.
// How useful depends on the numbers of the two, never on their names:
//
//   machineDistance(h100, h200)       0.5   an H100 has 70 % of the bandwidth
//   machineDistance(h200/64, h200)    1.0   half of the processors
//   machineDistance(a100, h200)       infinite
//
// The unit is a doubling. A distance is the Euclidean norm of the differences
// of these logarithms: processors, bandwidth of the memory, size of the cache,
// clock, and products per clock and processor.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_MACHINEDISTANCE_H
#define HONE_SCHEDULE_MACHINEDISTANCE_H

#include "hone/Schedule/Arch.h"
#include <limits>
#include <vector>

namespace hone {

/// Infinite where the instruction sets differ, and for CPUs.
double machineDistance(const Arch &one, const Arch &other);

/// Machines that are closer are the same: numbers of two devices of one chip
/// differ by as much when they are measured.
constexpr double kSameMachine = 0.05;

struct NearMachine {
  std::string chip;
  double distance;
};
/// Those of `known` that are at most `max` doublings from `machine`, the
/// closest first.
std::vector<NearMachine>
nearMachines(const Arch &machine, llvm::ArrayRef<Arch> known,
             double max = std::numeric_limits<double>::max());

} // namespace hone

#endif // HONE_SCHEDULE_MACHINEDISTANCE_H
