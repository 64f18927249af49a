//===- ProblemTexts.h - Texts of problems, and their errors -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_UNIT_SCHEDULE_PROBLEMTEXTS_H
#define HONE_TEST_UNIT_SCHEDULE_PROBLEMTEXTS_H

#include "RandomValues.h"
#include "gtest/gtest.h"

namespace hone::test {

constexpr llvm::StringLiteral kPlain =
    "m = 1, n = 2, k = 3, a = bf16:col:2, b = bf16:row:8, acc = f32, "
    "c = f32:4, init = read";

/// The plain problem with one piece of its text replaced.
inline std::string plainWith(llvm::StringRef from, llvm::StringRef to) {
  std::string text = kPlain.str();
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return text.replace(at, from.size(), to.str());
}

inline std::string errorOfProblem(llvm::StringRef text) {
  return messageOf(Problem::parse(text));
}

} // namespace hone::test

#endif // HONE_TEST_UNIT_SCHEDULE_PROBLEMTEXTS_H
