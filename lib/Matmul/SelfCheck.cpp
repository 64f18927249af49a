//===- SelfCheck.cpp - Self-check of ProductCheck -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A check that never fails is worthless. Before a worker relies on
// ProductCheck, it must accept a right product, made by the CPU from the f64
// reference, and reject the same product with one error at a time.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/GemmData.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using llvm::Error;

namespace {
/// A product of f16 matrices in the memory of a kit.
class SelfCheck {
public:
  explicit SelfCheck(GemmKit &kit) : kit(kit) {}
  Error run();

private:
  static constexpr int64_t kM = 192, kN = 160, kK = 512;
  Error prepare();
  /// Checks the right product with `value` in one of its elements.
  bool passes(int64_t index, double value);
  gpucheck::Matrix matrix(size_t which, int64_t rows, int64_t cols) const;

  GemmKit &kit;
  std::vector<double> reference;
  std::vector<uint16_t> right;
};
} // namespace

gpucheck::Matrix SelfCheck::matrix(size_t which, int64_t rows,
                                   int64_t cols) const {
  gpucheck::Matrix matrix = {};
  matrix.data = kit.matrices[which].getPointer();
  matrix.batch = 1;
  matrix.rows = rows;
  matrix.cols = cols;
  matrix.rowStride = cols;
  matrix.colStride = 1;
  matrix.type = gpucheck::kF16;
  return matrix;
}

Error SelfCheck::prepare() {
  constexpr size_t kMax = kK * (kM + kN);
  for (DeviceBuffer &buffer : kit.matrices)
    if (Error error = kit.device->reserve(buffer, kMax * sizeof(uint16_t)))
      return error;
  reference.resize(kM * kN);
  right.resize(kM * kN);
  size_t bytes = reference.size() * sizeof(double);
  if (Error error = kit.device->reserve(kit.reference, bytes))
    return error;
  gpucheck::Matrix a = matrix(0, kM, kK), b = matrix(1, kK, kN);
  if (Error error = kit.check->fill(a, {gpucheck::kNormal, 1, 1}))
    return error;
  if (Error error = kit.check->fill(b, {gpucheck::kNormal, 2, 1}))
    return error;
  uint64_t to = kit.reference.getAddress();
  if (Error error = kit.check->multiply(a, b, {}, to))
    return error;
  if (Error error = kit.device->copyOut(reference.data(), to, bytes))
    return error;
  for (size_t i = 0; i < right.size(); ++i)
    storeElement(ElementType::f16, right.data(), i, reference[i]);
  return kit.product->prepare(a, b);
}

bool SelfCheck::passes(int64_t index, double value) {
  std::vector<uint16_t> c = right;
  storeElement(ElementType::f16, c.data(), index, value);
  Error failed = kit.device->copyIn(kit.matrices[2].getAddress(), c.data(),
                                    c.size() * sizeof(uint16_t));
  if (!failed)
    failed = kit.product->judge(matrix(2, kM, kN)).takeError();
  bool good = !failed;
  llvm::consumeError(std::move(failed));
  return good;
}

Error SelfCheck::run() {
  if (Error error = prepare())
    return error;
  if (!passes(0, reference[0]))
    return llvm::createStringError(
        "the self-check failed: it rejects a correct product");
  // One element at a time: another value, a NaN, and a sum without one of 32
  // steps of K.
  double size = std::sqrt(double(kK));
  for (int64_t index : {int64_t(0), kM * kN / 2 + 7, kM * kN - 1})
    for (double value : {reference[index] + size, double(NAN),
                         reference[index] + std::sqrt(double(kK) / 32)})
      if (passes(index, value))
        return llvm::createStringError(llvm::formatv(
            "the self-check failed: it misses {0} in element {1}, which is {2}",
            value, index, reference[index]));
  return Error::success();
}

Error hone::checkTheCheck(GemmKit &kit) { return SelfCheck(kit).run(); }
