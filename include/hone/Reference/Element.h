//===- Element.h - The element type of an argument --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products are of floats, but the ops around them also take token ids, masks,
// counters and quantized weights. Values are doubles; this describes how memory
// holds them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_ELEMENT_H
#define HONE_REFERENCE_ELEMENT_H

#include "hone/Schedule/Problem.h"
#include "mlir/IR/Types.h"
#include <optional>

namespace hone {

struct Element {
  ElementType type = ElementType::f32; ///< of a float
  unsigned bits = 0;     ///< of an integer: 1, 8, 16, 32 or 64; 0 for a float
  bool isDouble = false; ///< an f64, which no product has

  /// A float type of products, f64, a signless integer, or an index.
  static std::optional<Element> of(mlir::Type type);
  /// The types that `of` supports, for errors.
  static constexpr const char *kTypes =
      "f16, bf16, f32, f64, f8E4M3FN, f8E5M2, i1, i8, i16, "
      "i32, i64 or index";

  bool isInteger() const { return bits != 0; }
  int64_t bytes() const;
  /// A float, rounded to the type.
  double round(double value) const;
  /// The smallest and the largest integer; an i1 is 0 or 1.
  int64_t smallest() const;
  int64_t largest() const;
  /// Element `i` of `data`, which holds floats.
  double load(const void *data, size_t i) const;
  /// The same for integers.
  int64_t loadInteger(const void *data, size_t i) const;
  /// Stores the smallest or the largest integer if `value` is out of range.
  void store(void *data, size_t i, double value) const;
};

} // namespace hone

#endif // HONE_REFERENCE_ELEMENT_H
