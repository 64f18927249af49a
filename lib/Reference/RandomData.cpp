//===- RandomData.cpp - Random arguments of a function --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each chunk of each argument has a generator of its own.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/RandomData.h"
#include "Chunks.h"
#include "hone/Measure/GpuKernels.h"
#include <cmath>
#include <random>

using namespace hone;
using Generator = std::mt19937_64;

/// Integers of a range: all of it, or the two smallest that are not negative.
static double makeInteger(IntegerRange range, Inputs inputs,
                          Generator &generator) {
  if (inputs == Inputs::zeroOne)
    range.high = std::min(range.high, std::max<int64_t>(range.low, 0) + 1);
  if (inputs == Inputs::zeroOne && range.low < 0 && range.high >= 0)
    range.low = 0;
  return double(
      std::uniform_int_distribution<int64_t>(range.low, range.high)(generator));
}

static void fill(llvm::MutableArrayRef<double> values, const Argument &argument,
                 Inputs inputs, double scale, Generator &generator) {
  std::normal_distribution<double> normal;
  for (double &value : values) {
    if (argument.isOutput)
      value = NAN;
    else if (argument.element.isInteger())
      value = makeInteger(argument.range, inputs, generator);
    else if (inputs == Inputs::zeroOne)
      value = double(generator() & 1);
    else
      value = argument.element.round(scale * normal(generator));
    if (argument.isPositive)
      value = std::fabs(value);
  }
}

std::vector<Values> hone::makeData(const Signature &signature, Inputs inputs,
                                   int64_t seed, double scale) {
  std::vector<Values> data;
  for (const Argument &argument : signature.arguments) {
    size_t number = data.size();
    int64_t count = argument.isScalar ? 1 : argument.extent();
    Values &values = data.emplace_back(count);
    uint64_t ofArgument = gpucheck::hash(number, seed);
    inChunks(count, [&](size_t chunk, int64_t first, int64_t last) {
      Generator generator(gpucheck::hash(chunk, ofArgument));
      fill(llvm::MutableArrayRef<double>(&values[first], last - first),
           argument, inputs, scale, generator);
    });
    if (argument.isSorted)
      llvm::sort(values);
  }
  return data;
}
