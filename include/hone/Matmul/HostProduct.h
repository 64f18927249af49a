//===- HostProduct.h - A product's data on this CPU -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrices of a problem, filled once, and the expected elements of C. The
// compared elements do not depend on the candidate, so expected values are
// computed once per problem, not once per candidate.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MATMUL_HOSTPRODUCT_H
#define HONE_MATMUL_HOSTPRODUCT_H

#include "hone/Schedule/Problem.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <vector>

namespace hone {

/// A matrix in the problem's storage order, or an image that holds its elements
/// in another way.
struct HostMatrix {
  ElementType type;
  int64_t rows = 0, cols = 0, lead = 0;
  bool inRows = true;
  std::optional<OperandAccess> access; ///< to an image
  Window image;                        ///< if there is an access
  std::vector<char> bytes;

  int64_t lines() const { return inRows ? rows : cols; }
  int64_t width() const { return inRows ? cols : rows; }
  double at(int64_t row, int64_t col) const;
};

class HostProduct {
public:
  /// Random normal A and B, and room for C. A plain product only, also of
  /// windows of an image.
  llvm::Error set(const Problem &problem);
  std::array<HostMatrix, 3> &matrices() { return data; }

  /// A compiled kernel with MLIR's C interface: it takes the addresses of three
  /// descriptors.
  using Kernel = void (*)(void *a, void *b, void *c);
  void run(Kernel kernel);

  /// Fills C so that unwritten elements are found.
  void poison();
  /// A result that is wrong in one element: a NaN, or a large number.
  void plant(llvm::StringRef what);
  /// Checks that no element of C is NaN, and compares a sample of elements with
  /// sums of products: some hundred, or if `whole` some ten thousand or all.
  /// Returns the largest error, in units of the tolerance.
  llvm::Expected<double> check(bool whole);

private:
  /// An element of C that is compared.
  struct Sample {
    int64_t row, col;
    double value;
  };
  std::vector<Sample> sample(bool whole) const;

  Problem problem;
  std::array<HostMatrix, 3> data; ///< A, B, C
  /// A by rows and B by columns, as the sums walk them. An f32 holds every
  /// element of all types.
  std::vector<float> linesOfA, linesOfB;
  std::array<std::vector<Sample>, 2> samples; ///< some, many; made on demand
};

} // namespace hone

#endif // HONE_MATMUL_HOSTPRODUCT_H
