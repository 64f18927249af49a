//===- Limits.cpp - Limits of the simulation ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Limits.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/Limits.h"
#include "hone/Schedule/Problem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

std::optional<std::string> simulate::faultOfSizes(int64_t m, int64_t n,
                                                  int64_t k) {
  constexpr int64_t kMaxBytes = int64_t(1) << 28;
  Problem problem;
  problem.m = m, problem.n = n, problem.k = k;
  if (std::optional<std::string> fault = problem.fault())
    return fault;
  if (!problem.isStatic())
    return "expected extents above 0";
  if (*problem.bytes() <= kMaxBytes)
    return std::nullopt;
  return formatv("expected matrices of at most {0} MiB in all, because the "
                 "proof keeps a state for each byte, but got {1:F0} MiB",
                 kMaxBytes >> 20, *problem.bytes() / (1 << 20));
}
