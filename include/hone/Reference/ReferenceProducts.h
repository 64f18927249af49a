//===- ReferenceProducts.h - Contractions of the reference ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nearly all the work of a reference is in its matmuls. As loops they would
// take minutes where the program takes milliseconds. So the reference calls
// this. It computes every contraction or convolution, with any maps, in packed
// blocks on all cores, or by an engine if there is one (ProductEngine.h). It is
// written for f64 and for errors (hone/Numerics/ErrorBound.h), and shares
// nothing with the code that Hone generates.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_REFERENCEPRODUCTS_H
#define HONE_REFERENCE_REFERENCEPRODUCTS_H

#include "hone/Reference/ProductEngine.h"
#include "hone/Reference/ReferenceErrors.h"
#include "hone/Schedule/Problem.h"
#include <cstdint>
#include <deque>
#include <vector>

namespace hone {

/// The way in which the errors of the operands add up in a sum.
enum class ErrorSum {
  /// In quadrature, as independent errors do: for N(0, 1) data. An error shared
  /// by a whole row scales the sum and is added.
  independent,
  /// Linearly: no correct sum has a larger error, and if all terms are positive
  /// it is rarely much smaller.
  worst,
};

/// c += a * b, all of which are pairs of a value and its error. Each loop runs
/// over a dimension of a, b and c, or of two of them: batches in all, rows in a
/// and c, columns in b and c, steps in a and b. In a convolution several loops
/// together run over a dimension.
struct ReferenceProduct {
  /// The elements of an operand in a loop.
  struct Index {
    int dim = -1;         ///< negative if the same for all iterations
    int64_t step = 1;     ///< from one to the next
    bool isWhole = false; ///< this loop alone covers the whole dimension
  };
  struct Loop {
    Index a, b, c;
  };
  std::vector<Loop> loops;
  ElementType type = ElementType::f32; ///< the type in which c is stored
  Products products = Products::exact; ///< the program's permission
  ErrorSum errors = ErrorSum::independent;
  Decisions decisions = Decisions::asComputed;
  ProductEngine *engine = nullptr; ///< null for the CPU
};

/// The products of a reference, which its code refers to by address.
using ReferenceProducts = std::deque<ReferenceProduct>;

/// The name under which compiled code calls `multiplyForReference` with an
/// address and three unranked memrefs.
constexpr const char *kReferenceProductSymbol = "hone_reference_product";

/// A memref as compiled code passes it.
struct UnrankedPairs {
  int64_t rank;
  void *descriptor;
};
extern "C" void multiplyForReference(int64_t product, UnrankedPairs *a,
                                     UnrankedPairs *b, UnrankedPairs *c);

} // namespace hone

#endif // HONE_REFERENCE_REFERENCEPRODUCTS_H
