//===- AccessTest.cpp - Canonical form, text and windows of accesses ------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Access.h"
#include "RandomValues.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <map>

using namespace hone;
using hone::test::Random;

namespace {
using Digits = OperandAccess::Digits;

/// A spelling, before it is canonical.
struct Nest {
  Digits batch, lines, sum;
  std::vector<OperandAccess::Axis> axes;

  OperandAccess access() const {
    return OperandAccess(batch, lines, sum, axes);
  }
};

/// The places that a nest reads, computed from its spelling: -1 for zeros.
using Places = std::vector<int64_t>;

int64_t countOf(const Digits &digits) {
  int64_t count = 1;
  for (const OperandAccess::Digit &digit : digits)
    count *= digit.extent;
  return count;
}

int64_t placeOf(const Nest &nest, std::array<int64_t, 3> indices) {
  int64_t place = 0;
  llvm::SmallVector<int64_t> positions;
  for (const OperandAccess::Axis &axis : nest.axes)
    positions.push_back(-axis.low);
  const Digits *lists[] = {&nest.batch, &nest.lines, &nest.sum};
  for (int list = 0; list < 3; ++list) {
    int64_t below = countOf(*lists[list]);
    for (const OperandAccess::Digit &digit : *lists[list]) {
      below /= digit.extent;
      int64_t moved = indices[list] / below % digit.extent * digit.step;
      if (digit.axis < 0)
        place += moved;
      else
        positions[digit.axis] += moved;
    }
  }
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] < 0 || positions[i] >= nest.axes[i].extent)
      return -1;
    place += positions[i] * nest.axes[i].pitch;
  }
  return place;
}

template <typename Place>
Places placesOf(std::array<int64_t, 3> counts, Place place) {
  Places places(counts.begin(), counts.end());
  for (int64_t b = 0; b < counts[0]; ++b)
    for (int64_t m = 0; m < counts[1]; ++m)
      for (int64_t k = 0; k < counts[2]; ++k)
        places.push_back(place({b, m, k}));
  return places;
}

std::array<int64_t, 3> countsOf(const Nest &nest) {
  return {countOf(nest.batch), countOf(nest.lines), countOf(nest.sum)};
}

Places placesOf(const Nest &nest) {
  return placesOf(countsOf(nest),
                  [&](std::array<int64_t, 3> at) { return placeOf(nest, at); });
}

Places placesOf(const Nest &nest, const OperandAccess &access) {
  return placesOf(countsOf(nest), [&](std::array<int64_t, 3> at) {
    return access.at(at[0], at[1], at[2]).value_or(-1);
  });
}

/// True if every digit with more than one value moves between two elements
/// that are not zero, and no index moves twice along an axis.
bool isDetermined(const Nest &nest) {
  std::array<int64_t, 3> counts = countsOf(nest);
  std::array<Digits, 3> lists = {nest.batch, nest.lines, nest.sum};
  for (size_t list = 0; list < 3; ++list) {
    for (int axis = 0; axis < int(nest.axes.size()); ++axis)
      if (llvm::count_if(lists[list], [&](const OperandAccess::Digit &digit) {
            return digit.axis == axis && digit.extent > 1;
          }) > 1)
        return false;
    int64_t below = counts[list];
    for (const OperandAccess::Digit &digit : lists[list]) {
      below /= digit.extent;
      bool isSeen = digit.extent == 1;
      for (int64_t b = 0; b < counts[0]; ++b)
        for (int64_t m = 0; m < counts[1]; ++m)
          for (int64_t k = 0; k < counts[2]; ++k) {
            std::array<int64_t, 3> at = {b, m, k};
            if (at[list] / below % digit.extent == digit.extent - 1)
              continue;
            std::array<int64_t, 3> next = at;
            next[list] += below;
            isSeen =
                isSeen || (placeOf(nest, at) >= 0 && placeOf(nest, next) >= 0);
          }
      if (!isSeen)
        return false;
    }
  }
  return true;
}

