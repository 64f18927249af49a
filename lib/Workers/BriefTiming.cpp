//===- BriefTiming.cpp - Short timing of a candidate ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BriefTiming.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Workers/BriefTiming.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace hone;
using llvm::Error;

/// Records a graph of about half a millisecond, of launches of `about` seconds.
/// A kernel of a millisecond is launched once: the start and end of a graph
/// take some microseconds, and a second launch takes as long as the trial.
static llvm::Expected<DeviceGraph> record(Device &device,
                                          const Contender &launch, double about,
                                          size_t &launches) {
  constexpr double kGraphSeconds = 5e-4, kLaunchSeconds = 2e-6;
  const size_t fewest = about < 2 * kGraphSeconds ? 2 : 1;
  launches =
      std::clamp<size_t>(kGraphSeconds / (about + kLaunchSeconds), fewest, 256);
  return device.record([&]() -> Error {
    for (size_t at = 0; at < launches; ++at)
      if (Error error = launch(at))
        return error;
    return Error::success();
  });
}

double Warmth::left(Clock::time_point now) const {
  std::chrono::duration<double> rest = now - end;
  return std::max(0.0, seconds - rest.count());
}

void Warmth::add(double load, Clock::time_point now) {
  auto start = now - std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(load));
  seconds = std::min(kEnough, left(std::max(start, end)) + load);
  end = now;
}

/// Runs the timed graph until the chip's clock is steady: under full power the
/// clock falls within some tens of milliseconds, by an amount that depends on
/// the kernel. Returns the seconds that it ran.
static llvm::Expected<double> warmUp(Device &device, DeviceGraph &graph,
                                     double seconds,
                                     llvm::function_ref<void()> beat) {
  double passed = 0;
  while (passed < seconds) {
    beat();
    auto turn = device.time(graph);
    if (!turn)
      return turn.takeError();
    passed += *turn;
  }
  return passed;
}

llvm::Expected<Yardstick>
Yardstick::make(Device &device, const Contender &launch, double about) {
  constexpr int kTurns = 3;
  size_t launches;
  auto graph = record(device, launch, about, launches);
  if (!graph)
    return graph.takeError();
  std::vector<double> turns;
  for (int turn = 0; turn < kTurns; ++turn) {
    auto seconds = device.time(*graph);
    if (!seconds)
      return seconds.takeError();
    turns.push_back(*seconds);
  }
  return Yardstick{std::move(*graph), quantiles(turns).median};
}

llvm::Expected<std::vector<double>>
hone::timeBriefly(Device &device, const Contender &launch, double best,
                  double min, Warmth &warmth, llvm::function_ref<void()> beat,
                  Yardstick *yardstick) {
  constexpr double kFar = 1.5;
  constexpr int kTurns = 3;
  size_t launches;
  double about = std::max(best, min);
  auto graph = record(device, launch, about, launches);
  if (!graph)
    return graph.takeError();
  const bool isLong = about >= kLongLaunch;
  double load = 0;
  if (isLong) {
    auto warm =
        warmUp(device, *graph, warmth.missing(Warmth::Clock::now()), beat);
    if (!warm)
      return warm.takeError();
    load += *warm;
  }
  std::vector<double> turns;
  for (int turn = 0; turn < kTurns; ++turn) {
    beat();
    double slowdown = 1;
    if (yardstick) {
      auto now = device.time(yardstick->graph);
      if (!now)
        return now.takeError();
      slowdown = *now / yardstick->first;
      load += *now;
    }
    auto seconds = device.time(*graph);
    if (!seconds)
      return seconds.takeError();
    load += *seconds;
    turns.push_back(*seconds / launches / slowdown);
    // One turn may coincide with other work of the chip: of 4,387 schedules
    // timed in two searches, 41 differed by a factor of two.
    size_t far =
        llvm::count_if(turns, [&](double each) { return each > kFar * best; });
    if (best > 0 && far > kTurns / 2)
      break;
  }
  if (isLong)
    warmth.add(load, Warmth::Clock::now());
  return turns;
}
