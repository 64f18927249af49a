//===- CallTimes.cpp - Time of a call -------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CallTimes.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/CallTimes.h"
#include "hone-c/Runtime.h"
#include "hone/Measure/StreamTiming.h"
#include <chrono>

using namespace hone;

static llvm::Expected<Quantiles> timeOnWall(Call &call, int64_t repeat) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int64_t i = 0; i < repeat; ++i) {
    Clock::time_point start = Clock::now();
    if (llvm::Error error = call.run())
      return std::move(error);
    std::chrono::duration<double> passed = Clock::now() - start;
    seconds.push_back(passed.count());
  }
  return quantiles(seconds);
}

static llvm::Expected<Quantiles> timeOnDevice(Call &call, int64_t repeat) {
  std::string why;
  const Driver *driver = Driver::get(&why);
  if (!driver)
    return llvm::createStringError(why);
  // A function that launched nothing has left the thread without a context.
  if (honeSynchronize() != HONE_OK)
    return llvm::createStringError(honeLastError());
  StreamTiming timing;
  timing.calls = repeat;
  auto stream = reinterpret_cast<cu::Stream>(honeGetStream());
  auto seconds =
      timeOnStream(*driver, stream, timing, [&] { return call.enqueue(); });
  if (!seconds)
    return seconds.takeError();
  // The last calls may have failed without a message.
  if (llvm::Error error = call.run())
    return std::move(error);
  return quantiles(*seconds);
}

llvm::Expected<CallTimes> hone::timeCalls(Call &call, int64_t repeat,
                                          bool onDevice) {
  CallTimes times;
  if (llvm::Error error = timeOnWall(call, repeat).moveInto(times.wall))
    return std::move(error);
  if (!onDevice)
    return times;
  if (llvm::Error error = timeOnDevice(call, repeat).moveInto(times.device))
    return std::move(error);
  return times;
}
