//===- Ranges.h - Integers that a function can use --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A token id picks a row of a table, a position a place of a cache; numbers
// drawn from all of i64 would be read far outside. So each integer argument is
// followed to the ops that index with it, and gets a range for which all of
// them are inside. Where it indexes nothing, its type says:
//
//   | type                | values         | what it mostly is                  |
//   |---------------------|----------------|------------------------------------|
//   | i1                  | 0, 1           | a mask                             |
//   | i8                  | -128 ... 127   | a quantized weight                 |
//   | i16, i32, i64, index| 0 ... 3        | a label, a count of iterations     |
//
// What is followed: elements through linalg, slices, casts, calls and loops;
// sums with constants; the iterations of a loop up to a bound. A number that a
// loop changes and then indexes with starts at 0.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_RANGES_H
#define HONE_EVALUATE_RANGES_H

#include "hone/Evaluate/Dims.h"

namespace hone {

struct IntegerRange {
  int64_t low = 0, high = 0; ///< both are in it
};

/// The range of an argument of integers, of a function after `hone-match`.
IntegerRange findRange(mlir::BlockArgument argument, const Dims &dims);

/// True for floats that a root or a logarithm is taken of, as they are or plus a
/// constant: variances. Of a negative one nothing could be told.
bool isRootTaken(mlir::BlockArgument argument);

/// Reads "ARG:LOW:HIGH,...": ranges by number of argument.
llvm::Expected<std::vector<std::pair<unsigned, IntegerRange>>>
parseRanges(llvm::StringRef text);

} // namespace hone

#endif // HONE_EVALUATE_RANGES_H
