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
// The horizontal axis is logarithmic; it has a mark at each value there is, or
// round ones where these are many. What stands at 0 has no place on it: a
// place of its own, left of everything, with a dot and no line to the rest.
// Colours are told apart by people who see red and green alike, and the picture
// is drawn on white, so it can be read on a dark page too. It needs no font but
// the reader's.
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
/// One below the other.
std::string svgOf(const std::vector<Chart> &charts);

} // namespace hone

#endif // HONE_TEXT_CHART_H
