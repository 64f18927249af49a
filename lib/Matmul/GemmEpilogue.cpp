//===- GemmEpilogue.cpp - Epilogues in one kernel or two ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU references for results after an epilogue, and the launch of a product
// followed by a kernel that applies the epilogue.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/GemmData.h"
#include "hone/Reference/Epilogue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace hone;
using llvm::Error;
using llvm::formatv;

namespace {
/// An operand of the epilogue in host memory.
struct HostOperand {
  ElementType type;
  std::vector<char> values;
  int64_t batchStride = 0, rowStride = 0, colStride = 0;

  double at(int64_t batch, int64_t row, int64_t column) const {
    return loadElement(type, values.data(),
                       batch * batchStride + row * rowStride +
                           column * colStride);
  }
};
} // namespace

/// Samples of the epilogue's results: from the sums sampled by ProductCheck, or
/// from all sums.
Error GemmData::prepareEpilogue() {
  constexpr double kStep = 1e-4;
  const Problem &problem = task.problem;
  std::vector<HostOperand> operands;
  for (auto [i, operand] : llvm::enumerate(task.operands)) {
    auto [alongBatch, alongM, alongN] = operandStrides(i);
    HostOperand host = {operand.type, std::vector<char>(bytes[3 + i]),
                        alongBatch, alongM, alongN};
    if (Error error = kit.device->copyOut(host.values.data(), e(0, i),
                                          host.values.size()))
      return error;
    operands.push_back(std::move(host));
  }
  if (needsWhole()) {
    std::vector<double> sums(elementsOf(matrix(2, 0)));
    if (Error error =
            kit.device->copyOut(sums.data(), kit.reference.getAddress(),
                                sums.size() * sizeof(double)))
      return error;
    gpucheck::Matrix c = flatC();
    if (Error error = kit.product->adopt(c.rows, c.cols, problem.k, sums))
      return error;
  }
  largest = 0;
  std::vector<double> elements(operands.size()), slopes;
  std::vector<Inexact<double>> results;
  Error error = kit.product->prepareElements(
      [&](int64_t row, int64_t column, double sum) {
        largest = std::max(largest, std::abs(sum));
        for (auto [operand, element] : llvm::zip_equal(operands, elements)) {
          element = operand.at(row / problem.m, row % problem.m, column);
          largest = std::max(largest, std::abs(element));
        }
        results.push_back(task.finish(sum, elements));
        double result = results.back().value;
        double step = kStep * std::max(1.0, std::abs(sum));
        slopes.push_back(
            std::abs(task.finish(sum + step, elements).value - result) / step);
        largest = std::max(largest, std::abs(result));
        return result;
      });
  if (error)
    return error;
  // The few samples next to a jump of the function are not representative.
  auto high = slopes.begin() + slopes.size() * 99 / 100;
  std::nth_element(slopes.begin(), high, slopes.end());
  steepest = *high;
  ofSteps = roundingOfSteps(results, problem.c);
  return Error::success();
}

/// A product that was stored first has one more rounding.
llvm::Expected<double> GemmData::judgeEpilogue(Part part) {
  const Problem &problem = task.problem;
  Tolerance ofSum = Tolerance::ofSum(problem, problem.k, scale);
  if (part == Part::separate)
    ofSum.absolute += unitRoundoff(problem.c) * largest;
  Tolerance tolerance = toleranceOfEpilogue(ofSum, largest, steepest);
  tolerance.absolute += ofSteps;
  return kit.product->judgeElements(flatC(), tolerance);
}

llvm::Expected<Contender> GemmData::withEpilogue(Contender product) const {
  constexpr int64_t kWordBytes = 16, kThreads = 256, kBlocks = 8;
  int64_t width = kWordBytes / sizeOf(task.problem.c), n = task.problem.n;
  if (n % width != 0)
    return llvm::createStringError(
        formatv("expected N to be a multiple of {0}, but got {1}", width, n));
  std::optional<Epilogue> named = namedEpilogue(task.problem);
  if (!named)
    return llvm::createStringError(
        "expected an epilogue that has a name, but got '" +
        task.problem.epilogue + "'");
  auto kernel = kit.device->findKernel("hone_epilogue");
  if (!kernel)
    return kernel.takeError();
  gpucheck::Elementwise work = {};
  work.rows = task.problem.m;
  work.words = n / width;
  work.type = static_cast<int64_t>(task.problem.c);
  work.epilogue = static_cast<int64_t>(*named);
  // Uses all processors, without threads that have no row, and at least one row
  // at a time.
  int64_t wanted = llvm::divideCeil(work.rows * work.words, kThreads);
  int64_t max = std::max<int64_t>(kBlocks * kit.device->getProcessors(),
                                  llvm::divideCeil(work.words, kThreads));
  DeviceLaunch launch;
  launch.function = *kernel;
  launch.block = kThreads;
  launch.grid = static_cast<uint32_t>(std::min(wanted, max));
  return Contender([this, product = std::move(product), work,
                    launch](size_t set) mutable -> Error {
    if (Error error = product(set))
      return error;
    work.c = reinterpret_cast<void *>(c(set));
    work.operand = reinterpret_cast<const void *>(e(set));
    void *params[] = {&work};
    launch.params = params;
    return kit.device->launch(launch);
  });
}
