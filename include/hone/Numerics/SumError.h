//===- SumError.h - The error of sums against f64 ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tolerance decides whether a result is correct. Two numbers describe its
// accuracy, both relative to the size of a result, so that they are comparable
// across extents:
//
//   rms     | the root of the mean square of c - r, over that of r
//   largest | the largest |c - r|, over the root of the mean square of r
//
// where r is the same product in f64.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_NUMERICS_SUMERROR_H
#define HONE_NUMERICS_SUMERROR_H

#include "llvm/ADT/ArrayRef.h"

namespace hone {

struct SumError {
  double rms = 0, largest = 0;
};

/// For as many results as references. A NaN has an infinite error.
SumError sumErrorOf(llvm::ArrayRef<double> results,
                    llvm::ArrayRef<double> reference);

} // namespace hone

#endif // HONE_NUMERICS_SUMERROR_H
