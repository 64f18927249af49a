//===- Windows.cpp - The copy engine's windows on a GPU -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every tap of small convolutions, as the copy engine reads it, against the
// definition of a convolution. The simulator relies on it.
//
//===----------------------------------------------------------------------===//

#include "Smoke.h"

using namespace hone;
using namespace hone::test;

/// The walk of the engine, 16 windows of 8 channels at a time.
static const char *kLines =
    "launch smoke_windows\ngrid 1 ; 1 ; 1\nblock 128 ; 1 ; 1\n"
    "param tensormap a : f32 dims (c, w, h, n) strides (c * 4, w * c * 4, "
    "h * w * c * 4) window (0 - pad, 0 - pad) to "
    "((q - 1) * step - pad - w + 1, (p - 1) * step - pad - h + 1) "
    "step (step, step) box (8, 16) swizzle 0\n"
    "param ptr out\nparam i32 first\nparam i32 x\nparam i32 y\nparam i32 "
    "image\nparam i32 dx\nparam i32 dy\n";

namespace {
struct Convolution {
  int64_t n, h, w, c;
  int64_t rows, columns; ///< of the filter
  int64_t step, dilation, pad;

  int64_t p() const {
    return (h + 2 * pad - (rows - 1) * dilation - 1) / step + 1;
  }
  int64_t q() const {
    return (w + 2 * pad - (columns - 1) * dilation - 1) / step + 1;
  }
  uint32_t at(int64_t image, int64_t y, int64_t x, int64_t channel) const {
    bool isInside =
        image < n && y >= 0 && y < h && x >= 0 && x < w && channel < c;
    return isInside ? 1000 + ((image * h + y) * w + x) * c + channel : 0;
  }
};
} // namespace

/// The first wrong element, or an empty string. Boxes go on after the last
/// window, and two begin there.
static std::string faultOf(const Convolution &of, Plan &plan, Words &a,
                           Words &out) {
  constexpr int64_t kWindows = 16, kChannels = 8;
  int64_t ofImage = of.p() * of.q();
  for (int64_t tap = 0; tap < of.rows * of.columns; ++tap)
    for (int64_t channel = 0; channel < of.c; channel += kChannels)
      for (int64_t first = 0; first < of.n * ofImage + 2 * kWindows;
           first += kWindows) {
        int64_t r = tap / of.columns, s = tap % of.columns;
        int64_t inImage = first % ofImage;
        if (plan({a.address(), out.address(), of.n, of.h, of.w, of.c, of.p(),
                  of.q(), of.step, of.pad, channel,
                  inImage % of.q() * of.step - of.pad,
                  inImage / of.q() * of.step - of.pad, first / ofImage,
                  s * of.dilation, r * of.dilation}))
          return honeLastError();
        std::vector<uint32_t> box = out.read();
        for (int64_t i = 0; i < kWindows * kChannels; ++i) {
          int64_t window = first + i / kChannels;
          uint32_t wanted = of.at(
              window / ofImage,
              window % ofImage / of.q() * of.step + r * of.dilation - of.pad,
              window % of.q() * of.step + s * of.dilation - of.pad,
              channel + i % kChannels);
          if (box[i] != wanted)
            return "window " + std::to_string(window) + ", tap " +
                   std::to_string(tap) + ", channel " +
                   std::to_string(channel + i % kChannels) + ": expected " +
                   std::to_string(wanted) + ", but got " +
                   std::to_string(box[i]);
        }
      }
  return "";
}

void hone::test::checkWindows() {
  const std::pair<const char *, Convolution> cases[] = {
      {"windows_1x1", {2, 5, 7, 8, 1, 1, 1, 1, 0}},
      {"windows_padded", {3, 6, 5, 8, 3, 3, 1, 1, 1}},
      {"windows_channels", {2, 4, 4, 12, 3, 3, 1, 1, 1}},
      {"windows_step_2", {2, 9, 8, 8, 3, 3, 2, 1, 1}},
      {"windows_step_2_1x1", {2, 7, 6, 8, 1, 1, 2, 1, 0}},
      {"windows_step_3", {2, 11, 10, 8, 2, 4, 3, 1, 0}},
      {"windows_dilated", {2, 9, 9, 8, 3, 3, 1, 2, 2}},
      {"windows_7x7", {1, 14, 14, 8, 7, 7, 2, 1, 3}},
      {"windows_1d", {3, 1, 40, 8, 1, 5, 1, 3, 6}},
      {"windows_wide_padding", {2, 3, 3, 8, 3, 3, 1, 1, 3}},
  };
  for (const auto &[name, of] : cases) {
    Plan plan("a out n h w c p q step pad first x y image dx dy", kLines);
    Words a(of.n * of.h * of.w * of.c), out(128);
    std::vector<uint32_t> elements;
    for (size_t i = 0; i < a.count; ++i)
      elements.push_back(1000 + i);
    a.write(elements);
    std::string fault = faultOf(of, plan, a, out);
    result(name, fault.empty(), fault);
  }
}
