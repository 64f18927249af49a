//===- Chart.cpp - Line charts as SVG -------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Chart.h. Lengths are in units of the view box.
//
//===----------------------------------------------------------------------===//

#include "hone/Text/Chart.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <set>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

static constexpr double kWidth = 860, kHeight = 480;
static constexpr double kLeft = 76, kRight = 670, kTop = 50, kBottom = 416;
static constexpr double kLegend = kRight + 24, kLine = 22;

/// The palette of Okabe and Ito, without yellow and black.
static constexpr StringRef kColours[] = {"#0072b2", "#d55e00", "#009e73",
                                         "#cc79a7", "#56b4e9", "#e69f00",
                                         "#555555"};

namespace {
/// Maps numbers to coordinates.
class Axes {
public:
  explicit Axes(const Chart &chart);
  double x(double value) const;
  double y(double value) const {
    return kBottom - (value - low) / (high - low) * (kBottom - kTop);
  }
  std::set<double> xTicks() const;
  std::vector<double> yTicks() const;
  int yDigits() const {
    return std::max(0, int(-std::floor(std::log10(step))));
  }

private:
  std::set<double> values; ///< all x values
  bool hasZero = false;
  double first = 1, last = 1;
  double low = 0, high = 1, step = 0.2;
};
} // namespace

