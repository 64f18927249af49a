//===- ImagesTest.cpp - Tests of finding and loading kernels --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images are loaded late, once, and only where they can run. The right one of
// several is found, and the compiler's log reaches the user.
//
//===----------------------------------------------------------------------===//

#include "lib/Runtime/Images.h"
#include "FakeDriver.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace hone;
using namespace hone::test;

namespace {

std::string ptx(const char *target, const char *entry) {
  return std::string("//\n.version 8.0\n.target ") + target +
         "\n.address_size 64\n\n.visible .entry " + entry +
         "(\n\t.param .u64 p\n)\n{ ret; }\n";
}

void setNumber(std::string &bytes, size_t offset, size_t size, size_t number) {
  for (size_t i = 0; i < size; ++i)
    bytes[offset + i] = char(number >> (8 * i));
}

/// An ELF file for CUDA: a header, `text`, and a table of one section.
std::string cubin(const std::string &text) {
  std::string header = std::string("\x7f") + "ELF\x02" + std::string(59, '\0');
  setNumber(header, 18, 2, 190);
  setNumber(header, 40, 8, header.size() + text.size());
  setNumber(header, 58, 2, 64);
  setNumber(header, 60, 2, 1);
  return header + text + std::string(64, '\0');
}

std::string fatBinary(const std::string &text) {
  std::string header = "\x50\xed\x55\xba" + std::string(12, '\0');
  setNumber(header, 6, 2, header.size());
  setNumber(header, 8, 8, text.size());
  return header + text;
}

class ImagesTest : public testing::Test {
protected:
  void TearDown() override {
    honeRelease(&slot);
    for (void *image : images)
      honeUnregisterImage(image);
  }

  void add(const std::string &bytes) {
    kept.push_back(std::make_unique<std::string>(bytes));
    images.push_back(honeRegisterImage(kept.back()->c_str(), bytes.size()));
    EXPECT_NE(images.back(), nullptr);
  }

  int32_t launch(const std::string &entry) {
    std::string plan =
        "hone-plan 2\nargs\nalternative 1\nlaunch " + entry + "\n";
    honeRelease(&slot);
    return honeLaunch(&slot, plan.c_str(), nullptr, 0);
  }

