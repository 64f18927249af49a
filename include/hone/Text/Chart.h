//===- Chart.h - Curves as a picture ----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws curves with bands as SVG, for a page of documentation or a browser.
//
//   Chart chart{"Search", "measurements", "best / found", {}};
//   chart.curves.push_back({"random", {{1, 0.6, 0.5, 0.7}, {8, 0.8, ...}}});
//   os << svgOf(chart);
//
// The horizontal axis is logarithmic; it has a mark at each value, or at round
// values if there are many. A point at 0 has no place on it: it is a separate
// dot at the left, without a line to the rest. The colours are distinguishable
// with red-green colour blindness, and the background is white, so the picture
// is also readable on a dark page. It uses the reader's fonts.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEXT_CHART_H
#define HONE_TEXT_CHART_H

#include <string>
#include <vector>

namespace hone {

struct ChartPoint {
  double x = 0; ///< 0 or more
  double y = 0;
  double low = 0, high = 0; ///< of the band, around y
};

struct ChartCurve {
  std::string name;
  std::vector<ChartPoint> points; ///< x ascends
};

struct Chart {
  std::string title, xLabel, yLabel;
  std::vector<ChartCurve> curves;
};

/// Labels may hold any text. A chart without points has axes only.
std::string svgOf(const Chart &chart);
/// Several charts, one below the other.
std::string svgOf(const std::vector<Chart> &charts);

} // namespace hone

#endif // HONE_TEXT_CHART_H
