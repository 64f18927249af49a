//===- ProductEngineTest.cpp - Tests of references with untrusted engines -===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correct products of an engine pass, on any data. Mistakes far smaller than
// the errors its products have to find do not. A reference is correct even if
// its engine is wrong.
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/ErrorBound.h"
#include "hone/Reference/DeviceProducts.h"
#include "hone/Reference/ReferenceProducts.h"
#include "gtest/gtest.h"
#include <array>
#include <cmath>
#include <functional>
#include <random>

using namespace hone;

namespace {

constexpr int64_t kM = 37, kN = 150, kK = 90;

using Spoil = std::function<void(double *c)>;

/// The GPU's arithmetic, and a mistake.
class Spoiled : public StandInProducts {
public:
  explicit Spoiled(Spoil spoil) : spoil(std::move(spoil)) {}
  bool takes(double) const override { return true; }
  llvm::Error multiply(llvm::ArrayRef<Term> terms, double *c) override {
    ++calls;
    if (llvm::Error error = StandInProducts::multiply(terms, c))
      return error;
    spoil(c);
    return llvm::Error::success();
  }
  int calls = 0;

private:
  Spoil spoil;
};

/// An engine that has run out of memory.
class Broken : public ProductEngine {
public:
  bool takes(double) const override { return true; }
  llvm::Error multiply(llvm::ArrayRef<Term>, double *) override {
    return llvm::createStringError("out of memory");
  }
};

double &at(double *c, int64_t row, int64_t col) { return c[row * kN + col]; }

const std::pair<const char *, Spoil> kMistakes[] = {
    {"an element, by a millionth",
     [](double *c) { at(c, 20, 70) += 1e-6 * std::sqrt(double(kK)); }},
    {"the last element", [](double *c) { at(c, kM - 1, kN - 1) += 1e-6; }},
    {"the last row",
     [](double *c) {
       for (int64_t col = 0; col < kN; ++col)
         at(c, kM - 1, col) = at(c, kM - 2, col);
     }},
    {"the last column",
     [](double *c) {
       for (int64_t row = 0; row < kM; ++row)
         at(c, row, kN - 1) = 0;
     }},
    {"two tiles exchanged",
     [](double *c) {
       for (int64_t row = 4; row < 8; ++row)
         for (int64_t col = 0; col < 32; ++col)
           std::swap(at(c, row, col), at(c, row + 4, col));
     }},
    {"a NaN", [](double *c) { at(c, 0, 0) = NAN; }},
    {"an infinity", [](double *c) { at(c, 3, 149) = HUGE_VAL; }},
    {"nothing written", [](double *c) { std::fill(c, c + kM * kN, 0.0); }}};

template <typename Real>
std::vector<Real> draw(int64_t count, double scale, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Real> values(count);
  for (Real &value : values)
    value = Real(scale * normal(random));
  return values;
}

std::string messageOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

TEST(ProductEngineTest, WhatIsRightPasses) {
  std::vector<double> c(kM * kN);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    double scale = std::pow(10, double(seed % 5) * 20 - 40);
    auto a = draw<double>(kM * kK, scale, seed);
    auto b = draw<double>(kK * kN, 1 / scale, seed + 100);
    // Rows of all sizes, and one of zeros.
    for (int64_t i = 0; i < kM * kK; ++i)
      a[i] *= i / kK == 5 ? 0 : std::pow(2, double(i / kK));
    Spoiled engine([](double *) {});
    EXPECT_EQ(messageOf(multiplyChecked(engine,
                                        {{hostMatrix(a.data(), kM, kK, kK),
                                          hostMatrix(b.data(), kK, kN, kN)}},
                                        c.data())),
              "");
  }
}

TEST(ProductEngineTest, MistakesAreFound) {
  std::vector<double> c(kM * kN);
  auto a = draw<double>(kM * kK, 1, 1), b = draw<double>(kK * kN, 1, 2);
  auto sizes = draw<float>(kM * kK, 1, 3), errors = draw<float>(kK * kN, 1, 4);
  for (const auto &[name, spoil] : kMistakes) {
    Spoiled engine(spoil);
    EXPECT_NE(messageOf(multiplyChecked(engine,
                                        {{hostMatrix(a.data(), kM, kK, kK),
                                          hostMatrix(b.data(), kK, kN, kN)}},
                                        c.data())),
              "")
        << name;
    EXPECT_NE(
        messageOf(multiplyChecked(engine,
                                  {{hostMatrix(sizes.data(), kM, kK, kK),
                                    hostMatrix(errors.data(), kK, kN, kN)},
                                   {hostMatrix(sizes.data(), kM, kK, kK),
                                    hostMatrix(errors.data(), kK, kN, kN)}},
                                  c.data())),
        "")
        << name;
  }
}

//===----------------------------------------------------------------------===//
// A reference with an engine
//===----------------------------------------------------------------------===//

using Pair = Inexact<double>;

/// A memref of pairs without gaps.
struct Pairs {
  Pairs(std::vector<int64_t> sizes) : sizes(std::move(sizes)) {
    int64_t count = 1;
    for (int64_t size : this->sizes)
      count *= size;
    data.resize(count);
    words = {0, reinterpret_cast<int64_t>(data.data()), 0};
    words.insert(words.end(), this->sizes.begin(), this->sizes.end());
    int64_t stride = count;
    for (int64_t size : this->sizes)
      words.push_back(stride /= size);
  }
  void draw(uint64_t seed, double error) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (Pair &pair : data)
      pair = {normal(random), error * std::fabs(normal(random))};
  }
  UnrankedPairs view() { return {int64_t(sizes.size()), words.data()}; }

  std::vector<int64_t> sizes, words;
  std::vector<Pair> data;
};