/// 1, 2 or 5 times a power of ten, so that about five steps make `range`.
static double roundStep(double range) {
  double power = std::pow(10, std::floor(std::log10(range / 5)));
  double rest = range / 5 / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

Axes::Axes(const Chart &chart) {
  bool isEmpty = true;
  for (const ChartCurve &curve : chart.curves)
    for (const ChartPoint &point : curve.points) {
      double down = std::min(point.low, point.y);
      double up = std::max(point.high, point.y);
      low = isEmpty ? down : std::min(low, down);
      high = isEmpty ? up : std::max(high, up);
      isEmpty = false;
      values.insert(point.x);
    }
  hasZero = values.count(0);
  auto above = values.upper_bound(0);
  if (above != values.end()) {
    first = *above;
    last = *values.rbegin();
  }
  step = roundStep(std::max(high - low, 1e-3));
  low = std::floor(low / step) * step;
  high = std::ceil(high / step) * step;
  if (high <= low)
    high = low + step;
}

double Axes::x(double value) const {
  constexpr double kEdge = 20, kApart = 50;
  double begin = kLeft + kEdge + (hasZero ? kApart : 0), end = kRight - kEdge;
  if (value <= 0)
    return kLeft + kEdge;
  if (last <= first)
    return (begin + end) / 2;
  return begin +
         std::log(value / first) / std::log(last / first) * (end - begin);
}

std::set<double> Axes::xTicks() const {
  constexpr size_t kMany = 12;
  if (values.size() <= kMany)
    return values;
  std::set<double> ticks;
  for (double power = std::pow(10, std::floor(std::log10(first)));
       power <= last; power *= 10)
    for (double digit : {1, 2, 5})
      if (double tick = power * digit; tick >= first && tick <= last)
        ticks.insert(tick);
  if (hasZero)
    ticks.insert(0);
  // The range has no round number in it.
  return ticks.empty() ? std::set<double>{first, last} : ticks;
}

std::vector<double> Axes::yTicks() const {
  std::vector<double> ticks;
  for (int count = 0; low + count * step < high + step / 2; ++count)
    ticks.push_back(low + count * step);
  return ticks;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static std::string escaped(StringRef text) {
  std::string safe;
  llvm::raw_string_ostream os(safe);
  // XML cannot express a control character.
  for (char each : text)
    os << (static_cast<unsigned char>(each) < ' ' ? ' ' : each);
  std::string result;
  llvm::raw_string_ostream out(result);
  llvm::printHTMLEscaped(safe, out);
  return result;
}

static std::string textAt(double x, double y, StringRef anchor, StringRef text,
                          StringRef more = "") {
  return formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" text-anchor=\"{2}\"{3}>{4}"
                 "</text>\n",
                 x, y, anchor, more, escaped(text));
}

static std::string lineFrom(double x1, double y1, double x2, double y2,
                            StringRef colour, double width = 1) {
  return formatv("<line x1=\"{0:f1}\" y1=\"{1:f1}\" x2=\"{2:f1}\" y2=\"{3:f1}\""
                 " stroke=\"{4}\" stroke-width=\"{5:f1}\"/>\n",
                 x1, y1, x2, y2, colour, width);
}

static std::string numberText(const llvm::format_object_base &number) {
  std::string text;
  llvm::raw_string_ostream(text) << number;
  return text;
}

static std::string axesOf(const Chart &chart, const Axes &axes) {
  std::string text;
  for (double tick : axes.yTicks()) {
    double y = axes.y(tick);
    text += lineFrom(kLeft, y, kRight, y, "#e0e0e0");
    text += textAt(kLeft - 8, y + 4, "end",
                   numberText(llvm::format("%.*f", axes.yDigits(), tick)));
  }
  // Labels that would overlap are left out, except for the last.
  constexpr double kApart = 34;
  std::set<double> ticks = axes.xTicks();
  double last = -kApart, end = ticks.empty() ? 0 : axes.x(*ticks.rbegin());
  for (double tick : ticks) {
    double x = axes.x(tick);
    if (x < end && (x - last < kApart || end - x < kApart))
      continue;
    last = x;
    text += lineFrom(x, kBottom, x, kBottom + 5, "#333333");
    text +=
        textAt(x, kBottom + 20, "middle", numberText(llvm::format("%g", tick)));
  }
  text += lineFrom(kLeft, kBottom, kRight, kBottom, "#333333");
  text += lineFrom(kLeft, kTop, kLeft, kBottom, "#333333");
  text += textAt(kLeft, 28, "start", chart.title,
                 " font-size=\"16\" font-weight=\"bold\"");
  text += textAt((kLeft + kRight) / 2, kBottom + 44, "middle", chart.xLabel);
  double middle = (kTop + kBottom) / 2;
  text += textAt(20, middle, "middle", chart.yLabel,
                 formatv(" transform=\"rotate(-90 20 {0:f1})\"", middle).str());
  return text;
}

static std::string placesOf(llvm::ArrayRef<std::pair<double, double>> places) {
  std::string text;
  for (const auto &[x, y] : places)
    text += formatv("{0}{1:f1},{2:f1}", text.empty() ? "" : " ", x, y);
  return text;
}

static std::string bandOf(const ChartCurve &curve, const Axes &axes,
                          StringRef colour) {
  std::vector<std::pair<double, double>> edge, back;
  std::string text;
  for (const ChartPoint &point : curve.points) {
    double x = axes.x(point.x);
    if (point.x <= 0) {
      text +=
          lineFrom(x, axes.y(point.low), x, axes.y(point.high), colour, 1.5);
      continue;
    }
    edge.emplace_back(x, axes.y(point.high));
    back.emplace_back(x, axes.y(point.low));
  }
  edge.insert(edge.end(), back.rbegin(), back.rend());
  if (!edge.empty())
    text += formatv("<polygon points=\"{0}\" fill=\"{1}\" fill-opacity=\"0.15\""
                    " stroke=\"none\"/>\n",
                    placesOf(edge), colour);
  return text;
}

static std::string curveOf(const ChartCurve &curve, const Axes &axes,
                           StringRef colour) {
  std::vector<std::pair<double, double>> places;
  std::string dots;
  for (const ChartPoint &point : curve.points) {
    double x = axes.x(point.x), y = axes.y(point.y);
    dots += formatv("<circle cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"3.5\" "
                    "fill=\"{2}\"/>\n",
                    x, y, colour);
    if (point.x > 0)
      places.emplace_back(x, y);
  }
  if (places.empty())
    return dots;
  return formatv("<polyline points=\"{0}\" fill=\"none\" stroke=\"{1}\" "
                 "stroke-width=\"2\"/>\n",
                 placesOf(places), colour)
             .str() +
         dots;
}

static std::string panelOf(const Chart &chart) {
  Axes axes(chart);
  std::string text = axesOf(chart, axes);
  auto colourOf = [](size_t at) { return kColours[at % std::size(kColours)]; };
  // All bands are drawn below all lines.
  for (auto [at, curve] : llvm::enumerate(chart.curves))
    text += bandOf(curve, axes, colourOf(at));
  for (auto [at, curve] : llvm::enumerate(chart.curves)) {
    text += curveOf(curve, axes, colourOf(at));
    double y = kTop + 8 + at * kLine;
    text += lineFrom(kLegend, y, kLegend + 24, y, colourOf(at), 2.5);
    text += textAt(kLegend + 32, y + 4, "start", curve.name);
  }
  return text;
}

std::string hone::svgOf(const std::vector<Chart> &charts) {
  std::string text =
      formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:f0} "
              "{1:f0}\" font-family=\"sans-serif\" font-size=\"13\" "
              "fill=\"#222222\" role=\"img\">\n<title>{2}</title>\n"
              "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
              kWidth, kHeight * double(charts.size()),
              escaped(charts.empty() ? "" : charts.front().title));
  for (auto [at, chart] : llvm::enumerate(charts))
    text += formatv("<g transform=\"translate(0 {0:f0})\">\n{1}</g>\n",
                    kHeight * double(at), panelOf(chart));
  return text + "</svg>\n";
}

std::string hone::svgOf(const Chart &chart) {
  return svgOf(std::vector<Chart>{chart});
}
