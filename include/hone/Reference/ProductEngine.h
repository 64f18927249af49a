//===- ProductEngine.h - Engines for a reference's products -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reference computes in f64 the products that a GPU computes in f16. A GPU
// does this a hundred times faster than the CPU. So if there is a GPU, it also
// computes the large products of a reference, in a simple kernel of f64
// arithmetic (hone/Measure/GpuProduct.h) that shares nothing with the kernels
// under test.
//
// An engine is not trusted. `multiplyChecked` checks each product against the
// operands, on the CPU and with a fraction of the product's work: it compares
// C * x with A * (B * x) for random vectors x of 1 and -1. Everything is in
// f64, so the two may differ only by the rounding of f64.
//
// | mistake in C              | found                                         |
// |---------------------------|-----------------------------------------------|
// | one element of a row      | always, if it is off by about 1e-7 of its     |
// |                           | usual size, less than the error of sums in    |
// |                           | f32                                           |
// | several elements of a row | always, except if they cancel, in one case    |
// |                           | of 2 ^ vectors                                |
// | a NaN or an infinity      | always, even if it is right: the CPU then     |
// |                           | multiplies                                    |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_PRODUCTENGINE_H
#define HONE_REFERENCE_PRODUCTENGINE_H

#include "hone/Measure/GpuKernels.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace hone {

class ProductEngine {
public:
  /// Matrices in host memory, stored in rows; no batches.
  struct Term {
    gpucheck::Matrix a, b;
  };

  virtual ~ProductEngine() = default;
  /// Whether the engine is worth using for this many multiplications.
  virtual bool takes(double macs) const = 0;
  /// c = the sum of a * b over the terms; c is stored in rows, without padding.
  virtual llvm::Error multiply(llvm::ArrayRef<Term> terms, double *c) = 0;
};

/// The same with a check: fails if `c` is wrong.
llvm::Error multiplyChecked(ProductEngine &engine,
                            llvm::ArrayRef<ProductEngine::Term> terms,
                            double *c);

/// A matrix in host memory: `rows` rows of `cols` elements, `lead` apart.
gpucheck::Matrix hostMatrix(const double *data, int64_t rows, int64_t cols,
                            int64_t lead);
gpucheck::Matrix hostMatrix(const float *data, int64_t rows, int64_t cols,
                            int64_t lead);

} // namespace hone

#endif // HONE_REFERENCE_PRODUCTENGINE_H
