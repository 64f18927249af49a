//===- LaunchPlans.h - Texts of plans, and the errors of others -*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans with all that a text may have, for tests of the parser.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_UNIT_RUNTIME_LAUNCHPLANS_H
#define HONE_TEST_UNIT_RUNTIME_LAUNCHPLANS_H

#include "hone/Runtime/LaunchPlan.h"
#include "gtest/gtest.h"

namespace hone::test {

inline constexpr const char *kFull = R"(hone-plan 2
args a b c m n k lda
alternative a % 16 == 0 && lda % 8 == 0
workspace ceildiv(m, 128) * 512 zero
launch hone_ws_coop
grid min(ceildiv(m, 128) * ceildiv(n, 256), 132) ; 1 ; 1
block 384 ; 1 ; 1
cluster 2 ; 1 ; 1
shared 213000
attribute programmatic
param tensormap a : f16 dims (k, m) strides (lda * 2) box (64, 128) swizzle 128
param tensormap b + 32 : bf16 dims (max(k, 1), n, 4) strides (k * 2, n * k * 2) box (32, 256, 1) swizzle 64
param tensormap c : f32 dims (n) strides () box (32) swizzle 0
param ptr c
param ptr ws
param i32 m
param i64 lda
param f32 1065353216
launch hone_reduce
grid ceildiv(m, 4) ; n ; 1
block 128 ; 1 ; 1
alternative 1
workspace 4 * m
launch hone_mma_sync$2
grid 1 ; 1 ; 1
block 32 ; 2 ; 1
)";

inline std::string errorOfPlan(const std::string &text) {
  LaunchPlan plan;
  return LaunchPlan::parse(text.c_str(), plan);
}

/// The error for the full plan with one piece of its text replaced.
inline std::string errorWith(const std::string &from, const std::string &to) {
  std::string text = kFull;
  size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return errorOfPlan(text.replace(at, from.size(), to));
}

inline constexpr const char *kRanges = R"(hone-plan 2
args a m group
alternative a % 16 == 0
upto m 64
with group 4
launch small
grid ceildiv(m, group) ; 1 ; 1
block 32 ; 1 ; 1
alternative 1
upto m 64
launch small_sibling
grid 1 ; 1 ; 1
block 32 ; 1 ; 1
alternative 1
launch large
grid 1 ; 1 ; 1
block 32 ; 1 ; 1
)";

/// The error for the plan of ranges with one piece of its text replaced.
inline std::string rangesWith(const std::string &from, const std::string &to) {
  std::string text = kRanges;
  size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return errorOfPlan(text.replace(at, from.size(), to));
}

} // namespace hone::test

#endif // HONE_TEST_UNIT_RUNTIME_LAUNCHPLANS_H
