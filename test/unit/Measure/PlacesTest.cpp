//===- PlacesTest.cpp - Tests of the places that a GPU copies -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function of the kernel `hone_unfold` and the access agree about every
// element.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/DeviceCheck.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

OperandAccess accessOf(const char *text) {
  return llvm::cantFail(OperandAccess::parse(text));
}

TEST(PlacesTest, AreThoseOfTheAccess) {
  for (const char *text :
       {"m[3*320, 8*x, 5*y] k[3*x, 3*y, 8*1] x[8*40, low 1] y[5*8, low 1]",
        "m[2*1000, 4*2x, 3*3y] k[7*2x, 3*y, 4*1] x[9*96, low 5] y[8*12, low 1]",
        "m[2*960, 6*160, 4*16] k[3*160, 24*1]",
        "m[9*x] k[5*x, 4*1] x[9*4, low "
        "2]",
        "m[2*100, 5*x, 4*8] k[3*x, 16*1] x[5*20, low 1]", "m[6*8] k[8*1]"}) {
    OperandAccess access = accessOf(text);
    gpucheck::Places places = llvm::cantFail(placesOf(access));
    int64_t zeros = 0;
    for (int64_t line = 0; line < access.lineCount(); ++line)
      for (int64_t sum = 0; sum < access.sumCount(); ++sum) {
        int64_t expected = access.at(0, line, sum).value_or(-1);
        zeros += expected < 0;
        ASSERT_EQ(gpucheck::placeOf(places, line, sum), expected)
            << text << ": " << line << ", " << sum;
      }
    EXPECT_EQ(zeros > 0, !access.axes().empty()) << text;
  }
}

TEST(PlacesTest, OfOtherAccessesAreRefused) {
  for (const char *text :
       {"b[2*64] m[4*8] k[8*1]", "m[?*8] k[8*1]",
        "m[2*1, 2*10, 2*100, 2*1000, 2*10000] k[2*3]",
        "m[4*x, 4*y, 4*z] k[3*x, 3*y, 3*z, 8*1] x[4*128, low 1] "
        "y[4*32, low 1] z[4*8, low 1]"})
    EXPECT_EQ(llvm::toString(placesOf(accessOf(text)).takeError()),
              std::string("expected windows of images to copy, but got ") +
                  text);
}

} // namespace
