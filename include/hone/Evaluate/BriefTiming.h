//===- BriefTiming.h - A first time of a candidate --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most candidates are slow, and a few milliseconds show it. What is far behind
// the best so far is timed once and let go; who comes near it gets three turns.
//
// A chip that warms up while a problem is searched is slower for later
// candidates. Where there is a yardstick, a kernel of the same problem, it runs
// before every turn, and times are what they would have been when it was new.
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

/// Seconds of a launch, once for every turn: a graph of about a millisecond.
/// `best` is the shortest time known, or 0; `least` what the chip could do.
/// `beat` is called before every turn.
llvm::Expected<std::vector<double>>
timeBriefly(Device &device, const Contender &launch, double best, double least,
            llvm::function_ref<void()> beat, Yardstick *yardstick = nullptr);

} // namespace hone

#endif // HONE_EVALUATE_BRIEFTIMING_H
