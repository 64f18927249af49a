//===- GpuProductTest.cpp - Tests of the threads of a product -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All threads together write every element once, and no other. A sum equals
// that of a loop to the last bit.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/GpuProduct.h"
#include "hone/Numerics/Tolerance.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>
#include <vector>

using namespace hone;

namespace {

/// A matrix and its surrounding memory, with gaps.
struct Stored {
  std::vector<char> bytes;
  gpucheck::Matrix matrix = {};

  double at(int64_t batch, int64_t row, int64_t col) const {
    return gpucheck::load(bytes.data(),
                          matrix.offset + batch * matrix.batchStride +
                              row * matrix.rowStride + col * matrix.colStride,
                          matrix.type);
  }
};

int64_t bytesOf(gpucheck::i64 type) {
  return type == gpucheck::kF64 ? 8 : sizeOf(static_cast<ElementType>(type));
}

Stored draw(gpucheck::i64 type, int64_t batch, int64_t rows, int64_t cols,
            bool inRows, bool isShared, uint64_t seed) {
  constexpr int64_t kPad = 3, kOffset = 5;
  Stored stored;
  int64_t lead = (inRows ? cols : rows) + kPad;
  int64_t each = lead * (inRows ? rows : cols);
  stored.matrix = {nullptr,
                   kOffset,
                   batch,
                   rows,
                   cols,
                   isShared ? 0 : each,
                   inRows ? lead : 1,
                   inRows ? 1 : lead,
                   type};
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  int64_t count = kOffset + each * batch;
  stored.bytes.resize(count * bytesOf(type));
  for (int64_t i = 0; i < count; ++i) {
    double value = normal(random);
    if (type == gpucheck::kF64)
      reinterpret_cast<double *>(stored.bytes.data())[i] = value;
    else
      storeElement(static_cast<ElementType>(type), stored.bytes.data(), i,
                   value * deviationOf(static_cast<ElementType>(type)));
  }
  stored.matrix.data = stored.bytes.data();
  return stored;
}

struct Shape {
  int64_t batch, m, n, k;
};

void check(const Shape &shape, const Stored &a, const Stored &b,
           const Stored *init) {
  constexpr double kUntouched = 12345;
  int64_t count = shape.batch * shape.m * shape.n;
  std::vector<double> c(count + 8, kUntouched);
  gpucheck::Matrix from = init ? init->matrix : gpucheck::Matrix();
  gpucheck::ProductPieces pieces(a.matrix, b.matrix);
  for (gpucheck::u64 thread = 0; thread < pieces.threads(); ++thread)
    gpucheck::multiplyPiece(a.matrix, b.matrix, from, c.data(),
                            pieces.at(thread));
  for (int64_t i = 0; i < count; ++i) {
    int64_t col = i % shape.n, row = i / shape.n % shape.m;
    int64_t batch = i / shape.n / shape.m;
    double sum = init ? init->at(batch, row, col) : 0;
    for (int64_t k = 0; k < shape.k; ++k)
      sum = std::fma(a.at(batch, row, k), b.at(batch, k, col), sum);
    ASSERT_EQ(c[i], sum) << batch << ' ' << row << ' ' << col;
  }
  for (int64_t i = count; i < count + 8; ++i)
    EXPECT_EQ(c[i], kUntouched);
}

// Less than a piece, exactly one, one more, and empty extents.
constexpr Shape kShapes[] = {{1, 4, 128, 16}, {1, 1, 1, 1},    {1, 5, 129, 7},
                             {1, 3, 31, 40},  {3, 9, 300, 11}, {2, 17, 130, 1},
                             {1, 4, 128, 0}};

TEST(GpuProductTest, EveryTypeShapeAndOrder) {
  for (gpucheck::i64 type :
       {gpucheck::kF16, gpucheck::kBF16, gpucheck::kF32, gpucheck::kE4M3,
        gpucheck::kE5M2, gpucheck::kI8, gpucheck::kF64})
    for (const Shape &shape : kShapes)
      for (int orders = 0; orders < 4; ++orders) {
        Stored a = draw(type, shape.batch, shape.m, shape.k, orders & 1,
                        /*isShared=*/false, 1);
        Stored b = draw(type, shape.batch, shape.k, shape.n, orders & 2,
                        /*isShared=*/false, 2);
        check(shape, a, b, nullptr);
      }
}

TEST(GpuProductTest, OperandsOfTwoTypes) {
  for (const Shape &shape : kShapes) {
    Stored a =
        draw(gpucheck::kF32, shape.batch, shape.m, shape.k, true, false, 1);
    Stored b =
        draw(gpucheck::kF64, shape.batch, shape.k, shape.n, true, false, 2);
    check(shape, a, b, nullptr);
  }
}

TEST(GpuProductTest, SharedOperandsAndWhatIsThere) {
  for (const Shape &shape : kShapes)
    for (gpucheck::i64 type : {gpucheck::kF16, gpucheck::kF64}) {
      Stored a =
          draw(gpucheck::kF16, shape.batch, shape.m, shape.k, true, true, 1);
      Stored b =
          draw(gpucheck::kF16, shape.batch, shape.k, shape.n, false, false, 2);
      Stored init = draw(type, shape.batch, shape.m, shape.n, true, false, 3);
      check(shape, a, b, &init);
    }
}

} // namespace
