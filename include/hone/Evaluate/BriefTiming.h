//===- BriefTiming.h - A quick time of a candidate --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most candidates are slow, and a few milliseconds show it. A candidate far
// behind the best so far is timed twice; one that comes close gets three turns.
//
// A chip that warms up during a search is slower for later candidates. A
// yardstick, a kernel of the same problem, therefore runs before every turn, if
// there is one, and times are corrected to the yardstick's first time. Between
// candidates that take as long to compile a chip cools down, and runs kernels that
// need all its power 10 to 15 % faster than a program will see them: a kernel
// whose launches are long runs by itself for some tens of milliseconds first.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_BRIEFTIMING_H
#define HONE_EVALUATE_BRIEFTIMING_H

#include "hone/Measure/Timing.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone {

/// A kernel that is timed again and again.
struct Yardstick {
  DeviceGraph graph;
  double first; ///< seconds of the graph, when it was new

  static llvm::Expected<Yardstick> make(Device &device, const Contender &launch,
                                        double about);
};

/// Seconds per launch, one value per turn, which is a graph of about a
/// millisecond. `best` is the shortest time so far, or 0; `least` the shortest
/// that the chip could reach. `beat` is called before every turn.
llvm::Expected<std::vector<double>>
timeBriefly(Device &device, const Contender &launch, double best, double least,
            llvm::function_ref<void()> beat, Yardstick *yardstick = nullptr);

} // namespace hone

#endif // HONE_EVALUATE_BRIEFTIMING_H