/// A loop over a whole dimension.
ReferenceProduct::Index along(int dim) { return {dim, 1, true}; }

/// c[x][m][y][n] += a[x][m][k][y] * b[y][n][k]: two batch dimensions, one of
/// which b lacks, and no usual order of dimensions.
std::vector<Pair> multiply(ProductEngine *engine, ErrorSum sum, double error,
                           ElementType type) {
  ReferenceProduct product;
  product.loops = {{along(3), along(0), along(2)},
                   {along(0), {}, along(0)},
                   {along(1), {}, along(1)},
                   {{}, along(1), along(3)},
                   {along(2), along(2), {}}};
  product.type = type;
  product.errors = sum;
  product.engine = engine;
  Pairs a({2, 19, 41, 3}), b({3, 133, 41}), c({2, 19, 3, 133});
  a.draw(1, error), b.draw(2, error), c.draw(3, error);
  UnrankedPairs views[] = {a.view(), b.view(), c.view()};
  multiplyForReference(reinterpret_cast<int64_t>(&product), &views[0],
                       &views[1], &views[2]);
  return c.data;
}

/// c[o][f] += a[3 o + 2 r][i] * b[r][i][f]: windows of 3 that overlap.
TEST(ReferenceProductTest, SeveralLoopsRunOverOneDimension) {
  constexpr int64_t kStarts = 5, kWindow = 3, kIn = 4, kOut = 7;
  ReferenceProduct product;
  product.loops = {{{0, 3, false}, {}, along(0)},
                   {{}, along(2), along(1)},
                   {{0, 2, false}, along(0), {}},
                   {along(1), along(1), {}}};
  Pairs a({17, kIn}), b({kWindow, kIn, kOut}), c({kStarts, kOut});
  a.draw(1, 0), b.draw(2, 0), c.draw(3, 0);
  std::vector<Pair> before = c.data;
  UnrankedPairs views[] = {a.view(), b.view(), c.view()};
  multiplyForReference(reinterpret_cast<int64_t>(&product), &views[0],
                       &views[1], &views[2]);
  for (int64_t o = 0; o < kStarts; ++o)
    for (int64_t f = 0; f < kOut; ++f) {
      double sum = before[o * kOut + f].value;
      for (int64_t r = 0; r < kWindow; ++r)
        for (int64_t i = 0; i < kIn; ++i)
          sum += a.data[(3 * o + 2 * r) * kIn + i].value *
                 b.data[(r * kIn + i) * kOut + f].value;
      EXPECT_NEAR(c.data[o * kOut + f].value, sum, 1e-12);
    }
}

void expectSame(const std::vector<Pair> &got, const std::vector<Pair> &expected,
                const char *what) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i].value, expected[i].value, 1e-12) << what << ' ' << i;
    ASSERT_NEAR(got[i].error, expected[i].error, 1e-4 * expected[i].error)
        << what << ' ' << i;
  }
}

TEST(ProductEngineTest, AReferenceIsTheSameWithAnEngine) {
  for (ElementType type : {ElementType::f16, ElementType::f32})
    for (ErrorSum sum : {ErrorSum::independent, ErrorSum::worst})
      for (double error : {0.0, 1e-3}) {
        Spoiled engine([](double *) {});
        expectSame(multiply(&engine, sum, error, type),
                   multiply(nullptr, sum, error, type), "right");
        // Values, and error bounds where they exist, for each batch.
        EXPECT_EQ(engine.calls, error > 0 ? 6 : 3);
      }
}

TEST(ProductEngineTest, AReferenceWithAWrongEngineIsRight) {
  auto expected =
      multiply(nullptr, ErrorSum::independent, 1e-3, ElementType::f16);
  Spoiled liar([](double *c) { c[7] += 0.01; });
  Broken broken;
  const std::pair<ProductEngine *, const char *> reasons[] = {
      {&liar, "sums over its rows differ from those of its operands' product"},
      {&broken, "the CPU multiplies for the reference: out of memory"}};
  for (auto [engine, reason] : reasons) {
    testing::internal::CaptureStderr();
    expectSame(multiply(engine, ErrorSum::independent, 1e-3, ElementType::f16),
               expected, "engine");
    std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("the CPU multiplies for the reference: "),
              std::string::npos);
    EXPECT_NE(said.find(reason), std::string::npos) << said;
  }
  EXPECT_EQ(liar.calls, 1);
}

/// On a GPU, where there is one.
TEST(ProductEngineTest, AGpuMultiplies) {
  auto products = DeviceProducts::open();
  if (!products) {
    llvm::consumeError(products.takeError());
    GTEST_SKIP() << "no GPU";
  }
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                         {kM, kN, kK},
                         {513, 1030, 777},
                         {128, 4096, 64}}) {
    auto a = draw<double>(m * k, 1, 1), b = draw<double>(k * n, 1, 2);
    auto sizes = draw<float>(m * k, 1, 3), errors = draw<float>(k * n, 1, 4);
    ProductEngine::Term terms[] = {
        {hostMatrix(a.data(), m, k, k), hostMatrix(b.data(), k, n, n)},
        {hostMatrix(sizes.data(), m, k, k), hostMatrix(errors.data(), k, n, n)},
        {hostMatrix(a.data(), m, k, k), hostMatrix(b.data(), k, n, n)}};
    std::vector<double> c(m * n), expected(m * n);
    for (size_t count : {1, 3}) {
      auto used = llvm::ArrayRef(terms).take_front(count);
      EXPECT_EQ(messageOf(multiplyChecked(**products, used, c.data())), "");
      EXPECT_EQ(messageOf(StandInProducts().multiply(used, expected.data())),
                "");
      EXPECT_TRUE(c == expected);
    }
  }
}

} // namespace
