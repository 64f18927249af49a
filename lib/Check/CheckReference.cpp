//===- CheckReference.cpp - References of the cases -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products in f64 on the GPU, and a product of the CPU to check those with.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/CheckRunner.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using llvm::Error;
using llvm::formatv;

Error CheckRunner::multiply(const CheckCase &one, const Operands &operands) {
  const CheckShape &shape = one.shape;
  PlanArguments::BatchStrides ofA = batchStridesOf(one, 'a', operands.a[0]);
  PlanArguments::BatchStrides ofB = batchStridesOf(one, 'b', operands.b[0]);
  gpucheck::Matrix a = operands.a[0], b = operands.b[0], init = operands.init;
  a.batch = b.batch = init.batch = shape.heads;
  a.batchStride = ofA.inner, b.batchStride = ofB.inner;
  uint64_t c = reference.getAddress();
  for (int64_t outer = 0; outer < shape.batch / shape.heads; ++outer) {
    if (Error error = check->multiply(a, b, init, c))
      return error;
    a.offset += ofA.outer;
    b.offset += ofB.outer;
    init.offset += shape.heads * init.batchStride;
    c += shape.heads * shape.m * shape.n * sizeof(double);
  }
  return Error::success();
}

llvm::Expected<std::vector<double>>
CheckRunner::download(const gpucheck::Matrix &matrix) {
  auto type = static_cast<ElementType>(matrix.type);
  std::vector<char> bytes(Arena::bytesOf(matrix));
  if (Error error = device.copyOut(
          bytes.data(), reinterpret_cast<uint64_t>(matrix.data), bytes.size()))
    return std::move(error);
  std::vector<double> elements;
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int64_t col = 0; col < matrix.cols; ++col)
      elements.push_back(loadElement(type, bytes.data(),
                                     matrix.offset + row * matrix.rowStride +
                                         col * matrix.colStride));
  return elements;
}

Error CheckRunner::checkReference() {
  for (ElementType type :
       {ElementType::f16, ElementType::bf16, ElementType::f32,
        ElementType::e4m3, ElementType::e5m2, ElementType::i8}) {
    Problem problem;
    problem.a.type = problem.b.type = type;
    problem.acc = accumulatorOf(type);
    double variance = deviationOf(type) * deviationOf(type);
    CheckCase one(problem, {/*m=*/17, /*n=*/23, /*k=*/129});
    Operands operands;
    if (Error error = makeOperands(one, /*zeroOne=*/false, operands))
      return error;
    const gpucheck::Matrix &a = operands.a[1], &b = operands.b[0];
    if (Error error = check->multiply(a, b, {}, reference.getAddress()))
      return error;
    auto left = download(a), right = download(b);
    if (!left || !right)
      return llvm::joinErrors(left.takeError(), right.takeError());
    std::vector<double> got(one.shape.m * one.shape.n);
    if (Error error = device.copyOut(got.data(), reference.getAddress(),
                                     got.size() * sizeof(double)))
      return error;
    double squares = 0;
    for (double value : *left)
      squares += value * value / variance / left->size();
    if (!(squares > 0.8 && squares < 1.2))
      return llvm::createStringError(
          formatv("expected data of variance 1, but got {0}", squares));
    for (auto [i, value] : llvm::enumerate(got)) {
      double sum = 0;
      for (int64_t k = 0; k < one.shape.k; ++k)
        sum = std::fma((*left)[i / one.shape.n * one.shape.k + k],
                       (*right)[k * one.shape.n + i % one.shape.n], sum);
      if (value != sum)
        return llvm::createStringError(
            formatv("expected {0} at element {1} of the reference, but got {2}",
                    sum, i, value));
    }
  }
  return Error::success();
}
