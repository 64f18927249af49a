//===- HostProduct.cpp - Data of a product on this CPU --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostProduct.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/HostProduct.h"
#include "hone/Matmul/Images.h"
#include "hone/Numerics/Tolerance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <random>

using namespace hone;
using llvm::Error;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

double HostMatrix::at(int64_t row, int64_t col) const {
  if (access) {
    std::optional<int64_t> place = access->at(/*batch=*/0, row, col);
    return place ? loadElement(type, bytes.data(), *place) : 0;
  }
  return loadElement(type, bytes.data(),
                     inRows ? row * lead + col : col * lead + row);
}

static HostMatrix makeMatrix(ElementType type, Order order, int64_t align,
                             int64_t rows, int64_t cols) {
  HostMatrix matrix;
  matrix.type = type;
  matrix.rows = rows, matrix.cols = cols;
  matrix.inRows = order == Order::row;
  matrix.lead = lineStride(matrix.width(), type, align);
  matrix.bytes.resize(matrix.lead * matrix.lines() * sizeOf(type));
  return matrix;
}

/// The matrix in lines of `inner` elements, so that a sum reads contiguous
/// memory.
static std::vector<float> linesOf(const HostMatrix &matrix, bool byRows) {
  std::vector<float> lines;
  lines.reserve(matrix.rows * matrix.cols);
  int64_t outer = byRows ? matrix.rows : matrix.cols;
  int64_t inner = byRows ? matrix.cols : matrix.rows;
  for (int64_t line = 0; line < outer; ++line)
    for (int64_t k = 0; k < inner; ++k)
      lines.push_back(float(byRows ? matrix.at(line, k) : matrix.at(k, line)));
  return lines;
}

Error HostProduct::set(const Problem &given) {
  if (given.batch || !given.epilogue.empty() || given.init != Init::zero)
    return llvm::createStringError(
        "expected a plain product on the host, but got " + given.str());
  std::optional<Window> image = imageOf(given);
  if (!given.hasMatrices() && !image)
    return llvm::createStringError(
        "expected matrices or windows of an image, but got " + given.str());
  problem = given;
  samples = {};
  data = {
      makeMatrix(given.a.type, given.a.order, given.a.align, given.m, given.k),
      makeMatrix(given.b.type, given.b.order, given.b.align, given.k, given.n),
      makeMatrix(given.c, Order::row, given.alignC, given.m, given.n)};
  if (image) {
    data[0].access = given.a.access;
    data[0].image = *image;
    data[0].bytes.assign(elementsOf(*image) * sizeOf(given.a.type), 0);
  }
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (HostMatrix *matrix : {&data[0], &data[1]}) {
    int64_t count = matrix->bytes.size() / sizeOf(matrix->type);
    for (int64_t i = 0; i < count; ++i)
      storeElement(matrix->type, matrix->bytes.data(), i, normal(random));
  }
  linesOfA = linesOf(data[0], /*byRows=*/true);
  linesOfB = linesOf(data[1], /*byRows=*/false);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Check of results
//===----------------------------------------------------------------------===//

std::vector<HostProduct::Sample> HostProduct::sample(bool whole) const {
  constexpr int64_t kSome = 512, kMany = 1 << 16;
  int64_t count = problem.m * problem.n;
  int64_t max = whole ? std::min(count, kMany) : kSome;
  // A product of two elements is exact in f64.
  auto valueAt = [&](int64_t row, int64_t col) {
    const float *a = &linesOfA[row * problem.k],
                *b = &linesOfB[col * problem.k];
    double sum = 0;
    for (int64_t k = 0; k < problem.k; ++k)
      sum += double(a[k]) * double(b[k]);
    return Sample{row, col, sum};
  };
  std::vector<Sample> result = {valueAt(problem.m / 2, problem.n / 2)};
  std::mt19937_64 random(2);
  for (int64_t i = 0; i < max; ++i) {
    int64_t place = max == count ? i : int64_t(random() % count);
    result.push_back(valueAt(place / problem.n, place % problem.n));
  }
  return result;
}

/// The descriptor in MLIR's C interface of a memref: two pointers, an offset,
/// the extents, the strides.
static llvm::SmallVector<int64_t, 16> describe(HostMatrix &matrix) {
  auto data = reinterpret_cast<int64_t>(matrix.bytes.data());
  const Window &image = matrix.image;
  if (matrix.access)
    return {data,
            data,
            0,
            image.images,
            image.h.extent,
            image.w.extent,
            image.channels,
            image.imagePitch,
            image.h.pitch,
            image.w.pitch,
            1};
  return {data, data, 0, matrix.lines(), matrix.width(), matrix.lead, 1};
}

void HostProduct::run(Kernel kernel) {
  auto a = describe(data[0]), b = describe(data[1]), c = describe(data[2]);
  kernel(a.data(), b.data(), c.data());
}

void HostProduct::poison() {
  std::fill(data[2].bytes.begin(), data[2].bytes.end(), char(0xFF));
}

void HostProduct::plant(llvm::StringRef what) {
  constexpr double kFarOff = 1e4;
  HostMatrix &c = data[2];
  storeElement(c.type, c.bytes.data(), problem.m / 2 * c.lead + problem.n / 2,
               what == "nan" ? std::nan("") : kFarOff);
}

llvm::Expected<double> HostProduct::check(bool whole) {
  std::vector<Sample> &wanted = samples[whole];
  if (wanted.empty())
    wanted = sample(whole);
  const HostMatrix &c = data[2];
  int64_t wrong = 0;
  for (int64_t row = 0; row < problem.m; ++row)
    for (int64_t col = 0; col < problem.n; ++col)
      wrong += std::isnan(c.at(row, col));
  Tolerance tolerance = Tolerance::ofSum(problem, problem.k);
  double worst = 0;
  for (const Sample &each : wanted) {
    double units = tolerance.units(c.at(each.row, each.col), each.value);
    wrong += !(units <= 1);
    worst = std::max(worst, units);
  }
  if (wrong == 0)
    return worst;
  return llvm::createStringError(
      formatv("expected a correct product, but got {0} wrong elements", wrong));
}
