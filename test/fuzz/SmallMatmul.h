//===- SmallMatmul.h - Matmuls with extents of 0, 1 and 2 -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a `hone.matmul` on memrefs with an extent of 0, 1 or 2, known at
// compile time or at the call.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_FUZZ_SMALLMATMUL_H
#define HONE_TEST_FUZZ_SMALLMATMUL_H

#include "Fuzz.h"
#include <map>
#include <vector>

namespace hone::fuzz {

/// The extents of one call.
struct Extents {
  std::map<char, int64_t> sizes;
  /// The letters of each argument's dimensions.
  std::vector<std::string> dims;
  int64_t of(char letter) const { return sizes.at(letter); }
};

struct SmallMatmul {
  std::string arch, schedule, module;
  /// True if a policy may choose the schedule of an unmeasured problem.
  bool guesses = false;
  std::map<char, int64_t> sizes; ///< kDynamic until the call
  std::vector<std::string> dims; ///< of each argument

  std::string pipeline() const;
  Extents drawExtents(Random &random) const;
};

SmallMatmul drawSmallMatmul(Random &random);

} // namespace hone::fuzz

#endif // HONE_TEST_FUZZ_SMALLMATMUL_H
