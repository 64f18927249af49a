//===- SmallMatmul.h - Matmuls with next to no rows -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a `hone.matmul` on memrefs of which an extent is 0, 1 or 2, when it is
// compiled or when it is called.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_FUZZ_SMALLMATMUL_H
#define HONE_TEST_FUZZ_SMALLMATMUL_H

#include "Fuzz.h"
#include <map>
#include <vector>

namespace hone::fuzz {

/// Of one call.
struct Extents {
  std::map<char, int64_t> sizes;
  /// The letters of each argument's dimensions.
  std::vector<std::string> dims;
  int64_t of(char letter) const { return sizes.at(letter); }
};

struct SmallMatmul {
  std::string arch, schedule, module;
  /// A build may choose what was not measured, by a policy.
  bool guesses = false;
  std::map<char, int64_t> sizes; ///< kDynamic where the call says
  std::vector<std::string> dims; ///< of each argument

  std::string pipeline() const;
  Extents drawExtents(Random &random) const;
};

SmallMatmul drawSmallMatmul(Random &random);

} // namespace hone::fuzz

#endif // HONE_TEST_FUZZ_SMALLMATMUL_H
