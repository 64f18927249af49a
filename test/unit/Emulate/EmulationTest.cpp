//===- EmulationTest.cpp - Tests of memory and order in the emulation -----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The times at which copies complete, the permitted accesses to memory, and the
// findings for other accesses.
//
//===----------------------------------------------------------------------===//

#include "hone/Emulate/Emulate.h"
#include "llvm/ADT/STLFunctionalExtras.h"
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
  // A copy takes the bytes that are there when it completes.
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

/// Runs with memory of the host, then with memory of both sides.
static void withHostMemory(llvm::function_ref<void(Emulation &, float *)> run) {
  for (bool isShared : {false, true}) {
    Emulation device;
    void *memory =
        isShared ? device.allocate(4, isShared) : device.allocateOnHost(4);
    run(device, static_cast<float *>(memory));
    device.release(memory);
    EXPECT_EQ(finish(device), "");
  }
}

TEST(Emulation, theHostWaitsForWhatItReads) {
  withHostMemory([](Emulation &device, float *memory) {
    void *there = device.allocate(4);
    device.copy(memory, there, 4);
    float early = *memory;
    EXPECT_TRUE(std::isnan(early));
    EXPECT_EQ(finish(device),
              "expected a wait before the host reads a buffer "
              "of 4 bytes, but work that writes it was pending");
    device.copy(memory, there, 4);
    EXPECT_EQ(finish(device), "");
    early = *memory;
    device.release(there);
  });
}

TEST(Emulation, theHostWaitsForWhatItWrites) {
  withHostMemory([](Emulation &device, float *memory) {
    void *there = device.allocate(4);
    *memory = 1;
    device.copy(there, memory, 4);
    // Both may read at once.
    EXPECT_EQ(*memory, 1.0f);
    EXPECT_EQ(finish(device), "");
    device.copy(there, memory, 4);
    *memory = 2;
    EXPECT_EQ(finish(device), "expected a wait before the host writes a buffer "
                              "of 4 bytes, but work that reads it was pending");
    // An op that starts after the access does not conflict with it.
    device.copy(there, memory, 4);
    EXPECT_EQ(finish(device), "");
    device.release(there);
  });
}

TEST(Emulation, memoryOfTheHostIsFreedAtOnce) {
  Emulation device;
  void *there = device.allocate(4), *memory = device.allocateOnHost(4);
  device.copy(there, memory, 4);
  device.release(memory);
  EXPECT_EQ(finish(device),
            "a copy touches bytes 0 to 4 of a buffer that was freed");
  device.release(there);
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
  EXPECT_EQ(finish(device),
            "frees a pointer that is not the start of a buffer of the device");
}
