//===- ProductCheck.h - Checks of large products ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An f64 reference costs as many operations as the product itself, on units
// that are ten times slower. Two checks cost very little, and their
// references are computed once for all results of the same inputs:
//
// | check   | how                                    | finds                 |
// |---------|----------------------------------------|-----------------------|
// | project | C * x against A * (B * x) in f64, each | small errors in many  |
// |         | x randomly 1 or -1                     | elements; every NaN;  |
// |         |                                        | a result all wrong    |
// | sample  | an element of every cell of a grid of  | errors of any size    |
// |         | up to 128 x 128, by its own tolerance  | throughout a tile     |
//
// The projection of a correct C differs by the rounding of every element of a
// row. These errors are independent, so their sum grows with the square root of
// their number; the bound is eight times that.
//
// A result of an epilogue has no projection. Its samples are compared, and
// elements that were not written since they were poisoned are counted.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_PRODUCTCHECK_H
#define HONE_MEASURE_PRODUCTCHECK_H

#include "hone/Device/Device.h"
#include "hone/Measure/GpuKernels.h"
#include "hone/Numerics/Tolerance.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace hone {

class ProductCheck {
public:
  /// The device must have `measureImage` loaded, which a DeviceCheck does.
  static llvm::Expected<std::unique_ptr<ProductCheck>> create(Device &device);

  /// Computes the references of a * b on the stream. Elements of A are N(0, 1),
  /// those of B have standard deviation `scale`; products may have the error
  /// that `products` permits.
  llvm::Error prepare(const gpucheck::Matrix &a, const gpucheck::Matrix &b,
                      double scale = 1, Products products = Products::exact);
  /// Uses samples of sums that were computed elsewhere, row by row, for
  /// `prepareElements`.
  llvm::Error adopt(int64_t rows, int64_t cols, int64_t k,
                    llvm::ArrayRef<double> sums);
  /// Waits; the largest error of the samples of `c`, in units of the tolerance.
  /// Fails if `c` differs from the product prepared last.
  llvm::Expected<double> judge(const gpucheck::Matrix &c);

  /// Maps a sum at a row and a column to its element of C.
  using ElementFunction =
      llvm::function_ref<double(int64_t row, int64_t column, double sum)>;
  /// Waits; applies `function` to the samples of the product prepared last.
  llvm::Error prepareElements(ElementFunction function);
  /// The same for `c`, without padding and filled with ones beforehand.
  llvm::Expected<double> judgeElements(const gpucheck::Matrix &c,
                                       const Tolerance &tolerance);

private:
  explicit ProductCheck(Device &device) : device(device) {}
  /// Launches a kernel for `warps` of work; it loops if the grid has fewer.
  llvm::Error launch(cu::Function function, int64_t warps,
                     llvm::ArrayRef<void *> params);
  llvm::Error project(const gpucheck::Matrix &matrix, uint64_t x, uint64_t y);
  llvm::Error reserve(DeviceBuffer &buffer, int64_t doubles);

  Device &device;
  /// Launches the comparison of the samples of `c` with `reference`.
  llvm::Error compareSamples(const gpucheck::Matrix &c, uint64_t reference,
                             const Tolerance &tolerance, uint64_t slot);

  cu::Function projectKernel = nullptr, sumsKernel = nullptr,
               referenceKernel = nullptr, samplesKernel = nullptr,
               writtenKernel = nullptr;
  DeviceBuffer productX, expected, actual, sampled, elements, findings;
  gpucheck::Samples samples = {};
  int64_t rows = 0, cols = 0, k = 0;
  double scale = 1;
  Products products = Products::exact;
};

} // namespace hone

#endif // HONE_MEASURE_PRODUCTCHECK_H
