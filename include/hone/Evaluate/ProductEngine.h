//===- ProductEngine.h - Who multiplies for a reference ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reference multiplies in f64 what a GPU multiplies in f16, a hundred times
// faster than this CPU multiplies anything. So where there is a GPU, large
// products of a reference are its work, too: by a kernel of f64 arithmetic that
// is as plain as can be (hone/Measure/GpuProduct.h) and shares nothing with what
// it is there to check.
//
// An engine is not trusted. `multiplyChecked` holds each product against the
// operands, on the CPU and for a fraction of its work: C * x is A * (B * x), for
// vectors x of 1 and -1 by chance. Everything is f64, so the two may differ by
// roundings of f64 only.
//
// | what is wrong with C                  | is found                           |
// |---------------------------------------|------------------------------------|
// | one element of a row                  | always, from some 1e-7 of its      |
// |                                       | usual size on: less than sums in   |
// |                                       | f32 are off                        |
// | several of a row                      | but for one time in 2 ^ vectors,   |
// |                                       | if they cancel                     |
// | a NaN, an infinity                    | always, also where it is right:    |
// |                                       | the CPU multiplies these           |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_PRODUCTENGINE_H
#define HONE_EVALUATE_PRODUCTENGINE_H

#include "hone/Measure/GpuKernels.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace hone {

class ProductEngine {
public:
  /// Matrices of the host, by rows; no batches.
  struct Term {
    gpu::Matrix a, b;
  };

  virtual ~ProductEngine() = default;
  /// Whether a product of so many multiplications is worth asking for.
  virtual bool takes(double macs) const = 0;
  /// c = the sum of a * b over the terms; c is row by row, without gaps.
  virtual llvm::Error multiply(llvm::ArrayRef<Term> terms, double *c) = 0;
};

/// The same, checked: an error if `c` is not that.
llvm::Error multiplyChecked(ProductEngine &engine,
                            llvm::ArrayRef<ProductEngine::Term> terms,
                            double *c);

/// A matrix of the host: `rows` lines of `cols` elements, `lead` apart.
gpu::Matrix hostMatrix(const double *data, int64_t rows, int64_t cols,
                       int64_t lead);
gpu::Matrix hostMatrix(const float *data, int64_t rows, int64_t cols,
                       int64_t lead);

} // namespace hone

#endif // HONE_EVALUATE_PRODUCTENGINE_H
