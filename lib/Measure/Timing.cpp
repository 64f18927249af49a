//===- Timing.cpp - Honest time -------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph is replayed once before it is timed: the first replay uploads it.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/Timing.h"
#include <chrono>

using namespace hone;
using llvm::Error;

using Samples = std::vector<std::vector<double>>;

static std::vector<Quantiles> summarize(const Samples &samples) {
  std::vector<Quantiles> result;
  for (const std::vector<double> &list : samples)
    result.push_back(quantiles(list));
  return result;
}

llvm::Expected<std::vector<Quantiles>>
hone::timeOnGpu(Device &device, llvm::ArrayRef<Contender> contenders,
                const GpuTiming &timing) {
  std::vector<DeviceGraph> graphs;
  for (const Contender &contender : contenders) {
    auto graph = device.record([&]() -> Error {
      for (size_t i = 0; i < timing.launches; ++i)
        if (Error error = contender(i % timing.sets))
          return error;
      return Error::success();
    });
    if (!graph)
      return graph.takeError();
    graphs.push_back(std::move(*graph));
    if (auto warm = device.time(graphs.back()); !warm)
      return warm.takeError();
  }
  Samples samples(contenders.size());
  for (size_t round = 0; round < timing.rounds; ++round)
    for (size_t turn = 0; turn < graphs.size(); ++turn) {
      size_t i = (turn + round) % graphs.size();
      llvm::Expected<double> seconds = device.time(graphs[i]);
      if (!seconds)
        return seconds.takeError();
      samples[i].push_back(*seconds / timing.launches);
    }
  return summarize(samples);
}

llvm::Expected<std::vector<Quantiles>>
hone::timeOnHost(llvm::ArrayRef<Contender> contenders, size_t rounds,
                 size_t calls) {
  using Clock = std::chrono::steady_clock;
  Samples samples(contenders.size());
  for (size_t round = 0; round <= rounds; ++round)
    for (size_t turn = 0; turn < contenders.size(); ++turn) {
      size_t i = (turn + round) % contenders.size();
      for (size_t call = 0; call < calls; ++call) {
        Clock::time_point start = Clock::now();
        if (Error error = contenders[i](call))
          return std::move(error);
        std::chrono::duration<double> passed = Clock::now() - start;
        if (round > 0)
          samples[i].push_back(passed.count());
      }
    }
  return summarize(samples);
}
