//===- Dims.h - Extents that must agree -------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the dynamic dimensions of a function's arguments that must be equal:
// those that its ops iterate over with one loop, such as the K of A and B,
// their batch, or the rows of a matrix that is later added to the product.
// Dimensions of all values are nodes of a union-find; ops unite them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_DIMS_H
#define HONE_REFERENCE_DIMS_H

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
  /// For a function after `hone-match`.
  explicit Dims(mlir::func::FuncOp function);

  /// Gives every class without a static extent the next of `values`, in order
  /// of first appearance in the arguments. Fails if arguments disagree.
  llvm::Error assign(llvm::ArrayRef<int64_t> values);
  /// The extent of a dimension of any value; -1 if unknown.
  int64_t sizeOf(mlir::Value value, unsigned dim) const;

private:
  /// A dimension of a value.
  using Dim = std::pair<const void *, unsigned>;
  static Dim dimOf(mlir::Value value, unsigned dim) {
    return {value.getAsOpaquePointer(), dim};
  }
  void unite(mlir::Value left, unsigned leftDim, mlir::Value right,
             unsigned rightDim);
  /// All dimensions, if both are shaped and have the same rank.
  void unite(mlir::Value left, mlir::Value right);
  /// Unites a dimension with the one whose extent this value is, if any.
  void unite(mlir::Value value, unsigned dim, mlir::OpFoldResult extent);
  void tie(MatmulOp op);
  void tie(mlir::Operation *op);
  std::string nameOf(Dim leader);

  mlir::func::FuncOp function;
  llvm::EquivalenceClasses<Dim> classes;
  llvm::DenseMap<Dim, int64_t> sizes; ///< by leader
};

} // namespace hone

#endif // HONE_REFERENCE_DIMS_H
