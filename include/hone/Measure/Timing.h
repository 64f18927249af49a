//===- Timing.h - Timing on the GPU and on the host -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two clocks, for two questions:
//
// | function     | question                        | how                     |
// |--------------|---------------------------------|-------------------------|
// | sampleOnGpu  | how long is the GPU busy?       | a graph of back-to-back |
// |              |                                 | launches on             |
// |              |                                 | rotating input sets     |
// | sampleOnHost | how long does a caller wait for | one call at a time, by  |
// |              | one launch?                     | the host's clock        |
//
// In both, contenders take turns in every round, so that a GPU that changes its
// clock, or a busy host, affects them alike. On the GPU every round draws an
// order of its own: the clock of a chip at its power limit depends on the load
// some milliseconds ago, so a contender whose predecessors are always the same
// is timed at the clock that *they* cause. `hone-lab clock` shows by how much.
// On the host the contender that begins a round rotates.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_TIMING_H
#define HONE_MEASURE_TIMING_H

#include "hone/Device/Device.h"
#include "hone/Numerics/Statistics.h"
#include <functional>
#include <vector>

namespace hone {

/// Enqueues one launch on input set `set`; or makes one call.
using Contender = std::function<llvm::Error(size_t set)>;

/// The order of contenders within a round.
enum class TurnOrder {
  drawn, ///< anew in every round; the same in every run
  given, ///< as listed, over and over
};

struct GpuTiming {
  size_t sets = 1;     ///< together larger than the L2 cache
  size_t launches = 1; ///< per graph
  size_t rounds = 11;
  /// Max rounds while the outcome is uncertain; contenders that cannot win drop
  /// out of these (nextRound). 0: `rounds` for all contenders.
  size_t maxRounds = 0;
  TurnOrder order = TurnOrder::drawn;
  double restSeconds = 0; ///< idle time of the chip before every turn
};

/// Seconds per launch or call, by contender. A round's value is the median of
/// its calls, so that two contenders can be compared round by round.
struct TimedRounds {
  std::vector<double> rounds;  ///< one value per round
  std::vector<double> samples; ///< every single measurement
};

/// Called before a contender runs, so that one that hangs can be named.
using Announce = std::function<void(size_t contender)>;

llvm::Expected<std::vector<TimedRounds>>
sampleOnGpu(Device &device, llvm::ArrayRef<Contender> contenders,
            const GpuTiming &timing, const Announce &announce = {});

/// CPU seconds of this thread, to which other load on the core adds nothing.
double threadSeconds();

/// How calls follow each other on the host.
struct HostTiming {
  size_t rounds = 7, calls = 100;
  /// Mean of the exponentially distributed pause before a call; none for 0.
  double pauseSeconds = 0;
  uint64_t seed = 1;
};

/// One extra round is made first, and not counted.
llvm::Expected<std::vector<TimedRounds>>
sampleOnHost(llvm::ArrayRef<Contender> contenders, const HostTiming &timing,
             const Announce &announce = {});

/// Seconds per call of each contender: `rounds` rounds of `calls` calls each,
/// after one round that is not counted.
llvm::Expected<std::vector<Quantiles>>
timeOnHost(llvm::ArrayRef<Contender> contenders, size_t rounds, size_t calls);

} // namespace hone

#endif // HONE_MEASURE_TIMING_H
