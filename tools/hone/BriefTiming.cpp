//===- BriefTiming.cpp - A first time of a candidate ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BriefTiming.h.
//
//===----------------------------------------------------------------------===//

#include "BriefTiming.h"
#include <algorithm>

using namespace hone;
using llvm::Error;

llvm::Expected<std::vector<double>>
hone::timeBriefly(Device &device, const Contender &launch, double best,
                  double least, llvm::function_ref<void()> beat) {
  constexpr double kGraphSeconds = 1e-3, kLaunchSeconds = 2e-6, kFar = 2;
  constexpr int kTurns = 3;
  size_t launches = std::clamp<size_t>(
      kGraphSeconds / (std::max(best, least) + kLaunchSeconds), 2, 256);
  auto graph = device.record([&]() -> Error {
    for (size_t at = 0; at < launches; ++at)
      if (Error error = launch(at))
        return error;
    return Error::success();
  });
  if (!graph)
    return graph.takeError();
  std::vector<double> turns;
  for (int turn = 0; turn < kTurns; ++turn) {
    beat();
    auto seconds = device.time(*graph);
    if (!seconds)
      return seconds.takeError();
    turns.push_back(*seconds / launches);
    if (best > 0 && turns.back() > kFar * best)
      break;
  }
  return turns;
}
