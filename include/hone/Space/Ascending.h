//===- Ascending.h - Order of values ----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fastest of some candidates are the first of an order of their times.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SPACE_ASCENDING_H
#define HONE_SPACE_ASCENDING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <vector>

namespace hone {

/// The indices of the values in ascending order; equal values keep their order.
inline std::vector<size_t> ascending(llvm::ArrayRef<double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](size_t one, size_t other) {
    return values[one] < values[other];
  });
  return order;
}

} // namespace hone

#endif // HONE_SPACE_ASCENDING_H
