//===- Launch.h - How a plan launches a kernel of the rest ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one alternative of a plan promises its kernel, as far as the proof rests
// on it: what each parameter is, the grid as a formula over extents, how
// addresses are aligned and that strides are not negative.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_LAUNCH_H
#define HONE_LIB_SIMULATE_REST_LAUNCH_H

#include "Function.h"
#include "hone/Simulate/Simulate.h"

namespace hone::simulate::rest {

/// What a parameter of the kernel is, of the function's argument `argument`.
struct Param {
  enum Kind { address, extent, stride, scalar } kind = address;
  unsigned argument = 0, dim = 0;
};

/// What an argument of the plan is called; nothing if it is another name.
std::optional<Param> parseParam(llvm::StringRef name);

/// A grid as far as it is known.
struct GridNumber {
  std::optional<Polynomial> exact;
  /// At least 1 wherever all extents are.
  bool isPositive = false;
  std::optional<int64_t> last; ///< never more
};

struct Launch {
  llvm::SmallVector<Param> params;
  int64_t threads = 0;
  GridNumber grid;
  std::map<unsigned, int64_t> aligns; ///< bytes, by argument
  bool isProgrammatic = false;
};

/// Reads the launch of `subject`; otherwise why it does not fit the kernel.
llvm::Expected<Launch> readLaunch(const Subject &subject, Symbols &symbols,
                                  const Function &function);

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_LAUNCH_H
