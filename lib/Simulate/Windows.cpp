//===- Windows.cpp - Windows of trials, and the pixels they read ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Windows.h.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include "Launch.h"
#include "Trials/TrialStart.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Windows of a trial
//===----------------------------------------------------------------------===//

bool simulate::readsWindows(const Subject &subject) {
  return llvm::is_contained(subject.plan.args, "images");
}

/// Number `choice` of the divisors of `value` up to `max`, from the largest on.
static int64_t divisorOf(int64_t value, int64_t max, unsigned choice) {
  llvm::SmallVector<int64_t> divisors;
  for (int64_t i = std::min(value, max); i >= 1; --i)
    if (value % i == 0)
      divisors.push_back(i);
  return divisors.empty() ? 1 : divisors[choice % divisors.size()];
}

/// One dimension of windows. Pixels at the end may belong to no window.
static WindowArguments::Side sideOf(int64_t out, int64_t filter,
                                    unsigned form) {
  constexpr unsigned kSteps = 3, kPads = 4;
  WindowArguments::Side side;
  side.out = out;
  side.filter = filter;
  side.step = 1 + form % kSteps;
  side.dilation = 1 + form / kSteps % 2;
  // Padding leaves pixels in the middle, which some tap reads.
  int64_t read = (out - 1) * side.step + (filter - 1) * side.dilation + 1;
  side.pad = std::min<int64_t>(form % kPads, (read - 1) / 2);
  int64_t after = std::min<int64_t>(form / 2 % kPads, (read - 1) / 2);
  side.in = read - side.pad - after + form % side.step;
  return side;
}

WindowArguments simulate::windowsOf(int64_t images, int64_t channels,
                                    std::array<int64_t, 2> out,
                                    std::array<int64_t, 2> filter,
                                    unsigned form) {
  WindowArguments window;
  window.images = images;
  window.channels = channels;
  window.h = sideOf(out[0], filter[0], form / 2 + 1);
  window.w = sideOf(out[1], filter[1], form);
  return window;
}

WindowArguments simulate::windowOf(const Subject &subject, const Trial &trial) {
  if (trial.window)
    return *trial.window;
  // Offsets stay below the limit of the engine for two dimensions of pixels.
  constexpr int64_t kMaxTaps = 60, kMaxSide = 256;
  int64_t tile = stepsOf(subject.kernel).tile;
  int64_t steps = llvm::divideCeil(std::max<int64_t>(trial.k, 1), tile);
  int64_t rest = trial.k - (steps - 1) * tile;
  unsigned form = trial.form;
  int64_t taps = divisorOf(steps, kMaxTaps, form / 2 % 2);
  int64_t columns = divisorOf(taps, kMaxTaps, form % 3);
  int64_t out = divisorOf(trial.m, kMaxSide, 1 + form % 3);
  int64_t rows = divisorOf(trial.m / out, kMaxSide, form / 2 % 3);
  constexpr int64_t kUnitBytes = 16;
  int64_t channels =
      llvm::alignTo((steps / taps - 1) * tile + std::max<int64_t>(rest, 0),
                    kUnitBytes / sizeOf(subject.problem.a.type));
  return windowsOf(trial.m / out / rows, channels, {rows, out},
                   {taps / columns, columns}, form);
}

int64_t simulate::depthOf(const Subject &subject, const Trial &trial) {
  if (!readsWindows(subject))
    return trial.k;
  WindowArguments window = windowOf(subject, trial);
  return window.taps() * window.channels;
}

//===----------------------------------------------------------------------===//
// Pixels
//===----------------------------------------------------------------------===//

Pixels::Pixels(const MapValue &map, llvm::ArrayRef<int64_t> start,
               int64_t image, llvm::ArrayRef<int64_t> offsets)
    : map(map), at(start), offsets(offsets), image(image) {}

int64_t Pixels::last(size_t dim) const {
  return map.dims[1 + dim] - 1 + map.upper[dim];
}

std::string Pixels::fault() const {
  constexpr std::array<int64_t, 3> kOffsetBits = {16, 8, 5};
  int64_t max = (int64_t(1) << kOffsetBits[at.size() - 1]) - 1;
  for (size_t i = 0; i < at.size(); ++i) {
    if (offsets[i] < 0 || offsets[i] > max)
      return formatv("has an offset of {0}; expected 0 to {1}", offsets[i],
                     max);
    if (at[i] < map.lower[i] || at[i] > last(i))
      return formatv("starts at pixel {0} of dimension {1}, outside of the "
                     "map's corners {2} and {3}",
                     at[i], i, map.lower[i], last(i));
  }
  return image < 0 ? formatv("starts in image {0}", image).str() : "";
}

std::optional<int64_t> Pixels::address() const {
  size_t rank = at.size();
  if (image < 0 || image >= map.dims[1 + rank])
    return std::nullopt;
  int64_t address = map.base + image * map.strides[rank];
  for (size_t i = 0; i < rank; ++i) {
    int64_t pixel = at[i] + offsets[i];
    if (pixel < 0 || pixel >= map.dims[1 + i])
      return std::nullopt;
    address += pixel * map.strides[i];
  }
  return address;
}

void Pixels::advance() {
  for (size_t i = 0; i < at.size(); ++i) {
    at[i] += map.steps[i];
    if (at[i] <= last(i))
      return;
    at[i] = map.lower[i];
  }
  ++image;
}
