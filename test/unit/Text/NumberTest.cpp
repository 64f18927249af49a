//===- NumberTest.cpp - Tests of numbers in external text -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Text/Number.h"
#include "gtest/gtest.h"
#include <string>

using namespace hone;

TEST(Number, IsAllOfTheText) {
  EXPECT_EQ(realNumber("2.5e3"), 2500);
  EXPECT_EQ(realNumber("-0.125"), -0.125);
  for (const char *text : {"", "1x", "x", "1 ", "--1"})
    EXPECT_EQ(realNumber(text), std::nullopt) << text;
}

TEST(Number, ExactDoublesFit) {
  EXPECT_EQ(realNumber("0.1000000000000000055511151231257827021181583404541015"
                       "625"),
            0.1);
  EXPECT_EQ(realNumber("1" + std::string(300, '0')), 1e300);
}

TEST(Number, ThousandsOfDigitsAreNone) {
  std::string digits(100000, '7');
  EXPECT_EQ(realNumber(digits), std::nullopt);
  EXPECT_EQ(realNumber("0." + digits), std::nullopt);
  EXPECT_EQ(realNumber("0." + std::string(50000, '0') + "1e50000"),
            std::nullopt);
}

TEST(Number, IsSpeltAsShortAsItReadsBack) {
  for (const char *text : {"0", "1.41", "989", "-0.125", "4.5e-07", "1e+300",
                           "0.30000000000000004", "2039", "4300", "0.001",
                           "2000.5", "999999999999", "123456789.25"})
    EXPECT_EQ(shortestText(*realNumber(text)), text);
}
