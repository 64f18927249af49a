//===- ProductCheck.cpp - Check of a large product ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels are in GpuKernels.gpu.cpp.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/ProductCheck.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>

using namespace hone;
using llvm::Error;
using llvm::formatv;

static constexpr uint64_t kSeed = 20;

llvm::Expected<std::unique_ptr<ProductCheck>>
ProductCheck::create(Device &device) {
  std::unique_ptr<ProductCheck> check(new ProductCheck(device));
  if (Error error = device.findKernels(
          {{&check->projectKernel, "hone_project"},
           {&check->sumsKernel, "hone_compare_sums"},
           {&check->referenceKernel, "hone_reference_samples"},
           {&check->samplesKernel, "hone_compare_samples"},
           {&check->writtenKernel, "hone_count_written"}}))
    return std::move(error);
  if (Error error = device.allocate(2 * sizeof(gpucheck::Findings))
                        .moveInto(check->findings))
    return std::move(error);
  return check;
}

Error ProductCheck::launch(cu::Function function, int64_t warps,
                           llvm::ArrayRef<void *> params) {
  constexpr int64_t kThreads = 256, kWarps = kThreads / 32;
  DeviceLaunch launch;
  launch.function = function;
  launch.block = kThreads;
  launch.grid = static_cast<uint32_t>(
      std::clamp<int64_t>(llvm::divideCeil(warps, kWarps), 1,
                          8 * std::max(device.getProcessors(), 1)));
  launch.params = params;
  return device.launch(launch);
}

Error ProductCheck::reserve(DeviceBuffer &buffer, int64_t doubles) {
  size_t bytes = doubles * sizeof(double);
  if (buffer.size() >= bytes)
    return Error::success();
  auto larger = device.allocate(bytes);
  if (!larger)
    return larger.takeError();
  buffer = std::move(*larger);
  return Error::success();
}

Error ProductCheck::project(const gpucheck::Matrix &matrix, uint64_t x,
                            uint64_t y) {
  if (Error error = device.fill(y, 0, matrix.rows * sizeof(double)))
    return error;
  gpucheck::Matrix first = matrix;
  uint64_t seed = kSeed;
  int64_t warps = llvm::divideCeil(matrix.rows * matrix.cols, int64_t(1024));
  return launch(projectKernel, warps, {&first, &x, &seed, &y});
}

/// At most 128 x 128 samples, spread over a matrix.
static gpucheck::Samples samplesOf(int64_t rows, int64_t cols) {
  constexpr int64_t kGrid = 128;
  return {std::min(rows, kGrid), std::min(cols, kGrid), kSeed};
}

Error ProductCheck::prepare(const gpucheck::Matrix &a,
                            const gpucheck::Matrix &b, double deviation,
                            Products permitted) {
  samples = samplesOf(a.rows, b.cols);
  rows = a.rows;
  cols = b.cols;
  k = a.cols;
  scale = deviation;
  products = permitted;
  int64_t count = samples.rows * samples.cols;
  for (auto [buffer, doubles] :
       {std::pair(&productX, int64_t(b.rows)),
        std::pair(&expected, int64_t(a.rows)),
        std::pair(&actual, int64_t(a.rows)), std::pair(&sampled, count)})
    if (Error error = reserve(*buffer, doubles))
      return error;
  if (Error error = project(b, 0, productX.getAddress()))
    return error;
  if (Error error = project(a, productX.getAddress(), expected.getAddress()))
    return error;
  gpucheck::Matrix first = a, second = b;
  uint64_t to = sampled.getAddress();
  return launch(referenceKernel, count, {&first, &second, &samples, &to});
}

/// The bound on the sum of a row's errors.
static gpucheck::Bound boundOfSums(ElementType type, int64_t k, int64_t cols,
                                   double scale, Products products) {
  constexpr double kDeviations = 8;
  if (isInteger(type))
    return {};
  double walk = std::sqrt(double(k));
  double error =
      scale * ((unitRoundoff(type) + largestCut(products, double(k))) * walk +
               unitRoundoff(ElementType::f32) * walk * walk *
                   truncationOf(double(k))) +
      smallestError(type);
  return {0, kDeviations * error * std::sqrt(double(cols)), 0};
}

/// The largest error, in units of the tolerance.
static llvm::Expected<double> report(const char *what,
                                     const gpucheck::Findings &findings) {
  float worst;
  std::memcpy(&worst, &findings.worst, sizeof(worst));
  if (!findings.wrong)
    return worst;
  return llvm::createStringError(
      formatv("expected a correct product, but got {0} wrong {1}, the first at "
              "{2}, the worst at {3:F1} times the tolerance",
              findings.wrong, what, ~findings.firstWrong, worst));
}

