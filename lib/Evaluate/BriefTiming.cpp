//===- BriefTiming.cpp - A first time of a candidate ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BriefTiming.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Evaluate/BriefTiming.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace hone;
using llvm::Error;

/// A graph of about a millisecond, of launches of `about` seconds.
static llvm::Expected<DeviceGraph> record(Device &device,
                                          const Contender &launch, double about,
                                          size_t &launches) {
  constexpr double kGraphSeconds = 1e-3, kLaunchSeconds = 2e-6;
  launches =
      std::clamp<size_t>(kGraphSeconds / (about + kLaunchSeconds), 2, 256);
  return device.record([&]() -> Error {
    for (size_t at = 0; at < launches; ++at)
      if (Error error = launch(at))
        return error;
    return Error::success();
  });
}

/// Runs what is timed until the chip's clock is what it will be: under a load
/// that takes all power it falls within some tens of milliseconds, and not for
/// all kernels alike.
static Error warmUp(Device &device, DeviceGraph &graph,
                    llvm::function_ref<void()> beat) {
  constexpr double kSeconds = 0.04;
  for (double passed = 0; passed < kSeconds;) {
    beat();
    auto seconds = device.time(graph);
    if (!seconds)
      return seconds.takeError();
    passed += *seconds;
  }
  return Error::success();
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
                  double least, llvm::function_ref<void()> beat,
                  Yardstick *yardstick) {
  constexpr double kFar = 2;
  constexpr int kTurns = 3;
  size_t launches;
  double about = std::max(best, least);
  auto graph = record(device, launch, about, launches);
  if (!graph)
    return graph.takeError();
  if (about >= kLongLaunch)
    if (Error error = warmUp(device, *graph, beat))
      return std::move(error);
  std::vector<double> turns;
  for (int turn = 0; turn < kTurns; ++turn) {
    beat();
    double slowdown = 1;
    if (yardstick) {
      auto now = device.time(yardstick->graph);
      if (!now)
        return now.takeError();
      slowdown = *now / yardstick->first;
    }
    auto seconds = device.time(*graph);
    if (!seconds)
      return seconds.takeError();
    turns.push_back(*seconds / launches / slowdown);
    // One turn may have met something else that the chip does: of 4,387
    // schedules that were timed in two searches 41 differed by a factor of two.
    size_t far =
        llvm::count_if(turns, [&](double each) { return each > kFar * best; });
    if (best > 0 && far > kTurns / 2)
      break;
  }
  return turns;
}
