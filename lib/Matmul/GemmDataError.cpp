//===- GemmDataError.cpp - Accuracy of a product --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GemmData.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/GemmData.h"

using namespace hone;
using llvm::Error;

llvm::Expected<SumError> GemmData::errorOf(const Contender &launch) {
  if (Error error = makeWhole())
    return std::move(error);
  if (Error error = kit.device->fill(c(0), poisonOf(task.problem.c), bytes[2]))
    return std::move(error);
  if (Error error = launch(/*set=*/0))
    return std::move(error);
  gpucheck::Matrix rows = flatC();
  std::vector<double> reference(elementsOf(rows)), results;
  if (Error error =
          kit.device->copyOut(reference.data(), kit.reference.getAddress(),
                              reference.size() * sizeof(double)))
    return std::move(error);
  std::vector<char> elements(bytes[2]);
  if (Error error = kit.device->copyOut(elements.data(), c(0), elements.size()))
    return std::move(error);
  results.reserve(reference.size());
  for (int64_t row = 0; row < rows.rows; ++row)
    for (int64_t col = 0; col < rows.cols; ++col)
      results.push_back(loadElement(task.problem.c, elements.data(),
                                    row * rows.rowStride + col));
  return sumErrorOf(results, reference);
}
