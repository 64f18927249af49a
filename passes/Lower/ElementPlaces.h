//===- ElementPlaces.h - Places of a thread's elements in C ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   ElementPlaces places(emit, op, acc.getType(), row, col);
//   IndexValue row = places.row(i), col = places.col(i);
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_LOWER_ELEMENTPLACES_H
#define HONE_PASSES_LOWER_ELEMENTPLACES_H

#include "dialects/Kernel/AddressMap.h"
#include "dialects/Kernel/PartialMap.h"
#include "passes/Lower/LowerKernel.h"

namespace hone {

/// The places of this thread's elements of a tile of C.
class ElementPlaces {
public:
  ElementPlaces(KernelEmitter &emit, mlir::Operation *op, kernel::AccType type,
                mlir::Value row, mlir::Value col)
      : type(type), thread(emit.threadOf(op)), lane(thread % kernel::kWarpSize),
        firstRow(emit.index(row)), firstCol(emit.index(col)) {
    if (type.getRun())
      return;
    auto place = kernel::placeOf(thread, type.getWarpsN());
    firstRow = firstRow + place.warpM * type.getWarpRows();
    firstCol = firstCol + place.warpN * type.getWarpCols();
  }

  IndexValue row(int64_t index) const { return firstRow + at(index).first; }
  IndexValue col(int64_t index) const { return firstCol + at(index).second; }
  /// The row and column of element `index` less those of this thread's first
  /// element, if they are the same for all threads.
  std::optional<std::pair<int64_t, int64_t>> fromFirst(int64_t index) const {
    if (type.getRun())
      return std::nullopt;
    return kernel::elementOf<int64_t>(0, index, type.getWarpCols());
  }

private:
  std::pair<IndexValue, IndexValue> at(int64_t index) const {
    if (type.getRun())
      return kernel::runElementOf(thread, index, type.getThreads(),
                                  type.getCols(), type.getRun());
    return kernel::elementOf(lane, index, type.getWarpCols());
  }

  kernel::AccType type;
  IndexValue thread, lane, firstRow, firstCol;
};

} // namespace hone

#endif // HONE_PASSES_LOWER_ELEMENTPLACES_H
