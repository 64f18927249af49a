//===- Spelling.cpp - Short names of plain products -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Spelling.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

std::string hone::layoutOf(const Problem &problem) {
  auto letter = [](Order order) { return order == Order::row ? 'n' : 't'; };
  return {letter(problem.a.order), letter(problem.b.order)};
}

Error hone::setLayout(Problem &problem, StringRef text) {
  problem.a.order = text.starts_with("t") ? Order::col : Order::row;
  problem.b.order = text.ends_with("t") ? Order::col : Order::row;
  if (layoutOf(problem) == text)
    return Error::success();
  return llvm::createStringError(
      formatv("expected a layout, but got '{0}'; use nn, nt, tn or tt", text));
}

/// The separator of the types of A and B where they differ, and the prefix of
/// the kind of 8-bit sums where it is not the usual one.
static constexpr StringRef kAndB = "/", kSums = ".";

std::string hone::typesOf(const Problem &problem) {
  bool isType =
      problem.a.type != ElementType::f32 || problem.products == Products::exact;
  std::string factors =
      (isType ? toString(problem.a.type) : toString(problem.products)).str();
  if (problem.b.type != problem.a.type)
    factors += (kAndB + toString(problem.b.type)).str();
  if (problem.products == Products::shortSums)
    factors += (kSums + toString(problem.products)).str();
  return formatv("{0}:{1}", factors, toString(problem.c));
}

Error hone::setTypes(Problem &problem, StringRef text) {
  auto [factors, second] = text.split(':');
  auto [both, sums] = factors.split(kSums);
  auto [first, other] = both.split(kAndB);
  std::optional<Products> products = parseProducts(first);
  // A way to multiply f32 implies the type f32.
  bool isInexact = products && llvm::is_contained(
                                   permissionsOf(ElementType::f32), *products);
  std::optional<ElementType> inputs = isInexact ? ElementType::f32
                                                : parseElementType(first),
                             result = parseElementType(second);
  bool isMixed = both.contains(kAndB), isShort = factors.contains(kSums);
  std::optional<ElementType> inB = isMixed ? parseElementType(other) : inputs;
  bool isPair = inputs && result && isFactor(*inputs) && isResult(*result) &&
                isInteger(*inputs) == isInteger(*result) && inB &&
                areMultiplied(*inputs, *inB) && (*inputs != *inB || !isMixed);
  isPair &= !isShort ||
            (inputs && sums == toString(Products::shortSums) &&
             llvm::is_contained(permissionsOf(*inputs), Products::shortSums));
  if (!isPair)
    return llvm::createStringError(
        formatv("expected types, but got '{0}'; use e.g. f16:f32", text));
  // Products of 8-bit floats are added in blocks, as is usual for these types.
  bool addsBlocks =
      llvm::is_contained(permissionsOf(*inputs), Products::blocks);
  problem.products = isInexact    ? *products
                     : isShort    ? Products::shortSums
                     : addsBlocks ? Products::blocks
                                  : Products::exact;
  problem.acc = accumulatorOf(*inputs);
  problem.a.type = *inputs;
  problem.b.type = *inB;
  problem.c = *result;
  return Error::success();
}

/// The widest alignment of lines of `width` elements without gaps.
static int64_t alignOf(int64_t width, ElementType type) {
  constexpr int64_t kMax = 16;
  int64_t bytes = width * sizeOf(type);
  return std::min(kMax, bytes & -bytes);
}

Problem hone::withExtents(Problem problem, int64_t m, int64_t n, int64_t k) {
  problem.m = m, problem.n = n, problem.k = k;
  problem.a.align =
      alignOf(problem.a.order == Order::row ? k : m, problem.a.type);
  problem.b.align =
      alignOf(problem.b.order == Order::row ? n : k, problem.b.type);
  problem.alignC = alignOf(n, problem.c);
  return problem;
}
