//===- Ranges.h - Valid values of integer arguments -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A token id selects a row of a table, a position a place in a cache; numbers
// drawn from all of i64 would access memory far outside. So each integer
// argument is traced to the ops that index with it, and gets a range that is
// valid for all of them. If it indexes nothing, its type decides:
//
//   | type                 | values       | typical use                    |
//   |----------------------|--------------|--------------------------------|
//   | i1                   | 0, 1         | a mask                         |
//   | i8                   | -128 ... 127 | a quantized weight             |
//   | i16, i32, i64, index | 0 ... 3      | a label, a count of iterations |
//
// Tracing follows elements through linalg, slices, casts, calls and loops, sums
// with constants, and the iterations of a loop up to a bound. A number that a
// loop changes and then indexes with starts at 0.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_RANGES_H
#define HONE_REFERENCE_RANGES_H

#include "hone/Reference/Dims.h"

namespace hone {

struct IntegerRange {
  int64_t low = 0, high = 0; ///< inclusive
};

/// The range of an integer argument of a function after `hone-match`.
IntegerRange findRange(mlir::BlockArgument argument, const Dims &dims);

/// True for floats that go into a root or a logarithm, directly or plus a
/// constant: variances. With negative ones, no result would be comparable.
bool isRootTaken(mlir::BlockArgument argument);

/// Parses "ARG:LOW:HIGH,...": ranges by argument number.
llvm::Expected<std::vector<std::pair<unsigned, IntegerRange>>>
parseRanges(llvm::StringRef text);

} // namespace hone

#endif // HONE_REFERENCE_RANGES_H
