//===- Match.h - The parts of hone-match ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matching reads the program first and writes IR last. What it reads is said in
// *letters*: every dimension of every value is (part of) one of
//
//   b   batch     in A, B and C, or in C and one of A and B; further ones, which
//                 lie apart from it in one of these, are h, i and j
//   m   rows      in A and C
//   n   columns   in B and C
//   k   summed    in A and B
//   .   one element long, so it can come and go
//
// A `View` is a value with the dimensions that make up each letter. Turning a
// value into its canonical shape is then a reshape, never a copy.
//
//   MatchPrepare.cpp      makes chains of uses visible
//   MatchContraction.cpp  which letters the dimensions of A, B and C are
//   MatchBatches.cpp      which dimensions are one, and which are batches
//   MatchSource.cpp       the values behind broadcasts and reshapes
//   MatchEpilogue.cpp     the elementwise consumers, and the region they become
//   MatchReshape.cpp      values to canonical shape and back
//   Match.cpp             the pass
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_MATCH_H
#define HONE_PASSES_MATCH_H

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

namespace hone::match {

/// The letter of a dimension of one element.
constexpr char kUnit = '.';

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Folds pairs of reshapes, and takes sizes from destinations, so that neither
/// is a use of a result's elements. Removes what this leaves unused.
void prepare(mlir::Operation *root);

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// A value as a matrix with one dimension for each letter.
struct View {
  mlir::Value value;
  /// Order in which the value's dimensions are taken; empty if their own. Only
  /// a memref is taken in another order.
  llvm::SmallVector<int64_t> permutation;
  std::string letters;
  /// For each letter, the (permuted) dimensions that make it up; none for a
  /// letter that the value lacks and gets as a dimension of one element.
  llvm::SmallVector<mlir::ReassociationIndices> groups;
};

/// Groups the dimensions of `value` by their letters. Fails if a letter's
/// dimensions are apart.
mlir::FailureOr<View> makeView(mlir::Value value, llvm::StringRef letters);
/// The same for a matrix that needs all letters of `order`: a dimension of one
/// element becomes a letter that is missing where that keeps the order, and
/// what is still missing is added.
mlir::FailureOr<View> makeMatrix(mlir::Value value, llvm::StringRef letters,
                                 llvm::StringRef order);

/// Reshapes a view's value to one dimension for each letter. Fails on a memref
/// whose strides do not allow it; `why` gets the reason.
mlir::FailureOr<mlir::Value> toCanonical(mlir::OpBuilder &builder,
                                         mlir::Location loc, const View &view,
                                         std::string &why);
/// Reshapes the tensor `canonical` back to the shape of `view.value`.
mlir::Value fromCanonical(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value canonical, const View &view);

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// A linalg op that is a matmul, read in letters.
struct Contraction {
  mlir::linalg::LinalgOp op;
  View a, b, c;
  /// Letters of the dimensions of the destination.
  std::string lettersC;
  /// The program sums (or multiplies) in this type.
  mlir::Type sumType;

  /// Letters of C as the matmul has it.
  llvm::StringRef orderOfC() const { return c.letters; }
};

/// What a contraction reads or writes: a value whose dimensions are loops.
struct Access {
  mlir::Value value;
  mlir::AffineMap map;

  /// Letters of the dimensions, where the loops have `letters`.
  std::string lettersIn(llvm::StringRef letters) const;
  /// The dimension whose elements are neighbours in memory: the last one of
  /// several elements, unless a memref's strides say otherwise. Nothing for a
  /// scalar.
  std::optional<int64_t> innermost(llvm::StringRef letters) const;
};
/// Makes batches of what is not one dimension with others of its kind: among
/// `letters` of the loops of A, B and C, whose columns are innermost in C, those
/// of `kBatchLetters` then stand for a dimension each, as m and n do. Returns why
/// that is not possible, or nothing.
std::string nameBatches(llvm::ArrayRef<Access> operands,
                        llvm::ArrayRef<int64_t> extents, std::string &letters);

/// True if `op` multiplies and sums in a way that one would call a matmul,
/// whether or not `analyze` takes it.
bool looksLikeMatmul(mlir::linalg::LinalgOp op);
/// Reads `op` as a matmul; `why` gets the reason if it is none that can be
/// taken.
mlir::FailureOr<Contraction> analyze(mlir::linalg::LinalgOp op,
                                     std::string &why);

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// `Source::dims` of a dimension of one element.
constexpr int64_t kOne = -1;

/// What an elementwise op reads: a value whose dimensions are dimensions of the
/// iteration space, or a constant.
struct Source {
  mlir::Value value;
  /// For each dimension of `value`, that of the iteration space, or `kOne`
  /// where it is one element long.
  llvm::SmallVector<int64_t> dims;
  mlir::TypedAttr constant;
};

/// Looks through broadcasts and reshapes that only add or drop dimensions of
/// one element.
mlir::FailureOr<Source> resolveSource(mlir::Value value, mlir::AffineMap map);
/// The view of `source` where the iteration space has `letters`. Fails if the
/// source has part of a letter only.
mlir::FailureOr<View> viewOf(const Source &source, llvm::StringRef letters);
/// True if `value` is a tensor filled with +0.0; `destination` gets the tensor
/// that was filled, or null if it is a constant.
bool isZeroFill(mlir::Value value, mlir::Value &destination);
/// The input of an op that only copies its elements somewhere, and its map.
std::optional<std::pair<mlir::Value, mlir::AffineMap>>
copiedInput(mlir::Value value);
/// The only dimension in `group` of more than one element, or `kOne`; nothing
/// if there are several.
std::optional<int64_t> onlyDim(mlir::ShapedType type,
                               llvm::ArrayRef<int64_t> group);

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

/// One elementwise op of the program that moves into the epilogue.
struct Step {
  /// Where the scalar of a block argument comes from.
  struct Argument {
    bool isSum = false;
    mlir::TypedAttr constant;
    unsigned operand = 0;
  };
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<Argument> arguments;
};

/// All that happens to the sum before it is stored.
struct Epilogue {
  MatmulInit init = MatmulInit::read;
  /// What is added to the sum first: a broadcast vector, or the old value of a
  /// destination that is not the one written.
  std::optional<unsigned> addend;
  llvm::SmallVector<View> operands;
  llvm::SmallVector<Step> steps;
  /// What is written, and the op whose result it becomes.
  View c;
  mlir::linalg::LinalgOp last;
};

/// What a contraction on tensors is part of.
Epilogue analyzeEpilogue(const Contraction &contraction);
/// What a contraction on memrefs does: C is read and written.
Epilogue plainEpilogue(const Contraction &contraction);
/// Builds the region of `op`, which has the operands of `epilogue`.
void buildEpilogue(mlir::OpBuilder &builder, MatmulOp op,
                   const Contraction &contraction, const Epilogue &epilogue);

} // namespace hone::match

#endif // HONE_PASSES_MATCH_H
