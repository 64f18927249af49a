//===- BriefTiming.h - A quick time of a candidate --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most candidates are slow, and a few milliseconds show it. A candidate that is
// far slower than the best so far is timed twice; one that is close gets three
// turns.
//
// A chip that warms up during a search is slower for later candidates. A
// yardstick, a kernel of the same problem, therefore runs before every turn, if
// there is one, and times are corrected to the yardstick's first time. If
// compilation takes as long as timing, the chip cools down between candidates.
// It then runs kernels that need all its power 10 to 15 % faster than in a
// program. So a kernel with long launches first runs untimed until the chip has
// been under such a load for some tens of milliseconds, including the load just
// before (Warmth).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_BRIEFTIMING_H
#define HONE_WORKERS_BRIEFTIMING_H

#include "hone/Measure/Timing.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>

namespace hone {

/// The time under load that still affects a chip's clock: load adds to it, and
/// rest subtracts as much.
class Warmth {
public:
  using Clock = std::chrono::steady_clock;
  /// Seconds of load after which the clock is stable.
  static constexpr double kEnough = 0.04;

  /// Seconds of load until then.
  double missing(Clock::time_point now) const { return kEnough - left(now); }
  /// Records that a load of `seconds` has ended now.
  void add(double seconds, Clock::time_point now);

private:
  double left(Clock::time_point now) const;

  double seconds = 0; ///< at its end
  Clock::time_point end = {};
};

/// A kernel that is timed again and again.
struct Yardstick {
  DeviceGraph graph;
  double first; ///< seconds of the graph, when it was new

  static llvm::Expected<Yardstick> make(Device &device, const Contender &launch,
                                        double about);
};

/// Seconds per launch, one value per turn, which is a graph of about half a
/// millisecond. `best` is the shortest time so far, or 0; `min` the shortest
/// that the chip could reach. `warmth` is the device's. `beat` is called before
/// every turn.
llvm::Expected<std::vector<double>>
timeBriefly(Device &device, const Contender &launch, double best, double min,
            Warmth &warmth, llvm::function_ref<void()> beat,
            Yardstick *yardstick = nullptr);

} // namespace hone

#endif // HONE_WORKERS_BRIEFTIMING_H
