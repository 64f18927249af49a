//===- Kernel.h - Build and launch of one product ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A * B in f16 with f32 sums. A is M x K and C is M x N, both by rows; B is
// N x K (nt) or K x N (nn).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EXAMPLES_BENCHROW_KERNEL_H
#define HONE_EXAMPLES_BENCHROW_KERNEL_H

#include "hone-c/Runtime.h"
#include <string>
#include <vector>

namespace example {

struct Product {
  int64_t m = 0, n = 0, k = 0;
  bool isNt = true;

  int64_t elementsOfA() const { return m * k; }
  int64_t elementsOfB() const { return k * n; }
  int64_t elementsOfC() const { return m * n; }
};

/// The result of a build of one product: device code, and its launch plan.
struct Build {
  std::string image, plan, schedule;
};

/// Runs a product in linalg through `hone-pipeline` and takes the image and the
/// plan out of the resulting module. `options` are the pipeline's.
Build build(const Product &product, const std::string &options);

/// The plan without programmatic launch; the same text if it has none.
std::string withoutProgrammatic(const std::string &plan);

/// A build's kernel with one of its plans.
class Kernel {
public:
  Kernel(const Product &product, const Build &build, std::string plan);
  ~Kernel() { honeRelease(&slot); }
  Kernel(const Kernel &) = delete;
  bool launch(const void *a, const void *b, void *c);

private:
  std::string plan;
  std::vector<int64_t> values; ///< in the order of the plan's arguments
  HoneKernel *slot = nullptr;
};

} // namespace example

#endif // HONE_EXAMPLES_BENCHROW_KERNEL_H