Digits drawDigits(Random &random, size_t max, int axes) {
  Digits digits(random.below(max + 1));
  for (OperandAccess::Digit &digit : digits) {
    digit.extent = 1 + random.below(3);
    digit.axis = axes && random.flip() ? int(random.below(axes)) : -1;
    digit.step = digit.axis < 0 ? random.oneOf<int64_t>({0, 1, 2, 3, 4, 6, 12})
                                : random.oneOf<int64_t>({1, 2, 3, 4});
  }
  return digits;
}

Nest drawNest(Random &random, int axes) {
  Nest nest;
  for (int i = 0; i < axes; ++i)
    nest.axes.push_back({int64_t(1 + random.below(6)),
                         random.oneOf<int64_t>({1, 2, 4, 12}),
                         int64_t(random.below(3))});
  nest.batch = drawDigits(random, 1, axes);
  nest.lines = drawDigits(random, 3, axes);
  nest.sum = drawDigits(random, 3, axes);
  return nest;
}

Window imageOf(int64_t images, int64_t height, int64_t width,
               int64_t channels) {
  Window window;
  window.images = images;
  window.imagePitch = height * width * channels;
  window.h.extent = height;
  window.h.pitch = width * channels;
  window.w.extent = width;
  window.w.pitch = channels;
  window.channels = channels;
  return window;
}

void setSide(Window::Side &side, int64_t size, int64_t step, int64_t dilation,
             int64_t low, int64_t high) {
  side.size = size;
  side.step = step;
  side.dilation = dilation;
  side.low = low;
  side.count =
      (side.extent + low + high - (size - 1) * dilation - 1) / step + 1;
}

/// Window of 3x3 with a position of padding all around.
Window padded() {
  Window window = imageOf(32, 56, 56, 64);
  setSide(window.h, 3, 2, 1, 1, 1);
  setSide(window.w, 3, 1, 1, 1, 1);
  return window;
}
} // namespace

TEST(Access, PrintsItsCanonicalForm) {
  EXPECT_EQ(OperandAccess({}, {{128, 80}}, {{64, 1}}).str(),
            "m[128*80] k[64*1]");
  EXPECT_EQ(
      OperandAccess({}, {{4, 32 * 80}, {32, 80}}, {{1, 7}, {64, 1}}).str(),
      "m[128*80] k[64*1]");
  EXPECT_EQ(OperandAccess({{8, 64}}, {{128, 512}}, {{64, 1}}).str(),
            "b[8*64] m[128*512] k[64*1]");
  EXPECT_EQ(OperandAccess(padded()).str(),
            "m[32*200704, 28*2x, 56*y] k[3*x, 3*y, 64*1] x[56*3584, low 1] "
            "y[56*64, low 1]");
  OperandAccess open(Order::col);
  EXPECT_EQ(open.str(), "col");
  EXPECT_EQ(OperandAccess({}, {{kDynamic, 80}}, {{64, 1}}).str('n'),
            "n[?*80] k[64*1]");
}

TEST(Access, WindowsInsideOfTheImageHaveNoAxes) {
  Window window = imageOf(2, 9, 8, 16);
  setSide(window.h, 3, 2, 1, 0, 0);
  setSide(window.w, 2, 1, 3, 0, 0);
  EXPECT_EQ(OperandAccess(window).str(),
            "m[2*1152, 4*256, 5*16] k[3*128, 2*48, 16*1]");
  // Rows of a window without dilation are one digit.
  setSide(window.w, 2, 1, 1, 0, 0);
  EXPECT_EQ(OperandAccess(window).str(),
            "m[2*1152, 4*256, 7*16] k[3*128, 32*1]");
}

