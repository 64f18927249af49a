//===- Launch.h - Launch of a rest kernel -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The promises of one alternative of a plan to its kernel, as far as the proof
// needs them: the meaning of each parameter, the grid as a formula over
// extents, the alignment of addresses, and that strides are not negative.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_LAUNCH_H
#define HONE_LIB_SIMULATE_REST_LAUNCH_H

#include "Function.h"
#include "hone/Simulate/Simulate.h"

namespace hone::simulate::rest {

/// The meaning of a kernel's parameter, for the function's argument `argument`.
struct Param {
  enum Kind { address, extent, stride, scalar } kind = address;
  unsigned argument = 0, dim = 0;
};

/// The meaning of a plan's argument of this name; nothing for another name.
std::optional<Param> parseParam(llvm::StringRef name);

/// The size of the grid, as far as it is known.
struct GridNumber {
  std::optional<Polynomial> exact;
  /// At least 1 wherever all extents are.
  bool isPositive = false;
  std::optional<int64_t> last; ///< upper bound
};

struct Launch {
  llvm::SmallVector<Param> params;
  int64_t threads = 0;
  GridNumber grid;
  std::map<unsigned, int64_t> aligns; ///< bytes, by argument
  bool isProgrammatic = false;
};

/// Reads the launch of `subject`, or returns the reason that it does not fit
/// the kernel.
llvm::Expected<Launch> readLaunch(const Subject &subject, Symbols &symbols,
                                  const Function &function);

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_LAUNCH_H
