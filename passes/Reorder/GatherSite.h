//===- GatherSite.h - A product next to a gather ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REORDER_GATHERSITE_H
#define HONE_PASSES_REORDER_GATHERSITE_H

#include "passes/Reorder/Reorder.h"

namespace hone::reorder {

/// The rows that differ, and the place of each row among them.
struct UniqueRows {
  RowNumbers numbers, places;
  /// For ragged rows, the ends of groups among those that differ.
  llvm::SmallVector<int32_t> ends;
};

/// The rows that are multiplied.
enum class Form {
  index,  ///< those of the index: the gather is first
  source, ///< those of its source: the product is first
  unique  ///< those of the index that differ
};

/// A product, the gather before or after it, and the ops between.
struct Site {
  RowOp product;
  RowIndex index;
  /// From the product to the gather, or from the gather to the product.
  llvm::SmallVector<RowOp> between;
  /// Null for a clause of the product.
  mlir::Operation *gather = nullptr;
  bool isGatheredFirst = false;
  /// Null if the numbers are not known.
  std::optional<UniqueRows> unique;

  MatmulOp getMatmul() const { return mlir::dyn_cast<MatmulOp>(product.op); }
  bool hasClause() const { return !gather; }
  bool isRagged() const { return getMatmul() && getMatmul().getRagged(); }
  /// The gather that `product` reads its rows through, in its clause or in
  /// front of it.
  static std::optional<Site> readBefore(const RowOp &product);
  /// The product whose rows `gather` reads.
  static std::optional<Site> readAfter(mlir::Operation *gather);

  /// True if all extents are known, and none is 0, and so are the groups.
  bool isKnown() const;
  /// The obstacle to another form, or an empty string.
  std::string getObstacle() const;
  /// The rows that a form multiplies; nothing if the form is not possible.
  std::optional<int64_t> getRows(Form form) const;
  /// The form of the program.
  Form getForm() const { return isGatheredFirst ? Form::index : Form::source; }
  /// The op whose result has the gathered rows.
  mlir::Operation *getLast() const {
    return isGatheredFirst ? product.op : gather;
  }
};

} // namespace hone::reorder

#endif // HONE_PASSES_REORDER_GATHERSITE_H
