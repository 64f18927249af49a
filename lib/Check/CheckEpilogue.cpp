//===- CheckEpilogue.cpp - Check of epilogues -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference's sums come from the GPU; the CPU applies the epilogue to them,
// in f64 and with its own math functions.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/CheckRunner.h"
#include "hone/Reference/Epilogue.h"
#include <cmath>

using namespace hone;
using llvm::Error;

Error CheckRunner::tryEpilogue(CheckCase &one) {
  const CheckShape &shape = one.shape;
  bool residual = namedEpilogue(one.problem) == Epilogue::residual;
  Operands operands;
  if (Error error = makeOperands(one, /*zeroOne=*/false, operands))
    return error;
  // Sums of variance 1 are in the range where the functions are nonlinear.
  // Integers are not scaled; the i8 results fill half of their range, and
  // exceed it at times.
  bool makesBytes = one.problem.c == ElementType::i8;
  gpucheck::Matrix a = operands.a[static_cast<size_t>(one.problem.a.order)];
  gpucheck::Matrix b = operands.b[static_cast<size_t>(one.problem.b.order)];
  float scale = 1 / std::sqrt(float(shape.k));
  double deviation = deviationOf(one.problem.a.type);
  auto factor = float(60 * scale / (deviation * deviation));
  if (!makesBytes)
    if (Error error = check->fill(b, {gpucheck::kNormal, /*seed=*/2, scale}))
      return error;
  gpucheck::Matrix extra =
      arenaInit.place(residual ? one.problem.c : ElementType::f32, Order::row,
                      /*batch=*/1, residual ? shape.m : 1, shape.n, shape.n);
  if (Error error = check->poison(extra))
    return error;
  if (Error error = check->fill(
          extra, {gpucheck::kNormal, /*seed=*/4, makesBytes ? factor : 1}))
    return error;
  gpucheck::Matrix c = placeC(one, 0);
  if (Error error = check->poison(c))
    return error;
  if (Error error = check->clearFindings())
    return error;
  if (Error error = launch(one, a, b, c, &extra))
    return error;
  if (Error error = check->countWritten(c, 0))
    return error;
  if (Error error = check->multiply(a, b, {}, reference.getAddress()))
    return error;
  return compareEpilogue(one, c, extra, scale);
}

Error CheckRunner::compareEpilogue(CheckCase &one, const gpucheck::Matrix &c,
                                   const gpucheck::Matrix &extra,
                                   double scale) {
  auto got = download(c), added = download(extra);
  if (!got || !added)
    return llvm::joinErrors(got.takeError(), added.takeError());
  std::vector<double> sums(got->size());
  if (Error error = device.copyOut(sums.data(), reference.getAddress(),
                                   sums.size() * sizeof(double)))
    return error;
  auto findings = check->readFindings(1);
  if (!findings)
    return findings.takeError();

  gpucheck::Findings &found = findings->front();
  Epilogue epilogue = namedEpilogue(one.problem).value_or(Epilogue::none);
  bool makesBytes = one.problem.c == ElementType::i8;
  Tolerance ofSum = Tolerance::ofSum(one.problem, one.shape.k, scale);
  float worst = 0;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    double factor = (*added)[i % added->size()], x = sum + factor;
    double units = makesBytes
                       ? Tolerance().units((*got)[i], requantize(sum, factor))
                       : toleranceOfEpilogue(ofSum, std::abs(x))
                             .units((*got)[i], applyEpilogue(epilogue, x));
    worst = std::max(worst, float(units));
    if (units <= 1)
      continue;
    if (!found.wrong++)
      found.firstWrong = ~uint64_t(i);
  }
  memcpy(&found.worst, &worst, sizeof(worst));
  addFindings(one, found, c,
              makesBytes ? "requantized" : toString(epilogue).data());
  return Error::success();
}

void CheckRunner::runEpilogue(CheckCase &one) {
  CheckCase *group[] = {&one};
  if (Error error = tryEpilogue(one))
    addError(group, std::move(error));
}
