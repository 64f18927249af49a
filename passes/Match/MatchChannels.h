//===- MatchChannels.h - Ops with channels last -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the two files of moveChannelsLast: MatchChannels.cpp finds the
// convolutions, MatchReorder.cpp writes them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_MATCH_MATCHCHANNELS_H
#define HONE_PASSES_MATCH_MATCHCHANNELS_H

#include "passes/Match/Match.h"

namespace hone::match {

/// For each dimension of a new value, that of the old one.
using DimOrder = llvm::SmallVector<int64_t>;

/// Channels, dimension 1, become the last one.
DimOrder channelsLast(int64_t rank);
mlir::RankedTensorType reordered(mlir::RankedTensorType type,
                                 llvm::ArrayRef<int64_t> order);

/// The operands of a convolution of images with channels first.
struct PlanarConvolution {
  unsigned image, filter;
  /// Channels and filters last, in the order of a window's elements.
  DimOrder filterOrder;
};
std::optional<PlanarConvolution> planarOf(mlir::Operation *op);

std::optional<unsigned> loopOf(mlir::AffineExpr expr);
/// True for a tensor of this rank without an encoding.
bool isPlainTensor(mlir::Value value, int64_t rank);
/// True if `op` computes images from `image` whose numbers and channels are
/// those of `image`: an elementwise op, a pad, or a pool.
bool carriesImages(mlir::Operation *op, mlir::Value image);

/// `op` on `operands`, which have the dimensions of its own in these orders,
/// with the loops of the first result outermost.
mlir::linalg::GenericOp writeReordered(mlir::RewriterBase &rewriter,
                                       mlir::linalg::LinalgOp op,
                                       llvm::ArrayRef<mlir::Value> operands,
                                       llvm::ArrayRef<DimOrder> orders);

/// Writes values with their dimensions in another order, and convolutions with
/// channels last.
class Reorderer {
public:
  explicit Reorderer(mlir::RewriterBase &rewriter) : rewriter(rewriter) {}

  /// Replaces a convolution by one with channels last.
  mlir::linalg::LinalgOp convert(mlir::Operation *op);
  /// Moves the transposes after converted ops through the ops that follow, and
  /// erases ops that are not used any more.
  void finish();
  /// The value in another order, computed so where that is as cheap.
  mlir::Value reorder(mlir::Value value, const DimOrder &order);
  /// A transpose of the value.
  mlir::Value transpose(mlir::Value value, const DimOrder &order);
  /// A tensor of the value's shape in another order, without elements.
  mlir::Value reorderedEmpty(mlir::Value value, const DimOrder &order);

private:
  mlir::Value writeReorder(mlir::Value value, const DimOrder &order);
  void replace(mlir::Operation *op, mlir::ValueRange results);
  void sink(mlir::linalg::TransposeOp transpose);
  bool sinkThrough(mlir::Operation *op, mlir::Value image, mlir::Value source);

  mlir::RewriterBase &rewriter;
  llvm::DenseMap<mlir::Value,
                 llvm::SmallVector<std::pair<DimOrder, mlir::Value>>>
      known;
  llvm::SmallVector<mlir::linalg::TransposeOp> pending; ///< after new ops
  llvm::SetVector<mlir::Operation *> replaced;
};

} // namespace hone::match

#endif // HONE_PASSES_MATCH_MATCHCHANNELS_H
