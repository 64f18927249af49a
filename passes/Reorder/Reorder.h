//===- Reorder.h - The parts of hone-reorder-products -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   RowIndex.cpp         rows of a tensor that are read through an index
//   RowOps.cpp           ops that compute each row of a result by itself
//   GatherSite.cpp       a product next to a gather, and its forms
//   ReorderGathers.cpp   the form that multiplies the fewest rows
//   ReadFactors.cpp      two products of three factors
//   ReorderFactors.cpp   the order that multiplies least
//   ReorderProducts.cpp  the pass
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REORDER_REORDER_H
#define HONE_PASSES_REORDER_REORDER_H

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace hone::reorder {

/// Row numbers, one for each row of a result; `kNoRow` reads zeros.
using RowNumbers = llvm::SmallVector<int64_t, 0>;
constexpr int64_t kNoRow = -1;

/// The number of a source's row for each row of a result:
///
///   result[i, ...] = source[index(i), ...]
class RowIndex {
public:
  /// Reads `op`: a `linalg.generic` that yields an element of a tensor whose
  /// first index depends on the first loop alone, and whose other indices are
  /// the other loops; or a `tensor.gather` of whole rows.
  static std::optional<RowIndex> read(mlir::Operation *op);
  /// The clause `gather` of a matmul, which has the source as its A. A number
  /// outside of it stands for the source's last row plus one.
  static std::optional<RowIndex> readClause(MatmulOp op);
  /// These numbers, as a constant.
  static RowIndex write(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<int64_t> numbers);

  mlir::TypedValue<mlir::RankedTensorType> getSource() const { return source; }
  /// `kDynamic` if unknown.
  int64_t getRows() const { return rows; }
  int64_t getSourceRows() const { return source.getType().getDimSize(0); }
  /// The numbers, if they are constants within the source. Those of a clause
  /// may also be `kNoRow`.
  std::optional<RowNumbers> getNumbers();
  /// Writes the rows of `from`, which is as long as the source.
  mlir::Value gather(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value from);

private:
  mlir::Value writeNumber(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::ValueRange values);

  mlir::TypedValue<mlir::RankedTensorType> source;
  int64_t rows = mlir::ShapedType::kDynamic;
  /// The op, and those of its body that give the element: or null.
  mlir::linalg::GenericOp generic;
  llvm::SmallPtrSet<mlir::Operation *, 4> ofElement;
  /// Else the numbers, in one dimension, or in two with one column.
  mlir::TypedValue<mlir::RankedTensorType> index;
  bool isClause = false;
};

/// An op that computes row i of its result from row i of some operands, and
/// from others as wholes.
struct RowOp {
  mlir::Operation *op = nullptr;
  /// The numbers of operands with rows, without destinations. Of a matmul with
  /// a clause `gather` its index is one of them, and A is not.
  llvm::SmallVector<unsigned, 2> rowOperands = {};
  /// The operands with one number in all rows.
  llvm::SmallVector<unsigned, 2> alikeOperands = {};
  bool isProduct = false;

  /// Reads `op` on tensors, if it can also be computed for rows without readers.
  static std::optional<RowOp> read(mlir::Operation *op);

  mlir::Value getResult() const { return op->getResult(0); }
  /// `kDynamic` if unknown.
  int64_t getRows() const;
  /// True if its result has no unknown extent, and none of 0.
  bool hasElements() const;
  /// True if its sums start with one number, or its destination is not read.
  bool startsAlike() const;
  /// Writes the op for `count` rows: `rowsOf` gives those of an operand.
  mlir::Operation *
  write(mlir::OpBuilder &builder, int64_t count,
        llvm::function_ref<mlir::Value(mlir::Value)> rowsOf) const;
};

/// Moves or splits the gathers next to products where these then multiply fewer
/// rows, with remarks. Returns true if there were any.
bool reorderGathers(mlir::RewriterBase &rewriter, mlir::Operation *module);

/// Changes the order of two products where they then multiply less often, with
/// remarks. With `isPermitted` also those of floats that do not permit it by
/// `fastmath`. Returns true if there were any.
bool reorderFactors(mlir::RewriterBase &rewriter, mlir::Operation *module,
                    bool isPermitted);

} // namespace hone::reorder

#endif // HONE_PASSES_REORDER_REORDER_H
