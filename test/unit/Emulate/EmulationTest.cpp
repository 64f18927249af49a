//===- EmulationTest.cpp - Memory and time of the emulation ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When copies are done, who may touch what, and what is found where that is not
// so.
//
//===----------------------------------------------------------------------===//

#include "hone/Emulate/Emulate.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;

static std::string finish(Emulation &device) {
  return llvm::toString(device.finish());
}

TEST(Emulation, copiesAreInTheOrderOfTheStream) {
  Emulation device;
  void *there = device.allocate(4);
  float one = 1, two = 2, back = 0;
  device.copy(there, &one, 4);
  device.copy(&back, there, 4);
  device.copy(there, &two, 4);
  // A copy takes what is there when it is done.
  one = 7;
  EXPECT_EQ(back, 0.0f);
  EXPECT_EQ(finish(device), "");
  EXPECT_EQ(back, 7.0f);
  device.release(there);
}

TEST(Emulation, earlyWorkIsDoneAtOnce) {
  Emulation device;
  device.setOrder({WorkOrder::early, 1});
  void *there = device.allocate(4);
  float one = 1, back = 0;
  device.copy(there, &one, 4);
  one = 7;
  device.copy(&back, there, 4);
  EXPECT_EQ(back, 1.0f);
  device.release(there);
  EXPECT_EQ(finish(device), "");
}

TEST(Emulation, theHostMayNotTouchTheDevice) {
  Emulation device;
  auto *there = static_cast<volatile float *>(device.allocate(4));
  EXPECT_EXIT((void)*there, ::testing::ExitedWithCode(1),
              "touched memory of the device");
  EXPECT_EXIT(*there = 1, ::testing::ExitedWithCode(1),
              "touched memory of the device");
}

TEST(Emulation, newMemoryIsPoisoned) {
  Emulation device;
  auto *shared = static_cast<float *>(device.allocate(8, /*isShared=*/true));
  EXPECT_TRUE(std::isnan(shared[0]) && std::isnan(shared[1]));
  device.release(shared);
}

TEST(Emulation, copiesStayInsideOfBuffers) {
  Emulation device;
  char bytes[64] = {};
  void *there = device.allocate(24);
  device.copy(there, bytes, 24);
  EXPECT_EQ(finish(device), "");
  device.copy(there, bytes, 25);
  EXPECT_EQ(finish(device), "a copy touches bytes 0 to 25 of a buffer of 24");
  device.release(there);
  device.copy(bytes, there, 8);
  EXPECT_EQ(finish(device),
            "a copy touches bytes 0 to 8 of a buffer that was freed");
}

TEST(Emulation, buffersAreFreedOnce) {
  Emulation device;
  void *there = device.allocate(24);
  device.release(there);
  device.release(there);
  EXPECT_EQ(finish(device), "frees a buffer of the device twice");
  device.release(static_cast<char *>(device.allocate(24)) + 8);
  EXPECT_EQ(finish(device), "frees what is no start of a buffer of the device");
}
