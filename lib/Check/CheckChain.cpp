//===- CheckChain.cpp - Chains of launches --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each launch reads the result of the one before. A kernel that ends before its
// result is in memory looks right when it is checked later, and is wrong when
// the next kernel reads it at once. The reference of each link is computed
// afterwards, from the output of the previous link.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/CheckRunner.h"
#include <cmath>

using namespace hone;
using llvm::Error;

Error CheckRunner::tryChain(CheckCase &one) {
  constexpr size_t kLinks = kBurst;
  Operands operands;
  if (Error error = makeOperands(one, /*zeroOne=*/false, operands))
    return error;
  // With a variance of 1 / K in B the magnitudes stay the same along the chain.
  gpucheck::Matrix b = operands.b[static_cast<size_t>(one.problem.b.order)];
  gpucheck::Matrix a = operands.a[static_cast<size_t>(one.problem.a.order)];
  float scale = 1 / std::sqrt(float(one.shape.k));
  if (Error error = check->fill(b, {gpucheck::kNormal, /*seed=*/2, scale}))
    return error;
  for (size_t i = 0; i < kLinks; ++i)
    if (Error error = check->poison(placeC(one, i)))
      return error;
  // C is stored in rows. Read in columns it is its own transpose, also a valid
  // matrix.
  auto asA = [&](gpucheck::Matrix c) {
    if (one.problem.a.order == Order::col)
      std::swap(c.rowStride, c.colStride);
    return c;
  };
  auto inputOf = [&](size_t link) {
    return link ? asA(placeC(one, link - 1)) : a;
  };
  if (Error error = check->clearFindings())
    return error;
  for (size_t i = 0; i < kLinks; ++i)
    if (Error error = launch(one, inputOf(i), b, placeC(one, i)))
      return error;
  Tolerance tolerance = Tolerance::ofSum(one.problem, one.shape.k, scale);
  for (size_t i = 0; i < kLinks; ++i) {
    if (Error error =
            check->multiply(inputOf(i), b, {}, reference.getAddress()))
      return error;
    if (Error error = check->compare(
            placeC(one, i), reference.getAddress(),
            {tolerance.relative, tolerance.absolute, /*exact=*/0}, i))
      return error;
    if (Error error = check->countWritten(placeC(one, i), i))
      return error;
  }
  auto findings = check->readFindings(kLinks);
  if (!findings)
    return findings.takeError();
  for (size_t i = 0; i < kLinks; ++i)
    addFindings(one, (*findings)[i], placeC(one, i), "in a chain");
  return Error::success();
}

void CheckRunner::runChain(CheckCase &one) {
  CheckCase *group[] = {&one};
  if (Error error = tryChain(one))
    addError(group, std::move(error));
}