TEST(Access, OneByOneWindowsAreAMatrix) {
  OperandAccess access(imageOf(2, 9, 8, 16));
  Window window = imageOf(2, 9, 8, 16);
  setSide(window.h, 1, 1, 1, 0, 0);
  setSide(window.w, 1, 1, 1, 0, 0);
  EXPECT_EQ(OperandAccess(window).order(), Order::row);
  EXPECT_EQ(OperandAccess(window).str(), "m[144*16] k[16*1]");
  EXPECT_EQ(OperandAccess(padded()).order(), std::nullopt);
}

TEST(Access, FormHasNoNumbers) {
  EXPECT_EQ(OperandAccess(padded()).form().str(),
            "m[?*?, ?*?x, ?*?y] k[?*?x, ?*?y, ?*1] x[?*?, low ?] y[?*?, low "
            "?]");
  EXPECT_EQ(OperandAccess({}, {{128, 80}}, {{64, 1}}).form().str(), "row");
  EXPECT_EQ(OperandAccess({}, {{128, 1}}, {{64, 80}}).form().str(), "col");
  EXPECT_EQ(OperandAccess(padded()).form(),
            OperandAccess(padded()).form().form());
}

/// Two spellings have one text if, and only if, they have the same places.
TEST(Access, TextsAreThoseOfFunctions) {
  for (int axes : {0, 1, 2}) {
    Random random;
    std::map<Places, std::string> byPlaces;
    std::map<std::string, Places> byText;
    size_t met = 0;
    for (int i = 0; i < 12000; ++i) {
      Nest nest = drawNest(random, axes);
      OperandAccess access = nest.access();
      if (access.fault())
        continue;
      Places places = placesOf(nest);
      ASSERT_EQ(places, placesOf(nest, access)) << access.str();
      std::string text = access.str();
      auto [same, isNew] = byText.try_emplace(text, places);
      ASSERT_EQ(same->second, places) << text;
      if (!isDetermined(nest))
        continue;
      auto [other, isFirst] = byPlaces.try_emplace(places, text);
      ASSERT_EQ(other->second, text);
      met += !isFirst;
    }
    EXPECT_GT(met, 200u);
  }
}

TEST(Access, ParsesItsText) {
  Random random;
  for (int i = 0; i < 4000; ++i) {
    OperandAccess access = drawNest(random, random.below(3)).access();
    if (access.fault())
      continue;
    for (OperandAccess each : {access, access.form()}) {
      auto parsed = OperandAccess::parse(each.str());
      ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
      ASSERT_EQ(*parsed, each) << each.str();
      ASSERT_EQ(hash_value(*parsed), hash_value(each));
      std::string dense = each.str();
      llvm::erase(dense, ' ');
      auto again = OperandAccess::parse(dense);
      ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
      ASSERT_EQ(*again, each);
    }
  }
}

TEST(Access, RefusesOtherTexts) {
  auto errorOf = [](llvm::StringRef text) {
    auto parsed = OperandAccess::parse(text);
    return parsed ? parsed->str() : llvm::toString(parsed.takeError());
  };
  EXPECT_EQ(errorOf("diagonal"),
            "expected an access to be 'row', 'col' or lists such as "
            "m[128*64] k[64*1], but got 'diagonal'");
  EXPECT_EQ(errorOf("m[4*1]"),
            "expected an access with lists m and k, but got 'm[4*1]'; use an "
            "empty list for an index of one value");
  EXPECT_EQ(errorOf("m[4] k[4*1]"),
            "expected a digit of an access as extent*step, but got '4'; use "
            "'64*1' for 64 adjacent elements");
  EXPECT_EQ(errorOf("m[4*-1] k[4*1]"),
            "expected a step of an access to be 0 to 140737488355328 or '?', "
            "but got '-1'");
  EXPECT_EQ(errorOf("m[4*x] k[4*1]"),
            "expected a list of axis 'x', along which a digit moves, but got "
            "none; use x[56*64, low 1] for 56 positions after one of padding");
  EXPECT_EQ(errorOf("m[4*x] k[4*1] x[8*4, high 1]"),
            "expected 'low' and a number after the positions of an axis, but "
            "got 'high 1'; use 'low 1' for one position of padding");
  EXPECT_EQ(errorOf("m[4*x] k[4*1] x[8*4, low 9]"),
            "expected windows that reach into the image, but got padding alone "
            "along axis x; use zeros");
  EXPECT_EQ(errorOf("m[4*1] m[4*1] k[4*1]"),
            "expected lists b, m, k, x, y and z of an access, each once, but "
            "got 'm'; use a list for each index");
  EXPECT_EQ(errorOf("m[2147483647*1, 2*1] k[4*1]"),
            "expected an index of an access to have at most 2147483647 values, "
            "but got 4294967294; use a smaller product");
}

