//===- AccessWindow.cpp - An access read as windows of an image -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Digits of m are images and places of windows, those of k places in a window
// and channels. Without axes an access does not say which digits move together,
// and several images give the same places. The one that is chosen is nested:
// channels lie within a position, positions within a row, rows within an image.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Access.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace hone;
using Digit = OperandAccess::Digit;

std::optional<int64_t> Window::Side::high() const {
  for (int64_t number : {extent, count, size, step, dilation, low})
    if (number == kDynamic)
      return std::nullopt;
  return (count - 1) * step + (size - 1) * dilation + 1 - low - extent;
}

namespace {
/// A way to read the digits: which of them is where; -1: none.
struct Reading {
  int images = -1;
  std::array<int, 2> lines = {-1, -1}; ///< of h and w, among those of m
  std::array<int, 2> sum = {-1, -1};   ///< among those of k before the channels
};

class Reader {
public:
  explicit Reader(const OperandAccess &access) : access(access) {}
  std::optional<Window> read(const Reading &reading);

private:
  bool readSide(const Digit *line, const Digit *sum, Window::Side &side);
  bool readTogether(const Digit &line, const Digit &sum, int named,
                    Window::Side &side);

  const OperandAccess &access;
};
} // namespace

/// The digits along one side. Those with steps in memory get the coarsest
/// positions of which all their steps are multiples.
bool Reader::readSide(const Digit *line, const Digit *sum, Window::Side &side) {
  if (!line && !sum)
    return true;
  int named = std::max(line ? line->axis : -1, sum ? sum->axis : -1);
  side.count = line ? line->extent : 1;
  side.size = sum ? sum->extent : 1;
  bool isOne = !line || !sum || line->axis == sum->axis;
  if (named >= 0 && isOne) {
    const OperandAccess::Axis &axis = access.axes()[named];
    side.extent = axis.extent;
    side.pitch = axis.pitch;
    side.low = axis.low;
    side.step = line ? line->step : 1;
    side.dilation = sum ? sum->step : 1;
    return true;
  }
  if (line && sum)
    return readTogether(*line, *sum, named, side);
  side.pitch = line ? line->step : sum->step;
  side.extent = line ? side.count : side.size;
  return side.pitch != 0;
}

/// Digits of which one or none moves along the axis `named`.
bool Reader::readTogether(const Digit &line, const Digit &sum, int named,
                          Window::Side &side) {
  OperandAccess::Axis axis = {1, 1, 0};
  if (named >= 0)
    axis = access.axes()[named];
  for (int64_t number : {line.extent, line.step, sum.extent, sum.step,
                         axis.extent, axis.pitch, axis.low})
    if (number == kDynamic)
      return false;
  const Digit &free = line.axis < 0 ? line : sum;
  if (named >= 0 && (line.axis >= 0) == (sum.axis >= 0))
    return false;
  if (axis.extent == 1 && named >= 0)
    axis.pitch = free.extent * free.step;
  auto inElements = [&](const Digit &digit) {
    return digit.step * (digit.axis < 0 ? 1 : axis.pitch);
  };
  side.pitch = std::gcd(std::gcd(inElements(line), inElements(sum)),
                        axis.low * axis.pitch);
  if (side.pitch == 0)
    return false;
  side.step = inElements(line) / side.pitch;
  side.dilation = inElements(sum) / side.pitch;
  side.low = axis.low * axis.pitch / side.pitch;
  if (named < 0) {
    side.extent =
        (side.count - 1) * side.step + (side.size - 1) * side.dilation + 1;
    return true;
  }
  // A digit without an axis moves within one position of the axis.
  int64_t within = (free.extent - 1) * free.step;
  side.extent = ((axis.extent - 1) * axis.pitch + within) / side.pitch + 1;
  return within < axis.pitch;
}

/// Elements from the beginning of a side's first position to the end of its
/// last one, where a position has `inner` elements.
static int64_t lengthOf(const Window::Side &side, int64_t inner) {
  if (side.extent == kDynamic || side.pitch == kDynamic || inner == kDynamic)
    return kDynamic;
  return (side.extent - 1) * side.pitch + inner;
}

/// True if steps of `pitch` are known to be shorter than `length`.
static bool overlaps(int64_t pitch, int64_t length) {
  return pitch != kDynamic && length != kDynamic && length > pitch;
}

static int axisOf(llvm::ArrayRef<Digit> digits, int at) {
  return at < 0 ? -1 : digits[at].axis;
}

std::optional<Window> Reader::read(const Reading &reading) {
  llvm::ArrayRef<Digit> lines = access.lines(), sum = access.sum();
  Window window;
  bool hasChannels =
      !sum.empty() && sum.back().axis < 0 && sum.back().step == 1;
  if (hasChannels)
    window.channels = sum.back().extent;
  auto digit = [](llvm::ArrayRef<Digit> digits, int at) {
    return at < 0 ? nullptr : &digits[at];
  };
  // An axis is one side.
  for (int h : {axisOf(lines, reading.lines[0]), axisOf(sum, reading.sum[0])})
    if (h >= 0 && (h == axisOf(lines, reading.lines[1]) ||
                   h == axisOf(sum, reading.sum[1])))
      return std::nullopt;
  for (auto [i, side] : llvm::enumerate(std::array{&window.h, &window.w}))
    if (!readSide(digit(lines, reading.lines[i]), digit(sum, reading.sum[i]),
                  *side))
      return std::nullopt;
  if (const Digit *images = digit(lines, reading.images)) {
    if (images->axis >= 0)
      return std::nullopt;
    window.images = images->extent;
    window.imagePitch = images->step;
  }
  if (window.w.extent == 1)
    window.w.pitch = window.channels;
  int64_t row = lengthOf(window.w, window.channels);
  if (window.h.extent == 1)
    window.h.pitch = row;
  int64_t image = lengthOf(window.h, row);
  if (reading.images < 0)
    window.imagePitch = image;
  // A whole line of a window may be the channels of its first position.
  if ((window.w.size != 1 && overlaps(window.w.pitch, window.channels)) ||
      overlaps(window.h.pitch, row) || overlaps(window.imagePitch, image))
    return std::nullopt;
  return window;
}

/// The ways to read `lines` digits of m, the likeliest first.
static llvm::ArrayRef<Reading> readingsOf(size_t lines) {
  static constexpr Reading kNone[] = {{}};
  static constexpr Reading kOne[] = {
      {-1, {-1, 0}}, {-1, {0, -1}}, {0, {-1, -1}}};
  static constexpr Reading kTwo[] = {{0, {-1, 1}}, {-1, {0, 1}}, {0, {1, -1}}};
  static constexpr Reading kThree[] = {{0, {1, 2}}};
  switch (lines) {
  case 0:
    return kNone;
  case 1:
    return kOne;
  case 2:
    return kTwo;
  case 3:
    return kThree;
  default:
    return {};
  }
}

std::optional<Window> OperandAccess::window() const {
  size_t count = sum().size();
  bool hasChannels = count && sum().back().axis < 0 && sum().back().step == 1;
  count -= hasChannels;
  if (count > 2)
    return std::nullopt;
  Reader reader(*this);
  for (Reading reading : readingsOf(lines().size()))
    for (int first : {1, 0}) {
      if (count != 1 && first == 0)
        break;
      if (count == 2)
        reading.sum = {0, 1};
      if (count == 1)
        reading.sum = first == 1 ? std::array{-1, 0} : std::array{0, -1};
      if (std::optional<Window> window = reader.read(reading))
        return window;
    }
  return std::nullopt;
}
