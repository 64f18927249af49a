//===- Tables.h - Tables of numbers, computed on the device -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the rest as linalg ops, each of whose elements is computed from
// its position and from elements of other tables: a sorted index (SortIndex.cpp)
// and tokens sorted by experts (Route.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_MATCH_ROWS_TABLES_H
#define HONE_PASSES_MATCH_ROWS_TABLES_H

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/RowOps.h"
#include "llvm/ADT/DenseMap.h"

namespace hone::match {

//===----------------------------------------------------------------------===//
// NumberList and tables
//===----------------------------------------------------------------------===//

/// An integer that emits ops without signs at the builder's current place.
struct Number {
  mlir::OpBuilder *b;
  mlir::Location loc;
  mlir::Value value;

  template <typename Op, typename... Args>
  Number make(Args... args) const {
    return {b, loc, Op::create(*b, loc, args...)};
  }
  Number constant(int64_t number) const {
    return make<mlir::arith::ConstantOp>(
        b->getIntegerAttr(value.getType(), number));
  }
  Number is(mlir::arith::CmpIPredicate predicate, Number other) const {
    return make<mlir::arith::CmpIOp>(predicate, value, other.value);
  }
  Number operator<(Number other) const {
    return is(mlir::arith::CmpIPredicate::ult, other);
  }
  Number operator<=(Number other) const {
    return is(mlir::arith::CmpIPredicate::ule, other);
  }
  Number operator==(Number other) const {
    return is(mlir::arith::CmpIPredicate::eq, other);
  }
  Number operator&(Number other) const {
    return make<mlir::arith::AndIOp>(value, other.value);
  }
  Number operator+(Number other) const {
    return make<mlir::arith::AddIOp>(value, other.value);
  }
  Number operator-(Number other) const {
    return make<mlir::arith::SubIOp>(value, other.value);
  }
  Number operator+(int64_t other) const { return *this + constant(other); }
  Number operator*(int64_t other) const {
    return other == 1 ? *this
                      : make<mlir::arith::MulIOp>(value, constant(other).value);
  }
  Number operator/(int64_t other) const {
    return other == 1
               ? *this
               : make<mlir::arith::DivUIOp>(value, constant(other).value);
  }
  Number operator>>(Number other) const {
    return make<mlir::arith::ShRUIOp>(value, other.value);
  }
  Number min(Number other) const {
    return make<mlir::arith::MinUIOp>(value, other.value);
  }
  Number roundedDown(int64_t to) const { // to a power of two
    return make<mlir::arith::AndIOp>(value, constant(-to).value);
  }
  /// This truth value chooses.
  Number choose(Number yes, Number no) const {
    return make<mlir::arith::SelectOp>(value, yes.value, no.value);
  }
  /// The element of a tensor here, without a sign.
  Number of(mlir::Value tensor) const;
};

using NumberList = llvm::SmallVector<Number>;

/// The element of a tensor at these places, without a sign.
Number elementAt(mlir::Value tensor, llvm::ArrayRef<Number> places);

/// Tensors of i32 whose elements `body` computes from their positions.
mlir::ResultRange
makeTables(mlir::OpBuilder &b, mlir::Location loc,
           llvm::ArrayRef<mlir::OpFoldResult> sizes, unsigned results,
           llvm::function_ref<NumberList(llvm::ArrayRef<Number>)> body);

/// The values after `step` of each number from `begin` on, and the last values.
NumberList
loopOver(Number begin, Number end, llvm::ArrayRef<Number> values,
         llvm::function_ref<NumberList(Number, llvm::ArrayRef<Number>)> step);
Number loopOver(Number begin, Number end, Number value,
                llvm::function_ref<Number(Number, Number)> step);

/// The numbers from `begin` on, but below `end`, for which `holds`.
Number countIn(Number begin, Number end,
               llvm::function_ref<Number(Number)> holds);

/// The largest number from `low` to `high` that is `low` or `holds`, as all
/// before it do. Their distance is less than twice `distance`, a power of two.
/// If they are equal, `holds` is asked about them, and else not about `low`.
Number searchIn(Number low, Number high, int64_t distance,
                llvm::function_ref<Number(Number)> holds);

//===----------------------------------------------------------------------===//
// Orders of rows
//===----------------------------------------------------------------------===//

/// Sorts indices on the device, each once (SortIndex.cpp).
class SortedIndices {
public:
  struct Tables {
    mlir::Value keys, places;
  };
  struct Order {
    /// For each row, the first of its places in `numbers`; then their count.
    mlir::Value begins;
    /// The rows of the source, in the order of the index.
    mlir::Value numbers;
  };

  /// True if it takes less time to look through all of the index for each
  /// element of these rows, or if the number of rows or indices is unknown.
  static bool areSearched(int64_t count, int64_t rows, int64_t columns);

  Order of(mlir::Value to, int64_t rows);

private:
  llvm::DenseMap<mlir::Value, Tables> sorted;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> firsts;
};

/// Tokens that are sorted by experts on the device (Route.cpp).
class RoutedRows {
public:
  struct Tables {
    mlir::Value experts; ///< of all pairs
    mlir::Value sums;    ///< see Route.cpp
    int64_t groups, choices;
    /// For each token, where its pairs are in the order of experts.
    mlir::Value numbers;
  };

  /// Replaces `op` by tables, or by a loop.
  void expand(mlir::IRRewriter &rewriter, RouteOp op, RowForm form);

  /// Those of the op whose rows are `to`, with numbers; null for another index.
  const Tables *of(mlir::Value to);

private:
  /// By the rows.
  llvm::DenseMap<mlir::Value, Tables> routes;
};

} // namespace hone::match

#endif // HONE_PASSES_MATCH_ROWS_TABLES_H