Error ProductCheck::compareSamples(const gpucheck::Matrix &c,
                                   uint64_t reference,
                                   const Tolerance &tolerance, uint64_t slot) {
  gpucheck::Matrix matrix = c;
  gpucheck::Bound bound = {tolerance.relative, tolerance.absolute, 0};
  int64_t count = samples.rows * samples.cols;
  return launch(samplesKernel, llvm::divideCeil(count, int64_t(32)),
                {&matrix, &reference, &samples, &bound, &slot});
}

llvm::Expected<double> ProductCheck::judge(const gpucheck::Matrix &c) {
  if (Error error = device.fill(findings.getAddress(), 0, findings.size()))
    return std::move(error);
  ElementType type = static_cast<ElementType>(c.type);
  if (Error error = project(c, 0, actual.getAddress()))
    return std::move(error);
  gpucheck::Bound sums = boundOfSums(type, k, c.cols, scale, products);
  uint64_t at = actual.getAddress(), reference = expected.getAddress();
  uint64_t slot = findings.getAddress();
  int64_t count = c.rows;
  if (Error error = launch(sumsKernel, llvm::divideCeil(count, int64_t(32)),
                           {&at, &reference, &count, &sums, &slot}))
    return std::move(error);
  if (Error error = compareSamples(c, sampled.getAddress(),
                                   Tolerance::ofSum(type, k, scale, products),
                                   slot + sizeof(gpucheck::Findings)))
    return std::move(error);
  gpucheck::Findings found[2];
  if (Error error = device.copyOut(found, findings.getAddress(), sizeof(found)))
    return std::move(error);
  auto worst = report("sampled elements", found[1]);
  if (worst)
    if (Error error = report("rows of C * x", found[0]).takeError())
      return std::move(error);
  return worst;
}

//===----------------------------------------------------------------------===//
// Adopted sums
//===----------------------------------------------------------------------===//

Error ProductCheck::adopt(int64_t ofRows, int64_t ofCols, int64_t ofK,
                          llvm::ArrayRef<double> sums) {
  rows = ofRows, cols = ofCols, k = ofK;
  samples = samplesOf(rows, cols);
  std::vector<double> values(samples.rows * samples.cols);
  for (auto [index, value] : llvm::enumerate(values)) {
    gpucheck::i64 row, column;
    gpucheck::placeSample(samples, index, rows, cols, row, column);
    value = sums[row * cols + column];
  }
  if (Error error = reserve(sampled, values.size()))
    return error;
  if (Error error = device.copyIn(sampled.getAddress(), values.data(),
                                  values.size() * sizeof(double)))
    return error;
  return device.synchronize();
}

Error ProductCheck::prepareElements(ElementFunction function) {
  std::vector<double> values(samples.rows * samples.cols);
  size_t bytes = values.size() * sizeof(double);
  if (Error error = device.copyOut(values.data(), sampled.getAddress(), bytes))
    return error;
  for (auto [index, value] : llvm::enumerate(values)) {
    gpucheck::i64 row, column;
    gpucheck::placeSample(samples, index, rows, cols, row, column);
    value = function(row, column, value);
  }
  if (Error error = reserve(elements, values.size()))
    return error;
  if (Error error = device.copyIn(elements.getAddress(), values.data(), bytes))
    return error;
  return device.synchronize();
}

llvm::Expected<double> ProductCheck::judgeElements(const gpucheck::Matrix &c,
                                                   const Tolerance &tolerance) {
  if (Error error = device.fill(findings.getAddress(), 0, findings.size()))
    return std::move(error);
  uint64_t slot = findings.getAddress();
  if (Error error = compareSamples(c, elements.getAddress(), tolerance, slot))
    return std::move(error);
  auto first = reinterpret_cast<uint64_t>(c.data);
  int64_t count = c.rows * c.cols;
  int type = static_cast<int>(c.type);
  if (Error error = launch(writtenKernel, llvm::divideCeil(count, int64_t(32)),
                           {&first, &count, &type, &slot}))
    return std::move(error);
  gpucheck::Findings found;
  if (Error error = device.copyOut(&found, slot, sizeof(found)))
    return std::move(error);
  if (found.written != uint64_t(count))
    return llvm::createStringError(
        formatv("expected {0} elements to be written, but got {1}", count,
                found.written));
  return report("sampled elements", found);
}
