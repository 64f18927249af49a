//===- ProjectionTest.cpp - Tests of checks by projections ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correct products pass, with any types and data; typical mistakes of kernels
// are found. Samples on a grid would miss each of them.
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/Projection.h"
#include "hone/Numerics/Tolerance.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>
#include <random>
#include <vector>

using namespace hone;

namespace {

constexpr int64_t kM = 130, kN = 200, kK = 150;

class ProjectionTest : public ::testing::Test {
protected:
  /// A product that is right up to the roundings of f32 sums and of the store.
  void make(ElementType type, bool isZeroOne, int64_t seed = 1) {
    this->type = type;
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    auto draw = [&](std::vector<double> &to, int64_t count) {
      to.resize(count);
      for (double &value : to)
        value = isZeroOne ? double(random() & 1)
                          : roundTo(ElementType::f16, normal(random));
    };
    draw(a, kM * kK), draw(b, kK * kN);
    c.resize(kM * kN);
    for (int64_t i = 0; i < kM; ++i)
      for (int64_t j = 0; j < kN; ++j)
        c[i * kN + j] = roundTo(type, sum(i, j, 0, kK));
  }
  /// Terms `from` to `to` of an element, one by one in f32.
  float sum(int64_t i, int64_t j, int64_t from, int64_t to) const {
    float result = 0;
    for (int64_t k = from; k < to; ++k)
      result += float(a[i * kK + k] * b[k * kN + j]);
    return result;
  }
  ProjectionFindings check(double maxMacs = 4e9) const {
    ProjectionOptions options;
    options.maxMacs = maxMacs;
    return checkByProjection({a.data(), kM, kK, kK, 1},
                             {b.data(), kK, kN, kN, 1},
                             {c.data(), kM, kN, kN, 1}, type, options);
  }
  double &at(int64_t i, int64_t j) { return c[i * kN + j]; }

  ElementType type = ElementType::f32;
  std::vector<double> a, b, c;
};

constexpr ElementType kTypes[] = {ElementType::f16, ElementType::bf16,
                                  ElementType::f32};

TEST_F(ProjectionTest, WhatIsRightPasses) {
  for (ElementType each : kTypes)
    for (bool isZeroOne : {false, true})
      for (int64_t seed = 1; seed <= 5; ++seed) {
        make(each, isZeroOne, seed);
        for (double macs : {4e9, 1e6}) {
          ProjectionFindings found = check(macs);
          EXPECT_EQ(found.wrong, 0) << toString(each).str() << seed;
          EXPECT_LE(found.worst, 1);
          EXPECT_GT(found.sums, 0);
        }
      }
}

TEST_F(ProjectionTest, OrdersInMemoryDoNotMatter) {
  make(ElementType::f16, false);
  std::vector<double> turned(a.size());
  for (int64_t i = 0; i < kM; ++i)
    for (int64_t k = 0; k < kK; ++k)
      turned[k * kM + i] = a[i * kK + k];
  ProjectionFindings found = checkByProjection({turned.data(), kM, kK, 1, kM},
                                               {b.data(), kK, kN, kN, 1},
                                               {c.data(), kM, kN, kN, 1}, type);
  EXPECT_EQ(found.wrong, 0);
}

TEST_F(ProjectionTest, AnExactElementMayNotBeOffAtAll) {
  for (ElementType each : kTypes) {
    make(each, /*isZeroOne=*/true);
    at(77, 131) += 1;
    ProjectionFindings found = check();
    EXPECT_GT(found.wrong, 0) << toString(each).str();
    EXPECT_EQ(found.row, 77);
    EXPECT_LE(found.column, 131);
    EXPECT_GT(found.column + found.width, 131);
  }
}

TEST_F(ProjectionTest, OneElementAmongRoundings) {
  // 16 * sqrt(16) times the allowed error of a typical element, and a little.
  for (ElementType each : kTypes) {
    make(each, false);
    Tolerance tolerance = Tolerance::ofSum(each, kK);
    at(3, 199) +=
        66 * (tolerance.relative * std::sqrt(double(kK)) + tolerance.absolute);
    EXPECT_GT(check().wrong, 0) << toString(each).str();
  }
}

/// Mistakes of kernels: (name, change of C).
TEST_F(ProjectionTest, MistakesOfKernels) {
  constexpr int64_t kTile = 16, kRow = 48, kCol = 96;
  using Plant = std::function<void()>;
  auto inTile = [&](std::function<void(int64_t, int64_t)> visit) {
    for (int64_t i = kRow; i < kRow + kTile; ++i)
      for (int64_t j = kCol; j < kCol + kTile; ++j)
        visit(i, j);
  };
  std::pair<const char *, Plant> plants[] = {
      {"a tile lacks the last steps of K",
       [&] {
         inTile(
             [&](int64_t i, int64_t j) { at(i, j) = sum(i, j, 0, kK - 16); });
       }},
      {"a tile takes a step twice",
       [&] {
         inTile([&](int64_t i, int64_t j) { at(i, j) += sum(i, j, 0, 16); });
       }},
      {"a tile is turned around",
       [&] {
         auto old = c;
         inTile([&](int64_t i, int64_t j) {
           at(i, j) = old[(kRow + j - kCol) * kN + kCol + i - kRow];
         });
       }},
      {"two tiles of a row are exchanged",
       [&] {
         inTile(
             [&](int64_t i, int64_t j) { std::swap(at(i, j), at(i, j - 64)); });
       }},
      {"two rows are exchanged",
       [&] {
         for (int64_t j = 0; j < kN; ++j)
           std::swap(at(20, j), at(21, j));
       }},
      {"columns of a tile are rotated",
       [&] {
         auto old = c;
         inTile([&](int64_t i, int64_t j) {
           at(i, j) = old[i * kN + kCol + (j - kCol + 1) % kTile];
         });
       }},
      {"the last column is not written",
       [&] {
         for (int64_t i = 0; i < kM; ++i)
           at(i, kN - 1) = 0;
       }},
      {"one element is not a number", [&] { at(129, 0) = std::nan(""); }},
      {"one element is infinite", [&] { at(0, 199) = HUGE_VAL; }},
      {"the sign of an element is lost",
       [&] { at(64, 64) = -at(64, 64) + (at(64, 64) == 0); }},
  };
  for (ElementType each : kTypes)
    for (bool isZeroOne : {true, false})
      for (auto &[name, plant] : plants) {
        make(each, isZeroOne);
        plant();
        EXPECT_GT(check().wrong, 0)
            << name << " " << toString(each).str() << " " << isZeroOne;
      }
}

// Sums of two elements may cancel in one vector; hardly in all of them.
TEST_F(ProjectionTest, WhatCancelsIsFoundInAnotherRow) {
  make(ElementType::f32, /*isZeroOne=*/true);
  for (int64_t i = 0; i < 12; ++i)
    at(i, 5) += 1, at(i, 6) -= 1;
  EXPECT_GT(check().wrong, 0);
}

} // namespace
