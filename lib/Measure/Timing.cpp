//===- Timing.cpp - Timing on the GPU and on the host ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph is replayed once before it is timed, because the first replay uploads
// it.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/Timing.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <ctime>
#include <random>
#include <thread>

using namespace hone;
using llvm::Error;

static std::vector<Quantiles> summarize(const std::vector<TimedRounds> &timed) {
  std::vector<Quantiles> result;
  for (const TimedRounds &one : timed)
    result.push_back(quantiles(one.samples));
  return result;
}

//===----------------------------------------------------------------------===//
// On the GPU
//===----------------------------------------------------------------------===//

static std::vector<std::vector<double>>
roundsOf(llvm::ArrayRef<TimedRounds> timed) {
  std::vector<std::vector<double>> rounds;
  for (const TimedRounds &each : timed)
    rounds.push_back(each.rounds);
  return rounds;
}

/// Draws the order of a round. It uses raw numbers of the engine, because the
/// distributions and shuffles of standard libraries differ.
static void drawOrder(std::vector<size_t> &order, std::mt19937_64 &dice) {
  for (size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[dice() % left]);
}

/// Replays a graph, after a rest of the chip if requested.
static llvm::Expected<double> takeTurn(Device &device, DeviceGraph &graph,
                                       double restSeconds) {
  if (restSeconds > 0)
    std::this_thread::sleep_for(std::chrono::duration<double>(restSeconds));
  return device.time(graph);
}

llvm::Expected<std::vector<TimedRounds>>
hone::sampleOnGpu(Device &device, llvm::ArrayRef<Contender> contenders,
                  const GpuTiming &timing, const Announce &announce) {
  std::vector<DeviceGraph> graphs;
  for (auto [i, contender] : llvm::enumerate(contenders)) {
    if (announce)
      announce(i);
    auto graph = device.record([&, &launch = contender]() -> Error {
      for (size_t at = 0; at < timing.launches; ++at)
        if (Error error = launch(at % timing.sets))
          return error;
      return Error::success();
    });
    if (!graph)
      return graph.takeError();
    graphs.push_back(std::move(*graph));
    if (auto warm = device.time(graphs.back()); !warm)
      return warm.takeError();
  }
  std::vector<TimedRounds> timed(contenders.size());
  std::vector<size_t> order;
  std::mt19937_64 dice;
  while (true) {
    order = nextRound(roundsOf(timed), timing.rounds, timing.maxRounds);
    if (order.empty())
      break;
    if (timing.order == TurnOrder::drawn)
      drawOrder(order, dice);
    for (size_t i : order) {
      if (announce)
        announce(i);
      auto seconds = takeTurn(device, graphs[i], timing.restSeconds);
      if (!seconds)
        return seconds.takeError();
      timed[i].rounds.push_back(*seconds / timing.launches);
      timed[i].samples.push_back(timed[i].rounds.back());
    }
  }
  return timed;
}

//===----------------------------------------------------------------------===//
// On the host
//===----------------------------------------------------------------------===//

double hone::threadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

using Clock = std::chrono::steady_clock;

/// Busy wait: a sleep would wake up too late, and on a core with a lower clock.
static void pauseFor(double seconds) {
  Clock::time_point start = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - start).count() < seconds)
    ;
}

llvm::Expected<std::vector<TimedRounds>>
hone::sampleOnHost(llvm::ArrayRef<Contender> contenders,
                   const HostTiming &timing, const Announce &announce) {
  std::vector<TimedRounds> timed(contenders.size());
  std::mt19937_64 random(timing.seed);
  std::exponential_distribution<double> pause(
      timing.pauseSeconds > 0 ? 1 / timing.pauseSeconds : 1);
  for (size_t round = 0; round <= timing.rounds; ++round)
    for (size_t turn = 0; turn < contenders.size(); ++turn) {
      size_t i = (turn + round) % contenders.size();
      if (announce)
        announce(i);
      std::vector<double> calls;
      for (size_t call = 0; call < timing.calls; ++call) {
        if (timing.pauseSeconds > 0)
          pauseFor(pause(random));
        Clock::time_point start = Clock::now();
        if (Error error = contenders[i](call))
          return std::move(error);
        std::chrono::duration<double> passed = Clock::now() - start;
        calls.push_back(passed.count());
      }
      if (round == 0)
        continue;
      timed[i].rounds.push_back(quantiles(calls).median);
      llvm::append_range(timed[i].samples, calls);
    }
  return timed;
}

llvm::Expected<std::vector<Quantiles>>
hone::timeOnHost(llvm::ArrayRef<Contender> contenders, size_t rounds,
                 size_t calls) {
  auto timed = sampleOnHost(contenders, {rounds, calls});
  if (!timed)
    return timed.takeError();
  return summarize(*timed);
}
