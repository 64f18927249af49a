//===- WindowsTest.cpp - Pixels that the copy engine visits ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk through images, against the definition of a convolution.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulate/Windows.h"
#include "lib/Simulate/Launch.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::simulate;

namespace {

/// Images of `h` x `w` pixels of 8 bytes, without gaps.
MapValue mapOf(int64_t images, int64_t h, int64_t w) {
  MapValue map;
  map.dims = {8, w, h, images};
  map.strides = {8, w * 8, h * w * 8};
  return map;
}

/// The numbers of the pixels from a corner on; -1 outside of the images.
std::vector<int64_t> visit(const MapValue &map, std::vector<int64_t> start,
                           int64_t image, std::vector<int64_t> offsets,
                           int64_t count) {
  std::vector<int64_t> numbers;
  Pixels pixels(map, start, image, offsets);
  EXPECT_EQ(pixels.fault(), "");
  for (; count > 0; --count, pixels.advance())
    numbers.push_back(pixels.address() ? *pixels.address() / 8 : -1);
  return numbers;
}

/// From the last column of a row of the first image to the second image: the
/// row and the column before the image are zeros.
TEST(Pixels, GoOnToTheNextRowAndImage) {
  MapValue map = mapOf(2, 3, 3);
  map.lower = map.upper = {-1, -1}, map.steps = {1, 1};
  EXPECT_EQ(visit(map, {1, 0}, 0, {0, 0}, 11),
            (std::vector<int64_t>{1, -1, 3, 4, -1, -1, -1, -1, 9, 10, -1}));
}

/// Every window of a convolution is at its place, for all taps.
TEST(Pixels, AreThoseOfAConvolution) {
  constexpr int64_t kImages = 2;
  for (WindowArguments::Side side : {WindowArguments::Side{7, 7, 3, 1, 1, 1},
                                     {9, 4, 3, 2, 1, 0},
                                     {11, 5, 3, 2, 2, 1},
                                     {5, 2, 1, 3, 1, 0},
                                     {4, 6, 5, 1, 1, 3}}) {
    MapValue map = mapOf(kImages, side.in, side.in);
    int64_t upper = (side.out - 1) * side.step - side.pad - (side.in - 1);
    map.lower = {-side.pad, -side.pad}, map.upper = {upper, upper};
    map.steps = {side.step, side.step};
    for (int64_t r = 0; r < side.filter; ++r)
      for (int64_t s = 0; s < side.filter; ++s) {
        std::vector<int64_t> expected;
        for (int64_t at = 0; at < kImages * side.out * side.out; ++at) {
          int64_t i = at / side.out % side.out * side.step + r * side.dilation -
                      side.pad;
          int64_t j = at % side.out * side.step + s * side.dilation - side.pad;
          bool isInside = i >= 0 && i < side.in && j >= 0 && j < side.in;
          int64_t image = at / side.out / side.out;
          expected.push_back(isInside ? (image * side.in + i) * side.in + j
                                      : -1);
        }
        EXPECT_EQ(visit(map, {-side.pad, -side.pad}, 0,
                        {s * side.dilation, r * side.dilation},
                        kImages * side.out * side.out),
                  expected);
      }
  }
}

/// After the last image everything is zero.
TEST(Pixels, EndWithTheLastImage) {
  MapValue map = mapOf(1, 1, 2);
  map.lower = map.upper = {0, 0}, map.steps = {1, 1};
  EXPECT_EQ(visit(map, {1, 0}, 0, {0, 0}, 3),
            (std::vector<int64_t>{1, -1, -1}));
  EXPECT_EQ(visit(map, {0, 0}, 7, {0, 0}, 1), (std::vector<int64_t>{-1}));
}

TEST(Pixels, RefuseStartsAndOffsetsOfNoEngine) {
  MapValue map = mapOf(1, 4, 4);
  map.lower = {-1, -1}, map.upper = {-2, -2}, map.steps = {1, 1};
  EXPECT_EQ(Pixels(map, {2, 0}, 0, {0, 0}).fault(),
            "starts at pixel 2 of dimension 0, outside of the map's corners -1 "
            "and 1");
  EXPECT_EQ(Pixels(map, {0, -2}, 0, {0, 0}).fault(),
            "starts at pixel -2 of dimension 1, outside of the map's corners "
            "-1 and 1");
  EXPECT_EQ(Pixels(map, {0, 0}, 0, {256, 0}).fault(),
            "has an offset of 256; expected 0 to 255");
  EXPECT_EQ(Pixels(map, {0, 0}, -1, {0, 0}).fault(), "starts in image -1");
}

} // namespace
