//===- Convolution.cpp - Short names of convolutions ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Convolution.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Convolution.h"
#include "hone/Schedule/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

/// The windows along one side of `extent` positions; none fits if the count is
/// below 1.
static Window::Side sideOf(int64_t extent, int64_t pitch, int64_t size,
                           const Convolution &of) {
  int64_t room = extent + 2 * of.pad - size;
  Window::Side side;
  side.extent = extent;
  side.pitch = pitch;
  side.count = room < 0 ? 0 : room / of.step + 1;
  side.size = size;
  side.step = of.step;
  side.low = of.pad;
  return side;
}

static Window windowOf(const Convolution &of) {
  Window window;
  window.images = of.images;
  window.imagePitch = of.height * of.width * of.channels;
  window.h = sideOf(of.height, of.width * of.channels, of.rows, of);
  window.w = sideOf(of.width, of.channels, of.columns, of);
  window.channels = of.channels;
  return window;
}

/// Reads numbers of `min` or more with x between them.
static bool readNumbers(StringRef text, std::initializer_list<int64_t *> to,
                        int64_t min) {
  constexpr int64_t kMax = 1 << 20; // products of three fit 64 bits
  llvm::SmallVector<StringRef> parts;
  text.split(parts, 'x');
  if (parts.size() != to.size())
    return false;
  for (auto [part, number] : llvm::zip_equal(parts, to))
    if (part.getAsInteger(10, *number) || *number < min || *number > kMax)
      return false;
  return true;
}

llvm::Expected<Convolution> Convolution::parse(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  StringRef rest = text;
  bool good = rest.consume_front(kConvolution);
  rest.split(parts, ':');
  Convolution result;
  good = good && parts.size() >= 2 && parts.size() <= 4 &&
         readNumbers(
             parts[0],
             {&result.images, &result.height, &result.width, &result.channels},
             1) &&
         readNumbers(parts[1], {&result.filters, &result.rows, &result.columns},
                     1) &&
         (parts.size() < 3 || readNumbers(parts[2], {&result.step}, 1)) &&
         (parts.size() < 4 || readNumbers(parts[3], {&result.pad}, 0));
  if (!good)
    return llvm::createStringError(
        formatv("expected a convolution, but got '{0}'; use e.g. "
                "conv:32x56x56x64:128x3x3:2:1, which is "
                "NxHxWxC:FILTERSxROWSxCOLUMNS:STEP:PAD",
                text));
  Window window = windowOf(result);
  if (window.h.count < 1 || window.w.count < 1)
    return llvm::createStringError(
        formatv("expected windows that fit the image, but got '{0}'; use "
                "smaller filters, or more padding",
                text));
  if (std::optional<std::string> fault = result.in(Problem()).fault())
    return llvm::createStringError(formatv("'{0}': {1}", text, *fault));
  return result;
}

std::string Convolution::str() const {
  std::string text =
      formatv("{0}{1}x{2}x{3}x{4}:{5}x{6}x{7}", kConvolution, images, height,
              width, channels, filters, rows, columns);
  if (step != 1 || pad != 0)
    text += formatv(":{0}", step);
  if (pad != 0)
    text += formatv(":{0}", pad);
  return text;
}

/// Splits a line of a window, which may be the channels of its first position.
static void splitLine(Window &window) {
  Window::Side &side = window.w;
  if (side.size != 1 || side.pitch >= window.channels)
    return;
  int64_t adjacent = std::gcd(side.pitch, window.channels);
  side.step = side.pitch / adjacent;
  side.pitch = adjacent;
  side.size = window.channels / adjacent;
  side.extent = (side.count - 1) * side.step + side.size;
  window.channels = adjacent;
}

std::optional<Convolution> Convolution::of(const Problem &problem) {
  if (!problem.a.access || !problem.a.access->isStatic() || !problem.isStatic())
    return std::nullopt;
  std::optional<Window> window = problem.a.access->window();
  if (!window)
    return std::nullopt;
  splitLine(*window);
  Convolution result = {window->images,   window->h.extent, window->w.extent,
                        window->channels, problem.n,        window->h.size,
                        window->w.size,   window->h.step,   window->h.low};
  // The access omits positions between windows of one element.
  if (result.rows == 1 && result.columns == 1) {
    result.step = window->w.pitch / window->channels;
    result.width = std::max<int64_t>(
        window->h.pitch / (result.step * window->channels), 1);
    result.height = window->imagePitch / (result.width * window->channels);
  }
  return result.in(problem).a.access == problem.a.access ? std::optional(result)
                                                         : std::nullopt;
}

Problem Convolution::in(Problem form) const {
  Window window = windowOf(*this);
  form.a.order = Order::row;
  // Lines of A are pixels, and have the alignment of a matrix of them.
  int64_t alignA = withExtents(form, 1, 1, channels).a.align;
  Problem problem = withExtents(form, images * window.h.count * window.w.count,
                                filters, rows * columns * channels);
  problem.a.align = alignA;
  problem.a.access = OperandAccess(window);
  if (problem.a.access->order())
    problem.a.access.reset();
  return problem;
}
