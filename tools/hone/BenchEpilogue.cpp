//===- BenchEpilogue.cpp - What follows a product, in one kernel or two ---===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References of results that went through an epilogue, made by the CPU, and the
// launch of a product and a kernel behind it that applies the epilogue.
//
//===----------------------------------------------------------------------===//

#include "BenchGemm.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using llvm::Error;
using llvm::formatv;

Error GemmData::prepareEpilogue() {
  gpu::Matrix operand = matrix(3, 0);
  auto type = static_cast<ElementType>(operand.type);
  std::vector<char> values(elementsOf(operand) * sizeOf(type));
  if (Error error = kit.device->copyOut(values.data(), e(0), values.size()))
    return error;
  largest = 0;
  return kit.product->prepareElements(
      [&](int64_t row, int64_t column, double sum) {
        int64_t line = operand.rows == 1 ? 0 : row;
        double x = sum + loadElement(type, values.data(),
                                     line * operand.rowStride + column);
        largest = std::max(largest, std::abs(x));
        return applyEpilogue(spec.epilogue, x);
      });
}

/// A product that was stored first has been rounded once more.
Error GemmData::judgeEpilogue(Outcome outcome) {
  Tolerance ofSum = Tolerance::ofSum(spec.out, extents[2], scale);
  if (outcome == Outcome::separate)
    ofSum.absolute += unitRoundoff(spec.out) * largest;
  return kit.product->judgeElements(matrix(2, 0),
                                    toleranceOfEpilogue(ofSum, largest));
}

llvm::Expected<Contender> GemmData::withEpilogue(Contender product) const {
  constexpr int64_t kWordBytes = 16, kThreads = 256, kBlocks = 8;
  int64_t width = kWordBytes / sizeOf(spec.out), n = extents[1];
  if (n % width != 0)
    return llvm::createStringError(
        formatv("expected N to be a multiple of {0}, but got {1}", width, n));
  auto kernel = kit.device->findKernel("hone_epilogue");
  if (!kernel)
    return kernel.takeError();
  gpu::Elementwise work = {};
  work.rows = extents[0];
  work.words = n / width;
  work.type = static_cast<int64_t>(spec.out);
  work.epilogue = static_cast<int64_t>(spec.epilogue);
  // All processors, but no thread without a row, and at least one row at once.
  int64_t wanted = llvm::divideCeil(work.rows * work.words, kThreads);
  int64_t most = std::max<int64_t>(kBlocks * kit.device->getProcessors(),
                                   llvm::divideCeil(work.words, kThreads));
  DeviceLaunch launch;
  launch.function = *kernel;
  launch.block = kThreads;
  launch.grid = static_cast<uint32_t>(std::min(wanted, most));
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
