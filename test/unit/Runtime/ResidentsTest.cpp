//===- ResidentsTest.cpp - Tests of memory that programs keep -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants are copied once in each context; flags of assertions are found, and
// cleared when they are taken.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace hone;
using namespace hone::test;

namespace {

const float kWeights[4] = {1, 2, 3, 4};

TEST(Residents, AConstantIsCopiedOnce) {
  FakeDriver fake;
  HoneResident *slot = nullptr;
  void *first = nullptr, *second = nullptr;
  ASSERT_EQ(honeConstant(&slot, kWeights, sizeof(kWeights), &first), HONE_OK);
  EXPECT_EQ(fake.countCalls("cuMemcpyHtoDAsync"), 1u);
  EXPECT_EQ(fake.allocations[reinterpret_cast<cu::Address>(first)],
            sizeof(kWeights));
  EXPECT_EQ(fake.liveStreams, 0);
  fake.takeCalls();
  ASSERT_EQ(honeConstant(&slot, kWeights, sizeof(kWeights), &second), HONE_OK);
  EXPECT_EQ(first, second);
  EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent");
  honeReleaseResident(&slot);
  EXPECT_EQ(slot, nullptr);
  EXPECT_TRUE(fake.freed.count(reinterpret_cast<cu::Address>(first)));
}

TEST(Residents, EachContextHasItsCopy) {
  FakeDriver fake;
  HoneResident *slot = nullptr;
  void *first = nullptr, *second = nullptr, *again = nullptr;
  FakeDriver::setContext(FakeDriver::contextOf(0));
  ASSERT_EQ(honeConstant(&slot, kWeights, sizeof(kWeights), &first), HONE_OK);
  FakeDriver::setContext(FakeDriver::contextOf(1));
  ASSERT_EQ(honeConstant(&slot, kWeights, sizeof(kWeights), &second), HONE_OK);
  EXPECT_NE(first, second);
  FakeDriver::setContext(FakeDriver::contextOf(0));
  ASSERT_EQ(honeConstant(&slot, kWeights, sizeof(kWeights), &again), HONE_OK);
  EXPECT_EQ(first, again);
  honeReleaseResident(&slot);
  EXPECT_EQ(fake.freed.size(), 2u);
}

TEST(Residents, ACaptureDoesNotRecordTheCopy) {
  FakeDriver fake;
  fake.isCapturing = true;
  HoneResident *slot = nullptr;
  void *pointer = nullptr;
  EXPECT_EQ(honeConstant(&slot, kWeights, sizeof(kWeights), &pointer), HONE_OK);
  EXPECT_EQ(FakeDriver::captureMode(), cu::CAPTURE_GLOBAL);
  honeReleaseResident(&slot);
}

TEST(Residents, AFailedCopyLeavesNothing) {
  for (const char *call :
       {"cuMemAllocAsync", "cuMemcpyHtoDAsync", "cuStreamSynchronize"}) {
    FakeDriver fake;
    fake.failures[call] = cu::Result(2);
    honeSetErrorHandler([](int32_t, const char *, void *) {}, nullptr);
    HoneResident *slot = nullptr;
    void *pointer = &slot;
    EXPECT_NE(honeConstant(&slot, kWeights, sizeof(kWeights), &pointer),
              HONE_OK);
    EXPECT_EQ(pointer, nullptr);
    EXPECT_EQ(fake.allocations.size(), fake.freed.size()) << call;
    fake.failures.clear();
    EXPECT_EQ(honeConstant(&slot, kWeights, sizeof(kWeights), &pointer),
              HONE_OK);
    EXPECT_NE(pointer, nullptr);
    honeReleaseResident(&slot);
    honeSetErrorHandler(nullptr, nullptr);
  }
}

TEST(Residents, NoBytesAreNull) {
  FakeDriver fake;
  HoneResident *slot = nullptr;
  void *pointer = &slot;
  EXPECT_EQ(honeConstant(&slot, kWeights, 0, &pointer), HONE_OK);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(slot, nullptr);
}

TEST(Residents, AFlagStartsAtZero) {
  FakeDriver fake;
  HoneResident *slot = nullptr;
  void *flag = nullptr;
  ASSERT_EQ(honeAssertion(&slot, "index out of range", &flag), HONE_OK);
  EXPECT_TRUE(fake.cleared.count(reinterpret_cast<cu::Address>(flag)));
  const char *text = "";
  EXPECT_EQ(honeTakeAssertion(&text), HONE_OK);
  EXPECT_EQ(text, nullptr);
  honeReleaseResident(&slot);
}

TEST(Residents, AFlagThatIsSetIsTakenOnce) {
  FakeDriver fake;
  HoneResident *one = nullptr, *two = nullptr;
  void *first = nullptr, *second = nullptr;
  ASSERT_EQ(honeAssertion(&one, "first", &first), HONE_OK);
  ASSERT_EQ(honeAssertion(&two, "second", &second), HONE_OK);
  fake.words[reinterpret_cast<cu::Address>(second)] = 1;
  const char *text = nullptr;
  EXPECT_EQ(honeTakeAssertion(&text), HONE_OK);
  ASSERT_NE(text, nullptr);
  EXPECT_STREQ(text, "second");
  EXPECT_EQ(honeTakeAssertion(&text), HONE_OK);
  EXPECT_EQ(text, nullptr);
  honeReleaseResident(&one);
  honeReleaseResident(&two);
}

} // namespace
