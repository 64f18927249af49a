//===- StreamTimingTest.cpp - Tests of timing by two events ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses a driver table that records its calls.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/StreamTiming.h"
#include <gtest/gtest.h>
#include <string>

using namespace hone;

namespace {
std::string calls; ///< one letter per call
cu::Result allocation = cu::SUCCESS;

Driver makeDriver() {
  Driver driver = {};
  calls.clear();
  driver.cuEventCreate = [](cu::Event *event, unsigned) {
    *event = reinterpret_cast<cu::Event>(8);
    return cu::Result(cu::SUCCESS);
  };
  driver.cuEventDestroy = [](cu::Event) {
    calls += 'd';
    return cu::Result(cu::SUCCESS);
  };
  driver.cuEventRecord = [](cu::Event, cu::Stream) {
    calls += 'e';
    return cu::Result(cu::SUCCESS);
  };
  driver.cuEventSynchronize = [](cu::Event) {
    calls += 'w';
    return cu::Result(cu::SUCCESS);
  };
  driver.cuEventElapsedTime = [](float *milliseconds, cu::Event, cu::Event) {
    *milliseconds = 6;
    return cu::Result(cu::SUCCESS);
  };
  driver.cuMemAlloc = [](cu::Address *address, size_t) {
    *address = 16;
    return allocation;
  };
  driver.cuMemFree = [](cu::Address) {
    calls += 'f';
    return cu::Result(cu::SUCCESS);
  };
  driver.cuMemsetD8Async = [](cu::Address, unsigned char, size_t, cu::Stream) {
    if (calls.empty() || calls.back() != 'm')
      calls += 'm';
    return cu::Result(cu::SUCCESS);
  };
  return driver;
}
} // namespace

TEST(StreamTiming, CallsWaitForAFill) {
  Driver driver = makeDriver();
  allocation = cu::SUCCESS;
  auto seconds = timeOnStream(driver, nullptr, {/*calls=*/3, /*rounds=*/2}, [] {
    calls += 'c';
    return llvm::Error::success();
  });
  ASSERT_TRUE(bool(seconds));
  EXPECT_EQ(*seconds, std::vector<double>(2, double(6.0f * 1e-3 / 3)));
  EXPECT_EQ(calls, "mecccewmecccewmecccewddf");
}

TEST(StreamTiming, NeedsNoMemory) {
  Driver driver = makeDriver();
  allocation = cu::ERROR_OUT_OF_MEMORY;
  auto seconds = timeOnStream(driver, nullptr, {/*calls=*/1, /*rounds=*/1},
                              [] { return llvm::Error::success(); });
  ASSERT_TRUE(bool(seconds));
  EXPECT_EQ(calls, "eeweewdd");
}

TEST(StreamTiming, AFailedCallEndsIt) {
  Driver driver = makeDriver();
  allocation = cu::SUCCESS;
  auto seconds = timeOnStream(driver, nullptr, {/*calls=*/3, /*rounds=*/2}, [] {
    return llvm::createStringError("no launch");
  });
  EXPECT_EQ(llvm::toString(seconds.takeError()), "no launch");
  EXPECT_EQ(calls, "meddf");
}
