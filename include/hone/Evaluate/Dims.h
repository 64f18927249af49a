//===- Dims.h - Extents that must agree -------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dynamic dimensions of a function's arguments are one number: those that
// its ops walk with one loop. The K of A and of B are, and the batch of both,
// and the rows of what is added to their product later. Dimensions of all
// values are nodes of a union-find; ops unite them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_DIMS_H
#define HONE_EVALUATE_DIMS_H

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/Error.h"
#include <string>

namespace hone {

class Dims {
public:
  /// Of a function after `hone-match`.
  explicit Dims(mlir::func::FuncOp function);

  /// Gives every class without a static extent the next of `values`, in the
  /// order in which arguments name them. Fails where arguments disagree.
  llvm::Error assign(llvm::ArrayRef<int64_t> values);
  /// The extent of a dimension of any value; -1 if it can not be told.
  int64_t sizeOf(mlir::Value value, unsigned dim) const;

private:
  /// A dimension of a value.
  using Dim = std::pair<const void *, unsigned>;
  static Dim dimOf(mlir::Value value, unsigned dim) {
    return {value.getAsOpaquePointer(), dim};
  }
  void unite(mlir::Value left, unsigned leftDim, mlir::Value right,
             unsigned rightDim);
  /// All dimensions, if both are shaped and of one rank.
  void unite(mlir::Value left, mlir::Value right);
  /// A dimension is as long as this value says, if it is another's extent.
  void unite(mlir::Value value, unsigned dim, mlir::OpFoldResult extent);
  void tie(MatmulOp op);
  void tie(mlir::Operation *op);
  std::string nameOf(Dim leader);

  mlir::func::FuncOp function;
  llvm::EquivalenceClasses<Dim> classes;
  llvm::DenseMap<Dim, int64_t> sizes; ///< by leader
};

} // namespace hone

#endif // HONE_EVALUATE_DIMS_H