  FakeDriver fake;
  CapturedErrors captured;
  std::vector<std::unique_ptr<std::string>> kept;
  std::vector<void *> images;
  HoneKernel *slot = nullptr;
};

TEST_F(ImagesTest, RegistrationLoadsNothing) {
  add(ptx("sm_90a", "k"));
  EXPECT_EQ(fake.takeCalls(), "");
  ASSERT_EQ(launch("k"), HONE_OK);
  ASSERT_EQ(launch("k"), HONE_OK);
  EXPECT_EQ(fake.librariesLoaded, 1u);
}

TEST_F(ImagesTest, NamesEndWhereTheyEnd) {
  add(ptx("sm_80", "kernel_long"));
  EXPECT_EQ(launch("kernel"), HONE_NO_IMAGE);
  EXPECT_STREQ(honeLastError(),
               "expected an image with the entry point 'kernel', but got none "
               "of 1 with it; register it first");
  EXPECT_EQ(launch("long"), HONE_NO_IMAGE);
  EXPECT_EQ(fake.librariesLoaded, 0u);
  EXPECT_EQ(launch("kernel_long"), HONE_OK);
}

TEST_F(ImagesTest, OtherDevices) {
  const std::tuple<const char *, int, bool> table[] = {
      {"sm_80", 80, true},    {"sm_80", 90, true},    {"sm_80", 75, false},
      {"sm_90a", 90, true},   {"sm_90a", 80, false},  {"sm_90a", 100, false},
      {"sm_90", 100, true},   {"sm_100f", 103, true}, {"sm_100f", 120, false},
      {"sm_100a", 103, false}};
  for (auto [target, capability, runs] : table) {
    FakeDriver machine;
    machine.capability = capability;
    machine.deviceName = "NVIDIA A100";
    std::string text = ptx((std::string(target) + ", debug").c_str(), "k");
    void *image = honeRegisterImage(text.c_str(), text.size() + 1);
    EXPECT_EQ(launch("k"), runs ? HONE_OK : HONE_WRONG_DEVICE)
        << target << " on " << capability;
    if (!runs && capability == 80)
      EXPECT_STREQ(honeLastError(),
                   "expected a device of architecture sm_90a, but got 8.0 "
                   "('NVIDIA A100')");
    honeRelease(&slot);
    honeUnregisterImage(image);
  }
}

TEST_F(ImagesTest, TakesTheImageThatRunsHere) {
  add(ptx("sm_80", "k"));
  add(ptx("sm_100a", "k"));
  add(ptx("sm_90a", "other"));
  ASSERT_EQ(launch("k"), HONE_OK);
  EXPECT_EQ(fake.librariesLoaded, 1u);
  EXPECT_TRUE(captured.errors.empty());
}

TEST_F(ImagesTest, TheNewestImageWins) {
  add(ptx("sm_80", "k"));
  add(ptx("sm_90a", "k") + "// second");
  fake.failures["cuLibraryLoadData"] = 218;
  fake.jitLog = "\nptxas application ptx input, line 5; error   : Bad\r\n\n"
                "ptxas fatal   : Aborted\nthird\nfourth\n";
  EXPECT_EQ(launch("k"), HONE_CUDA_ERROR);
  EXPECT_STREQ(honeLastError(),
               "cuLibraryLoadData: a PTX JIT compilation failed "
               "(CUDA_ERROR_INVALID_PTX): ptxas application ptx input, line "
               "5; error   : Bad; ptxas fatal   : Aborted; third");
  EXPECT_EQ(captured.errors.size(), 1u);
  // A failure is not kept: the next launch tries again.
  fake.failures.clear();
  EXPECT_EQ(launch("k"), HONE_OK);
}

TEST_F(ImagesTest, CubinsAreAskedThroughTheDriver) {
  add(cubin("some cubin with .text.k in it"));
  add(fatBinary("compressed k"));
  add(cubin("another cubin"));
  ASSERT_EQ(launch("k"), HONE_OK);
  EXPECT_EQ(fake.librariesLoaded, 1u);
  fake.failures["cuLibraryLoadData"] = cu::ERROR_NO_BINARY_FOR_GPU;
  EXPECT_EQ(launch("another"), HONE_WRONG_DEVICE);
  EXPECT_STREQ(honeLastError(), "expected a device that the image was compiled "
                                "for, but got 9.0 ('Fake H200')");
  EXPECT_EQ(launch("nowhere"), HONE_NO_IMAGE);
}

TEST_F(ImagesTest, RefusesOtherBytes) {
  EXPECT_EQ(honeRegisterImage("BC\xc0\xde", 4), nullptr);
  EXPECT_STREQ(honeLastError(),
               "expected PTX, a cubin or a fat binary, but got "
               "something else");
  EXPECT_EQ(honeRegisterImage(nullptr, 0), nullptr);
  EXPECT_EQ(honeRegisterImage(nullptr, 10), nullptr);
  honeUnregisterImage(nullptr);
  EXPECT_EQ(captured.errors.size(), 3u);
  // A header without contents, one of another machine, and one with too large a
  // size.
  std::string whole = cubin("text"), other = whole, fat = fatBinary("text");
  other[18] = 62;
  for (std::string bytes : {std::string("\x7f") + "ELF", whole.substr(0, 63),
                            whole.substr(0, whole.size() - 1), other,
                            fat.substr(0, 8), fat.substr(0, fat.size() - 1)})
    EXPECT_EQ(honeRegisterImage(bytes.data(), bytes.size()), nullptr);
  EXPECT_EQ(captured.errors.size(), 9u);
  honeUnregisterImage(&fake);
  EXPECT_STREQ(honeLastError(), "expected the handle of a registered image, "
                                "but got another pointer");
}

TEST_F(ImagesTest, UnregisteredKernelsAreLookedUpAgain) {
  add(ptx("sm_80", "k"));
  add(ptx("sm_90", "k"));
  const char *plan = "hone-plan 2\nargs\nalternative 1\nlaunch k\n";
  ASSERT_EQ(honeLaunch(&slot, plan, nullptr, 0), HONE_OK);
  honeUnregisterImage(images.back());
  images.pop_back();
  EXPECT_EQ(fake.librariesUnloaded, 1u);
  ASSERT_EQ(honeLaunch(&slot, plan, nullptr, 0), HONE_OK);
  EXPECT_EQ(fake.librariesLoaded, 2u);
  fake.takeCalls();
  ASSERT_EQ(honeLaunch(&slot, plan, nullptr, 0), HONE_OK);
  EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent cuLaunchKernelEx");
  honeUnregisterImage(images.back());
  images.pop_back();
  EXPECT_EQ(honeLaunch(&slot, plan, nullptr, 0), HONE_NO_IMAGE);
}

} // namespace