/// A window that is read from an access gives the places of the one that the
/// access was made of.
TEST(Access, WindowGivesTheSamePlaces) {
  Random random;
  size_t read = 0;
  for (int i = 0; i < 4000; ++i) {
    Window window = imageOf(1 + random.below(3), 1 + random.below(7),
                            1 + random.below(7), 1 + random.below(4));
    auto draw = [&](Window::Side &side) {
      side.size = 1 + random.below(3);
      setSide(side, side.size, 1 + random.below(3), 1 + random.below(3),
              random.below(3), random.below(3));
      return side.count >= 1 && side.extent + 4 > (side.size - 1) * 3;
    };
    if (!draw(window.h) || !draw(window.w))
      continue;
    OperandAccess access(window);
    if (access.fault())
      continue;
    std::optional<Window> other = access.window();
    ASSERT_TRUE(other) << access.str();
    ASSERT_EQ(OperandAccess(*other).str(), access.str());
    ASSERT_EQ(window.channels % other->channels == 0 ||
                  other->channels % window.channels == 0,
              true)
        << access.str();
    for (const Window::Side &side : {other->h, other->w}) {
      ASSERT_TRUE(side.high());
      // The box of the copy engine has as many windows as the side.
      ASSERT_EQ((side.extent + side.low + *side.high() -
                 (side.size - 1) * side.dilation - 1) /
                        side.step +
                    1,
                side.count);
    }
    ++read;
  }
  EXPECT_GT(read, 1000u);
}

TEST(Access, WindowHasWholeLinesAsChannels) {
  auto access = OperandAccess::parse("m[2*1152, 4*256, 7*16] k[3*128, 32*1]");
  std::optional<Window> window = llvm::cantFail(std::move(access)).window();
  ASSERT_TRUE(window);
  EXPECT_EQ(window->channels, 32);
  EXPECT_EQ(window->w.pitch, 16);
  EXPECT_EQ(window->w.size, 1);
  EXPECT_EQ(window->w.extent, 7);
  EXPECT_EQ(window->h.size, 3);
}

TEST(Access, WindowHasTheImage) {
  std::optional<Window> window = OperandAccess(padded()).window();
  ASSERT_TRUE(window);
  EXPECT_EQ(window->images, 32);
  EXPECT_EQ(window->h.extent, 56);
  EXPECT_EQ(window->h.pitch, 56 * 64);
  EXPECT_EQ(window->h.count, 28);
  EXPECT_EQ(window->h.step, 2);
  EXPECT_EQ(window->h.high(), 0); // the last row of padding is in no window
  EXPECT_EQ(window->w.high(), 1);
  EXPECT_EQ(window->channels, 64);
}

TEST(Access, CountsElements) {
  OperandAccess access(padded());
  EXPECT_EQ(access.elements(), 32.0 * 56 * 56 * 64);
  EXPECT_EQ(access.span(), 32 * 56 * 56 * 64);
  EXPECT_EQ(access.lineCount(), 32 * 28 * 56);
  EXPECT_EQ(access.sumCount(), 9 * 64);
  EXPECT_EQ(OperandAccess({}, {{10, 1}}, {{4, 1}}).elements(), 13.0);
  EXPECT_EQ(access.form().elements(), std::nullopt);
}
