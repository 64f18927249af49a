//===- DeviceProducts.cpp - Reference products on a GPU -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DeviceProducts.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/DeviceProducts.h"
#include "hone/Measure/GpuProduct.h"
#include "llvm/Support/Parallel.h"

using namespace hone;
using llvm::Error;

//===----------------------------------------------------------------------===//
// A GPU
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<DeviceProducts>>
DeviceProducts::open(int ordinal) {
  auto products = std::make_unique<DeviceProducts>();
  auto device = Device::open(ordinal);
  if (!device)
    return device.takeError();
  products->device = std::move(*device);
  auto check = DeviceCheck::create(*products->device);
  if (!check)
    return check.takeError();
  products->check = std::move(*check);
  return products;
}

llvm::Expected<gpucheck::Matrix>
DeviceProducts::upload(const gpucheck::Matrix &matrix, DeviceBuffer &buffer) {
  size_t element =
      matrix.type == gpucheck::kF64 ? sizeof(double) : sizeof(float);
  size_t bytes = matrix.rows * matrix.rowStride * element;
  if (Error error = device->reserve(buffer, bytes))
    return std::move(error);
  if (Error error = device->copyIn(buffer.getAddress(), matrix.data, bytes))
    return std::move(error);
  gpucheck::Matrix there = matrix;
  there.data = buffer.getPointer();
  return there;
}

Error DeviceProducts::multiply(llvm::ArrayRef<Term> terms, double *c) {
  int64_t rows = terms.front().a.rows, cols = terms.front().b.cols;
  size_t bytes = rows * cols * sizeof(double);
  if (Error error = device->reserve(sums, bytes))
    return error;
  gpucheck::Matrix sum = {}; // Empty: the sum starts from zero.
  for (const Term &term : terms) {
    auto a = upload(term.a, left);
    if (!a)
      return a.takeError();
    auto b = upload(term.b, right);
    if (!b)
      return b.takeError();
    if (Error error = check->multiply(*a, *b, sum, sums.getAddress()))
      return error;
    sum = hostMatrix(c, rows, cols, cols);
    sum.data = sums.getPointer();
  }
  return device->copyOut(c, sums.getAddress(), bytes);
}

//===----------------------------------------------------------------------===//
// Stand-in for a GPU
//===----------------------------------------------------------------------===//

Error StandInProducts::multiply(llvm::ArrayRef<Term> terms, double *c) {
  gpucheck::Matrix sum = {};
  for (const Term &term : terms) {
    gpucheck::ProductPieces pieces(term.a, term.b);
    llvm::parallelFor(0, pieces.threads(), [&](size_t thread) {
      gpucheck::multiplyPiece(term.a, term.b, sum, c, pieces.at(thread));
    });
    sum = hostMatrix(c, term.a.rows, term.b.cols, term.b.cols);
  }
  return Error::success();
}
