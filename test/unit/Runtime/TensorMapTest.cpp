//===- TensorMapTest.cpp - Tensor maps of launches ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel gets the map of the values of its launch, whether the map is new,
// cached, or encoded by another thread.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "lib/Runtime/TensorMaps.h"
#include "gtest/gtest.h"
#include <cstring>
#include <thread>

using namespace hone;
using namespace hone::test;

namespace {

constexpr const char *kTensorMapPtx = ".target sm_90a\n.entry k(";
constexpr const char *kTensorMapPlan = R"(hone-plan 2
args a m k
alternative 1
launch k
param tensormap a : bf16 dims (k, m, 3) strides (k * 2, m * k * 2) box (64, 32, 1) swizzle 128
param ptr a
param tensormap a + 1024 : f32 dims (m) strides () box (16) swizzle 0
)";

class TensorMapTest : public testing::Test {
protected:
  void SetUp() override {
    image = honeRegisterImage(kTensorMapPtx, strlen(kTensorMapPtx));
    fake.paramSizes["k"] = {128, 8, 128};
  }
  void TearDown() override {
    honeRelease(&slot);
    honeUnregisterImage(image);
  }

  int32_t launch(int64_t a, int64_t m, int64_t k) {
    int64_t args[] = {a, m, k};
    return honeLaunch(&slot, kTensorMapPlan, args, 3);
  }

  /// The words of parameter `index` of the last launch.
  std::vector<uint64_t> words(size_t index) {
    std::vector<uint64_t> result(16);
    memcpy(result.data(), fake.launches.back().params[index].data(), 128);
    return result;
  }

  FakeDriver fake;
  CapturedErrors captured;
  HoneKernel *slot = nullptr;
  void *image = nullptr;
};

TEST_F(TensorMapTest, EncodesWhatThePlanSays) {
  ASSERT_EQ(launch(0x10000, 100, 64), HONE_OK);
  EXPECT_EQ(words(0),
            (std::vector<uint64_t>{9 * 10000 + 300 + 3, 0x10000, 64, 100, 3, 0,
                                   0, 128, 12800, 0, 0, 64, 32, 1, 0, 0}));
  EXPECT_EQ(words(2),
            (std::vector<uint64_t>{7 * 10000 + 100, 0x10400, 100, 0, 0, 0, 0, 0,
                                   0, 0, 0, 16, 0, 0, 0, 0}));
}

/// For f32 on tensor cores the copy engine rounds the elements.
TEST_F(TensorMapTest, RoundsToTf32) {
  std::string plan = kTensorMapPlan;
  plan.replace(plan.rfind("f32"), 3, "tf32");
  int64_t args[] = {0x10000, 100, 64};
  ASSERT_EQ(honeLaunch(&slot, plan.c_str(), args, 3), HONE_OK);
  EXPECT_EQ(words(2).front(), uint64_t(11 * 10000 + 100));
}

TEST_F(TensorMapTest, EncodesOnce) {
  ASSERT_EQ(launch(0x10000, 100, 64), HONE_OK);
  EXPECT_EQ(fake.countCalls("cuTensorMapEncodeTiled"), 2u);
  fake.takeCalls();
  std::vector<uint64_t> first = words(0);
  ASSERT_EQ(launch(0x10000, 100, 64), HONE_OK);
  EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent cuLaunchKernelEx");
  EXPECT_EQ(words(0), first);
  // The second map does not depend on k.
  ASSERT_EQ(launch(0x10000, 100, 128), HONE_OK);
  EXPECT_EQ(fake.countCalls("cuTensorMapEncodeTiled"), 1u);
  EXPECT_EQ(words(0)[2], 128u);
}

TEST_F(TensorMapTest, RemembersSixteen) {
  for (int round = 0; round < 3; ++round)
    for (int64_t i = 1; i <= 16; ++i) {
      ASSERT_EQ(launch(0x10000 * i, 100, 64), HONE_OK);
      EXPECT_EQ(words(0)[1], uint64_t(0x10000 * i));
    }
  EXPECT_EQ(fake.countCalls("cuTensorMapEncodeTiled"), 32u);
  // The map in use survives many others.
  for (int64_t i = 100; i < 200; ++i) {
    ASSERT_EQ(launch(0x10000 * i, 100, 64), HONE_OK);
    fake.takeCalls();
    ASSERT_EQ(launch(0x20000, 100, 64), HONE_OK);
    EXPECT_EQ(words(0)[1], 0x20000u);
    if (i > 100)
      EXPECT_EQ(fake.countCalls("cuTensorMapEncodeTiled"), 0u) << i;
  }
}

TEST_F(TensorMapTest, BadValues) {
  EXPECT_EQ(launch(0x10008, 100, 64), HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(), "expected a tensor map with an address that is "
                                "a multiple of 16, but got 65544");
  EXPECT_EQ(launch(0x10000, 100, 0), HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(), "expected a tensor map with extents from 1 to "
                                "4294967296, but got 0");
  EXPECT_EQ(launch(0x10000, 100, 65), HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(),
               "expected a tensor map with strides that are multiples of 16 "
               "bytes below 2^40, but got 130");
  fake.failures["cuTensorMapEncodeTiled"] = 1;
  EXPECT_EQ(launch(0x10000, 100, 64), HONE_CUDA_ERROR);
  EXPECT_STREQ(honeLastError(), "cuTensorMapEncodeTiled: invalid argument "
                                "(CUDA_ERROR_INVALID_VALUE)");
  // A map whose encoding failed is not cached.
  fake.failures.clear();
  EXPECT_EQ(launch(0x10000, 100, 64), HONE_OK);
}

/// A map that is a function of its key, so that a partly written one shows.
cu::TensorMap mapOf(const TensorMapKey &key) {
  cu::TensorMap map;
  for (unsigned i = 0; i < 16; ++i)
    map.opaque[i] = key.words[0] * 31 + i * key.words[1];
  return map;
}

TEST(TensorMapCache, IsNeverTorn) {
  TensorMapCache cache;
  auto work = [&](unsigned seed) {
    unsigned wrong = 0;
    for (unsigned i = 0; i < 50000; ++i) {
      seed = seed * 1664525 + 1013904223;
      TensorMapKey key = {{16 * (seed >> 27), seed >> 26 & 1, 3, 4}, 2};
      cu::TensorMap map, expected = mapOf(key);
      if (cache.find(key, map))
        wrong += memcmp(&map, &expected, sizeof(map)) != 0;
      else
        cache.insert(key, expected);
    }
    EXPECT_EQ(wrong, 0u);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
