//===- ChartTest.cpp - Tests of curves as a picture -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every element is closed in order, for any labels, and no position is outside
// the picture.
//
//===----------------------------------------------------------------------===//

#include "hone/Text/Chart.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"
#include <vector>

using namespace hone;
using llvm::StringRef;

namespace {

/// True if `text` is elements with quoted attributes, closed in order.
bool isWellFormed(StringRef text) {
  std::vector<StringRef> open;
  while (!text.trim().empty()) {
    auto [before, after] = text.split('<');
    if (before.contains('>') || (open.empty() && !before.trim().empty()))
      return false;
    auto [tag, rest] = after.split('>');
    text = rest;
    if (tag.count('"') % 2 || tag.contains('<'))
      return false;
    if (tag.consume_front("/")) {
      if (open.empty() || open.back() != tag)
        return false;
      open.pop_back();
    } else if (!tag.ends_with("/")) {
      open.push_back(tag.split(' ').first);
    }
    if (open.empty())
      return text.trim().empty();
  }
  return false;
}

Chart someChart() {
  Chart chart{"Found", "measurements", "best / found", {}};
  chart.curves.push_back(
      {"one",
       {{0, 0.9, 0.85, 0.95}, {1, 0.92, 0.9, 0.94}, {8, 0.97, 0.96, 0.98}}});
  chart.curves.push_back({"two", {{1, 0.5, 0.4, 0.6}, {8, 0.7, 0.6, 0.8}}});
  return chart;
}

TEST(Chart, IsWellFormedWithEveryCurve) {
  std::string text = svgOf(someChart());
  EXPECT_TRUE(isWellFormed(text)) << text;
  EXPECT_EQ(StringRef(text).count("<polyline"), 2u);
  EXPECT_EQ(StringRef(text).count("<polygon"), 2u);
  EXPECT_EQ(StringRef(text).count("<circle"), 5u);
  EXPECT_NE(text.find("viewBox=\"0 0 "), std::string::npos);
  EXPECT_NE(text.find(">0.4</text>"), std::string::npos);
  EXPECT_EQ(text, svgOf(someChart()));
}

TEST(Chart, LabelsMayHoldAnything) {
  Chart chart = someChart();
  chart.title = "</text><script> & \"quoted\" \x01";
  chart.curves[0].name = "a<b&c";
  std::string text = svgOf(chart);
  EXPECT_TRUE(isWellFormed(text)) << text;
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_NE(text.find("a&lt;b&amp;c"), std::string::npos);
}

TEST(Chart, NothingAndOnePointHaveAxes) {
  Chart chart;
  EXPECT_TRUE(isWellFormed(svgOf(chart)));
  for (double x : {0.0, 4.0}) {
    chart.curves = {{"one", {{x, 1, 1, 1}}}};
    std::string text = svgOf(chart);
    EXPECT_TRUE(isWellFormed(text)) << text;
    EXPECT_EQ(StringRef(text).lower().find("nan"), std::string::npos);
    EXPECT_EQ(StringRef(text).lower().find("inf"), std::string::npos);
  }
}

/// All circles are inside, and later measurements are further right.
TEST(Chart, PlacesAreInsideAndInOrder) {
  std::string text = svgOf(someChart());
  std::vector<double> places;
  for (StringRef rest = text; !rest.empty();) {
    rest = rest.split("<circle cx=\"").second;
    double x = 0, y = 0;
    if (rest.empty())
      break;
    ASSERT_FALSE(rest.split('"').first.getAsDouble(x));
    ASSERT_FALSE(rest.split("cy=\"").second.split('"').first.getAsDouble(y));
    EXPECT_TRUE(x > 0 && x < 860 && y > 0 && y < 480);
    places.push_back(x);
  }
  ASSERT_EQ(places.size(), 5u);
  EXPECT_LT(places[0], places[1]);
  EXPECT_LT(places[1], places[2]);
  EXPECT_EQ(places[1], places[3]);
}

} // namespace
