//===- StreamTiming.cpp - GPU time of enqueued work -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StreamTiming.h. If no memory can be allocated to fill, calls are timed
// without the fill before them.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/StreamTiming.h"
#include <algorithm>
#include <chrono>

using namespace hone;
using llvm::Error;

namespace {
class StreamClock {
public:
  StreamClock(const Driver &driver, cu::Stream stream)
      : driver(driver), stream(stream) {}
  ~StreamClock();

  Error open();
  llvm::Expected<double> timeCalls(size_t calls,
                                   llvm::function_ref<Error()> enqueue);

private:
  static constexpr size_t kLeadBytes = size_t(64) << 20;
  /// An upper bound of fill rates.
  static constexpr double kBytesPerSecond = 8e12;

  Error check(cu::Result result, const char *call) const {
    return result == cu::SUCCESS
               ? Error::success()
               : llvm::createStringError(driver.describe(call, result));
  }
  Error lead();

  const Driver &driver;
  cu::Stream stream;
  cu::Event start = nullptr, end = nullptr;
  cu::Address scratch = 0;
  /// The host's time to enqueue the calls of a round.
  double enqueueSeconds = 0;
};
} // namespace

StreamClock::~StreamClock() {
  for (cu::Event event : {start, end})
    if (event)
      driver.cuEventDestroy(event);
  if (scratch)
    driver.cuMemFree(scratch);
}

Error StreamClock::open() {
  for (cu::Event *event : {&start, &end})
    if (Error error = check(driver.cuEventCreate(event, 0), "cuEventCreate"))
      return error;
  if (driver.cuMemAlloc(&scratch, kLeadBytes) != cu::SUCCESS)
    scratch = 0;
  return Error::success();
}

/// Keeps the GPU busy while the host enqueues.
Error StreamClock::lead() {
  if (!scratch)
    return Error::success();
  size_t fills = enqueueSeconds * kBytesPerSecond / kLeadBytes + 1;
  for (size_t i = 0; i < std::min<size_t>(fills, 1000); ++i)
    if (Error error =
            check(driver.cuMemsetD8Async(scratch, 0, kLeadBytes, stream),
                  "cuMemsetD8Async"))
      return error;
  return Error::success();
}

llvm::Expected<double>
StreamClock::timeCalls(size_t calls, llvm::function_ref<Error()> enqueue) {
  using Clock = std::chrono::steady_clock;
  if (Error error = lead())
    return std::move(error);
  Clock::time_point before = Clock::now();
  if (Error error = check(driver.cuEventRecord(start, stream), "cuEventRecord"))
    return std::move(error);
  for (size_t i = 0; i < calls; ++i)
    if (Error error = enqueue())
      return std::move(error);
  if (Error error = check(driver.cuEventRecord(end, stream), "cuEventRecord"))
    return std::move(error);
  enqueueSeconds = std::chrono::duration<double>(Clock::now() - before).count();
  if (Error error = check(driver.cuEventSynchronize(end), "cuEventSynchronize"))
    return std::move(error);
  float milliseconds = 0;
  if (Error error = check(driver.cuEventElapsedTime(&milliseconds, start, end),
                          "cuEventElapsedTime"))
    return std::move(error);
  return milliseconds * 1e-3 / calls;
}

llvm::Expected<std::vector<double>>
hone::timeOnStream(const Driver &driver, cu::Stream stream,
                   const StreamTiming &timing,
                   llvm::function_ref<Error()> enqueue) {
  StreamClock clock(driver, stream);
  if (Error error = clock.open())
    return std::move(error);
  std::vector<double> seconds;
  // The first round measures the enqueue time, and does not count.
  for (size_t round = 0; round <= timing.rounds; ++round) {
    llvm::Expected<double> time = clock.timeCalls(timing.calls, enqueue);
    if (!time)
      return time.takeError();
    if (round)
      seconds.push_back(*time);
  }
  return seconds;
}
